import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { PromotionStrategy } from '@interlock/api';
import { ClusterRole, CustomResourceDefinition, Deployment, ServiceAccount } from '@interlock/kube';
import { limitedTo } from './testing/capabilities.js';
import { openCluster, type TestCluster } from './testing/cluster.js';
import { everything } from './testing/values.js';
import {
  apps,
  describeWithHelm,
  workshopNamespace,
  openWorkshop,
  type Workshop,
} from './testing/workshop.js';

let cluster: TestCluster;
let workshop: Workshop;
let folder: string;
beforeEach(async () => {
  cluster = await openCluster();
  workshop = await openWorkshop();
  ({ folder } = workshop);
});
afterEach(async () => {
  workshop.close();
  await cluster.close();
});

/*
 * Resources that the embedded cluster does not serve: parts of Kubernetes that do not affect the apps, and kinds of
 * other projects.
 */
const optional = ['HTTPRoute', 'Ingress', 'NetworkPolicy', 'PodDisruptionBudget', 'ServiceMonitor'];

/** Runs Helm against the cluster. */
async function helm(command: string, release: string, ...args: string[]): Promise<string> {
  const limits =
    command === 'uninstall'
      ? []
      : ['--set=gitops-responder.enabled=true', ...(await limitedTo(cluster, 'interlock'))];
  const target = [`--kubeconfig=${cluster.writeKubeconfig(folder)}`, `--namespace=${workshopNamespace}`];
  return workshop.helm.output([command, release, ...args, ...target, ...limits]);
}

const key = (name: string) => ({ namespace: workshopNamespace, name });
const strategies = `${PromotionStrategy.plural}.${PromotionStrategy.group}`;
const strategiesFile = `charts/interlock-crds/crds/${PromotionStrategy.group}_${PromotionStrategy.plural}.yaml`;

describeWithHelm('the manifests', () => {
  it.each(apps)('of %s are accepted by the API server', async (app) => {
    for (const values of [{}, everything(app), { leaderElect: false }, {}]) {
      const unknown = await cluster.apply(await workshop.render(app, values));
      expect(optional).toEqual(expect.arrayContaining([...unknown]));
    }
  });
});

describeWithHelm('the umbrella chart', () => {
  it('can be installed, upgraded and uninstalled, and keeps the definitions with all resources', async () => {
    await helm('install', 'interlock', 'charts/interlock');
    for (const app of apps) {
      expect(await cluster.client.get(Deployment, key(`interlock-${app}`))).toMatchObject({
        spec: { replicas: 1 },
      });
    }
    const served = await cluster.client.get(CustomResourceDefinition, { name: strategies });
    expect(served.metadata.annotations).toMatchObject({ 'helm.sh/resource-policy': 'keep' });

    await helm('upgrade', 'interlock', 'charts/interlock', '--set=promoter.logLevel=debug');
    expect(JSON.stringify(await cluster.client.get(Deployment, key('interlock-promoter')))).toContain(
      '--log-level=debug',
    );

    for (const leaderElect of ['false', 'true'])
      await helm('upgrade', 'interlock', 'charts/interlock', `--set=promoter.leaderElect=${leaderElect}`);

    await helm('uninstall', 'interlock');
    for (const app of apps) {
      await expect(cluster.client.get(Deployment, key(`interlock-${app}`))).rejects.toThrow('not found');
      await expect(cluster.client.get(ServiceAccount, key(`interlock-${app}`))).rejects.toThrow('not found');
      await expect(cluster.client.get(ClusterRole, { name: `interlock-${app}` })).rejects.toThrow(
        'not found',
      );
    }
    const kept = await cluster.client.get(CustomResourceDefinition, { name: strategies });
    expect(kept.metadata.uid).toBe(served.metadata.uid);
    await helm('install', 'interlock', 'charts/interlock');
  });

  it('upgrades the definitions with the apps', async () => {
    const path = join(folder, strategiesFile);
    const present = readFileSync(path, 'utf8');
    writeFileSync(path, present.replace('shortNames:\n', 'shortNames:\n      - former\n'));
    await workshop.helm.output(['dependency', 'build', 'charts/interlock']);
    await helm('install', 'interlock', 'charts/interlock');
    const shortNames = async () =>
      (await cluster.client.get(CustomResourceDefinition, { name: strategies })).spec.names.shortNames;
    const before = await shortNames();
    expect(before).toContain('former');

    writeFileSync(path, present);
    await workshop.helm.output(['dependency', 'build', 'charts/interlock']);
    await helm('upgrade', 'interlock', 'charts/interlock');
    expect(await shortNames()).toEqual(before?.filter((name) => name !== 'former'));
  });

  it('cannot be installed a second time in a cluster', async () => {
    await helm('install', 'interlock', 'charts/interlock');
    await expect(
      helm('install', 'other', 'charts/interlock', '--set=interlock-crds.enabled=false'),
    ).rejects.toThrow(/ClusterRole "interlock-[a-z-]+" .* exists and cannot be imported/);
  });
});
