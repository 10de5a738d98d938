import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { KubeObject } from '@interlock/api';
import { appCharts, locateHelm, parseManifests, renderCharts, type Manifest } from '@interlock/charts';
import { ClusterRole, Role, type Client } from '@interlock/kube';
import { startEmbeddedCluster, type EmbeddedCluster } from '../cluster/embedded.js';
import { installIdentity } from './identity.js';
import { configNamespace, ensureNamespace, systemNamespace } from './install.js';

const helm = locateHelm();
if (helm === undefined) process.stdout.write('skipped: Helm is not available for this platform\n');
const describeWithHelm = helm === undefined ? describe.skip : describe;

let cluster: EmbeddedCluster;
let client: Client;
let rendered: Map<string, string>;
beforeAll(async () => {
  const values = { 'commit-status-sync': {}, 'gate-controller': {}, promoter: {} };
  const all = { ...values, 'gitops-responder': { configNamespace } };
  rendered = helm === undefined ? new Map() : await renderCharts(helm, systemNamespace, all);
  cluster = await startEmbeddedCluster();
  client = cluster.connect('test');
});
afterAll(async () => {
  await client.close();
  await cluster.close();
});

interface WithRules {
  metadata: { namespace?: string };
  rules?: unknown;
}

/** Returns the permissions of roles: the namespace, and each rule. */
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

/** Roles for users are aggregated into the roles of Kubernetes. */
function isRoleOfApp({ kind, metadata }: Manifest): boolean {
  const isForUsers = Object.keys(metadata.labels ?? {}).some((key) => key.includes('/aggregate-to-'));
  return /^(Cluster)?Role$/.test(kind) && !isForUsers;
}

describeWithHelm('the fleet of processes', () => {
  it.each(appCharts)('grants %s exactly the permissions that its chart grants', async (app) => {
    const roles = parseManifests(rendered.get(app) ?? '').filter(isRoleOfApp);
    for (const namespace of [systemNamespace, configNamespace]) await ensureNamespace(client, namespace);
    await installIdentity(client, app);
    const isOf = ({ metadata: { name } }: KubeObject) =>
      name === `interlock-${app}` || name.startsWith(`${app}-`);
    const installed = [
      ...(await client.list<KubeObject & WithRules>(ClusterRole)).items,
      ...(await client.list<KubeObject & WithRules>(Role)).items,
    ].filter(isOf);
    expect(rightsOf(installed)).toEqual(rightsOf(roles));
    expect(installed.length).toBeGreaterThan(1);
  });
});
