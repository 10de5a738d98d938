import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { KubeObject } from '@interlock/api';
import { ClusterRole, Role } from '@interlock/kube';
import { configNamespace, ensureNamespace, installIdentity, systemNamespace } from '@interlock/stack';
import { openCluster, type TestCluster } from './testing/cluster.js';
import {
  apps,
  describeWithHelm,
  isForUsers,
  NAMESPACE,
  openWorkshop,
  type Workshop,
} from './testing/workshop.js';

let workshop: Workshop;
let cluster: TestCluster;
beforeAll(async () => {
  workshop = await openWorkshop();
  cluster = await openCluster();
});
afterAll(async () => {
  workshop.close();
  await cluster.close();
});

interface WithRules {
  metadata: { namespace?: string };
  rules?: unknown;
}

/** All that roles grant: where, and each rule. */
function rightsOf(roles: readonly WithRules[]): string[] {
  return roles
    .flatMap(({ metadata: { namespace = '*' }, rules = [] }) =>
      (rules as object[]).map((rule) => {
        const fields = Object.entries(rule).sort(([a], [b]) => (a < b ? -1 : 1));
        return `${namespace} ${JSON.stringify(fields)}`;
      }),
    )
    .sort();
}

describeWithHelm('the fleet of npm start', () => {
  it.each(apps)('gives %s the rights that its chart gives it, and no others', async (app) => {
    const { client } = cluster;
    const values = app === 'gitops-responder' ? { configNamespace } : {};
    const rendered = (await workshop.render(app, values)).filter(
      (manifest) => /^(Cluster)?Role$/.test(manifest.kind) && !isForUsers(manifest),
    );
    for (const namespace of [systemNamespace, configNamespace]) await ensureNamespace(client, namespace);
    await installIdentity(client, app);
    const isOf = ({ metadata: { name } }: KubeObject) =>
      name === `interlock-${app}` || name.startsWith(`${app}-`);
    const installed = [
      ...(await client.list<KubeObject & WithRules>(ClusterRole)).items,
      ...(await client.list<KubeObject & WithRules>(Role)).items,
    ].filter(isOf);
    const inFleet = (right: string): string => right.replace(`${NAMESPACE} `, `${systemNamespace} `);
    expect(rightsOf(installed)).toEqual(rightsOf(rendered).map(inFleet).sort());
    expect(installed.length).toBeGreaterThan(1);
  });
});
