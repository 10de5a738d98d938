import { execFile, spawnSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { rootCertificates } from 'node:tls';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ActionsGateway, RunnerGroup, runnerFinalizers } from '@interlock/api';
import {
  ConfigMap,
  Deployment,
  Event,
  Namespace,
  NetworkPolicy,
  PodDisruptionBudget,
  RoleBinding,
  Secret,
  Service,
  type Client,
} from '@interlock/kube';
import { eventually, type TestManager } from '@interlock/kube/testing';
import { ownedOptions } from '../src/caches.js';
import { groupOf } from '../src/testing/builders.js';
import { Tenants } from './harness/tenants.js';

let tenants: Tenants;
let client: Client;
let gmc: TestManager;

beforeAll(async () => {
  tenants = await Tenants.start();
  ({ client } = tenants);
  gmc = tenants.startGmc();
});
afterAll(async () => {
  await gmc.stop();
  await tenants.close();
});

const hasKubectl = spawnSync('kubectl', ['version', '--client']).status === 0;
if (!hasKubectl) process.stdout.write('skipped: kubectl is not on this machine\n');

describe('an ActionsGateway', () => {
  it('becomes a tenant with running pods, and is then not written again', async () => {
    await tenants.createTenant('team-a', { runnerGroups: [groupOf()] });
    await tenants.createSecret('team-a');
    await tenants.untilReady('team-a');
    const { metadata } = await client.get(Namespace, { name: 'team-a' });
    expect(metadata.labels).toMatchObject({ 'pod-security.kubernetes.io/enforce': 'baseline' });
    expect(await client.get(RunnerGroup, { name: 'gateway-linux', namespace: 'team-a' })).toMatchObject({
      spec: { runnerLabels: ['self-hosted', 'linux'] },
    });
    await gmc.rest();
    const before = await tenants.versionsOf('team-a');
    await client.patch(
      Namespace,
      { name: 'team-a' },
      { type: 'merge', patch: { metadata: { annotations: { check: 'again' } } } },
    );
    await gmc.rest();
    expect(await tenants.versionsOf('team-a')).toEqual(before);
  });

  it('is not written again by a gmc that starts later', async () => {
    const before = await tenants.versionsOf('team-a');
    const later = tenants.startGmc();
    await later.rest().finally(() => later.stop());
    expect(await tenants.versionsOf('team-a')).toEqual(before);
  });

  it('costs no memory for the rules of its NetworkPolicies, which list all networks of GitHub', () => {
    const cached = gmc.manager
      .cache(NetworkPolicy, ownedOptions(NetworkPolicy))
      .list({ namespace: 'team-a' });
    expect(cached.map((policy) => Object.keys(policy).includes('spec'))).toEqual([false, false, false]);
  });

  it('deletes objects that are no longer required, and reverts changes by other clients', async () => {
    const key = { name: 'actions-gateway-workload', namespace: 'team-a' };
    await client.patch(NetworkPolicy, key, { type: 'merge', patch: { spec: { egress: [{}] } } });
    await eventually(async () => expect((await client.get(NetworkPolicy, key)).spec?.egress).toHaveLength(2));
    const proxy = { name: 'actions-gateway-proxy', namespace: 'team-a' };
    await client.patch(Deployment, proxy, { type: 'merge', patch: { spec: { replicas: 0 } } });
    await eventually(async () => expect((await client.get(Deployment, proxy)).spec?.replicas).toBe(2));
    await tenants.change('team-a', { runnerGroups: [groupOf({ name: 'gpu' })] });
    await eventually(async () => {
      const { items } = await client.list(RunnerGroup, { namespace: 'team-a' });
      expect(items.map(({ metadata }) => metadata.name)).toEqual(['gateway-gpu']);
    });
  });

  it('reverts a change that server-side apply cannot override, and those of objects that are applied later', async () => {
    const budget = { name: 'actions-gateway-proxy', namespace: 'team-a' };
    const binding = { name: 'actions-gateway-controller', namespace: 'team-a' };
    await client.patch(RoleBinding, binding, { type: 'merge', patch: { subjects: [] } });
    const spec = { maxUnavailable: null, minAvailable: 1 };
    await client.patch(PodDisruptionBudget, budget, { type: 'merge', patch: { spec } });
    await eventually(async () => {
      const { spec } = await client.get(PodDisruptionBudget, budget);
      expect([spec?.minAvailable, spec?.maxUnavailable]).toEqual([undefined, 1]);
      expect((await client.get(RoleBinding, binding)).subjects).toHaveLength(1);
    });
  });

  it('reverts a list whose entries cannot be stored together with its own, and keeps what other clients set elsewhere', async () => {
    const proxy = { name: 'actions-gateway-proxy', namespace: 'team-a' };
    const spec = { ports: [{ name: 'proxy', port: 9090, targetPort: 'proxy' }], sessionAffinity: 'ClientIP' };
    await client.patch(Service, proxy, { type: 'merge', patch: { spec } });
    const path = '/spec/template/spec/containers/0/env/0';
    const valueFrom = { fieldRef: { fieldPath: 'metadata.name' } };
    await client.patch(Deployment, proxy, {
      type: 'json',
      patch: [
        { op: 'replace', path, value: { name: 'PROXY_TENANT', valueFrom } },
        { op: 'replace', path: '/spec/replicas', value: 3 },
      ],
    });
    await eventually(async () => {
      const { ports, sessionAffinity } = (await client.get(Service, proxy)).spec ?? {};
      expect([ports?.map(({ port }) => port), sessionAffinity]).toEqual([[8080], 'ClientIP']);
      const { replicas, template } = (await client.get(Deployment, proxy)).spec ?? {};
      expect(template?.spec?.containers[0]?.env?.[0]).toEqual({ name: 'PROXY_TENANT', value: 'team-a' });
      expect(replicas).toBe(3);
    });
  });

  it('reports which key of its Secret is missing, and continues when the key exists', async () => {
    await tenants.createTenant('team-b');
    await eventually(async () =>
      expect(await tenants.condition('team-b', 'CredentialUnavailable')).toMatchObject({
        status: 'True',
        reason: 'SecretNotFound',
      }),
    );
    await tenants.createSecret('team-b', { installationId: '' });
    await eventually(
      async () =>
        expect((await tenants.condition('team-b', 'CredentialUnavailable'))?.message).toContain(
          'installationId',
        ),
      60_000,
    );
  });

  it('gets a copy of a credential of another namespace, which follows the credential and reverts other changes', async () => {
    await client.create(Namespace, { metadata: { name: 'shared' } } as Namespace);
    await tenants.createSecret('shared');
    await tenants.createTenant('team-d', { gitHubAppRef: { name: 'github-app', namespace: 'shared' } });
    await tenants.untilReady('team-d');
    const key = { name: 'actions-gateway-credential', namespace: 'team-d' };
    const appIdOf = async (): Promise<string> =>
      Buffer.from((await client.get(Secret, key)).data?.['appId'] ?? '', 'base64').toString();
    expect(await appIdOf()).toBe('1');
    const { spec } = await client.get(Deployment, {
      name: 'actions-gateway-controller',
      namespace: 'team-d',
    });
    expect(JSON.stringify(spec?.template.spec?.volumes)).toContain(
      '"secretName":"actions-gateway-credential"',
    );
    await tenants.createSecret('shared', { appId: '7' });
    await tenants.change('team-d', { logLevel: 'debug' });
    await eventually(async () => expect(await appIdOf()).toBe('7'));
    await client.patch(Secret, key, { type: 'merge', patch: { data: { appId: btoa('666') } } });
    await tenants.change('team-d', { logLevel: 'info' });
    await eventually(async () => expect(await appIdOf()).toBe('7'));
  });

  (hasKubectl ? it : it.skip)('reports Ready to kubectl wait', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'interlock-gmc-'));
    const kubeconfig = join(folder, 'kubeconfig');
    await writeFile(kubeconfig, tenants.cluster.kubeconfig);
    await tenants.createTenant('team-e');
    const args = ['wait', '--for=condition=Ready', 'actionsgateway/gateway', '-n', 'team-e', '--timeout=60s'];
    const options = { timeout: 70_000, env: { ...process.env, HOME: folder } };
    const waited = promisify(execFile)('kubectl', [`--kubeconfig=${kubeconfig}`, ...args], options);
    await tenants.createSecret('team-e');
    expect((await waited).stdout).toBe('actionsgateway.actions-gateway.github.com/gateway condition met\n');
    await rm(folder, { recursive: true });
  });

  it('reports certificate authorities that cannot be used, and rolls its controller when they change', async () => {
    const [first = '', second = ''] = rootCertificates;
    const key = { name: 'actions-gateway-controller', namespace: 'team-d' };
    /* ConfigMaps are not watched. */
    const write = async (authorities: string, logLevel: string): Promise<void> => {
      const metadata = { name: 'github-ca', namespace: 'team-d' };
      await client.apply(ConfigMap, { metadata, data: { 'ca.crt': authorities } }, { fieldManager: 'team' });
      await tenants.change('team-d', { gitHubCABundleRef: { name: 'github-ca' }, logLevel });
    };
    const digestOf = async (): Promise<string | undefined> =>
      (await client.get(Deployment, key)).spec?.template.metadata?.annotations?.[
        'actions-gateway.github.com/github-ca-bundle'
      ];
    await write('not a certificate', 'info');
    await eventually(async () =>
      expect(await tenants.condition('team-d', 'CABundleUnavailable')).toMatchObject({
        status: 'True',
        reason: 'CABundleInvalid',
      }),
    );
    expect(await digestOf()).toBeUndefined();
    await write(first, 'debug');
    await eventually(async () => expect(await digestOf()).toMatch(/^[0-9a-f]{16}$/));
    const before = await digestOf();
    await write(second, 'info');
    await eventually(async () => expect(await digestOf()).not.toBe(before));
    expect(await tenants.condition('team-d', 'CABundleUnavailable')).toMatchObject({ status: 'False' });
  });

  it('waits for the platform team if its namespace is not a tenant', async () => {
    await tenants.createTenant('team-c', {}, {});
    await eventually(async () =>
      expect(await tenants.condition('team-c', 'Ready')).toMatchObject({ reason: 'NamespaceNotAllowed' }),
    );
    expect((await client.list(Deployment, { namespace: 'team-c' })).items).toEqual([]);
  });

  it('deletes all objects after its RunnerGroups have removed their runners', async () => {
    const key = { name: 'gateway-gpu', namespace: 'team-a' };
    const finalizers = [runnerFinalizers.agentPoolCleanup];
    await client.patch(RunnerGroup, key, { type: 'merge', patch: { metadata: { finalizers } } });
    await client.delete(ActionsGateway, { name: 'gateway', namespace: 'team-a' });
    await eventually(async () =>
      expect((await client.get(RunnerGroup, key)).metadata.deletionTimestamp).toBeDefined(),
    );
    expect(await tenants.condition('team-a', 'Ready')).toMatchObject({ reason: 'Deleting' });
    expect((await client.list(Deployment, { namespace: 'team-a' })).items).toHaveLength(2);
    await client.patch(RunnerGroup, key, { type: 'merge', patch: { metadata: { finalizers: [] } } });
    await eventually(async () => {
      await expect(tenants.gateway('team-a')).rejects.toMatchObject({ type: 'NotFound' });
      expect([...(await tenants.objectsOf('team-a')).keys()]).toEqual([]);
    });
  });

  it('waits for its RunnerGroups even if their labels are removed while it is deleted', async () => {
    await tenants.createTenant('team-h', { runnerGroups: [groupOf()] });
    await tenants.createSecret('team-h');
    await tenants.untilReady('team-h');
    const key = { name: 'gateway-linux', namespace: 'team-h' };
    const metadata = { finalizers: [runnerFinalizers.agentPoolCleanup] };
    await client.patch(RunnerGroup, key, { type: 'merge', patch: { metadata } });
    await client.delete(ActionsGateway, { name: 'gateway', namespace: 'team-h' });
    await eventually(async () =>
      expect((await client.get(RunnerGroup, key)).metadata.deletionTimestamp).toBeDefined(),
    );
    await client.patch(RunnerGroup, key, { type: 'merge', patch: { metadata: { labels: null } } });
    await gmc.rest();
    expect((await client.list(Deployment, { namespace: 'team-h' })).items).toHaveLength(2);
    await client.patch(RunnerGroup, key, { type: 'merge', patch: { metadata: { finalizers: [] } } });
    await eventually(() => expect(tenants.gateway('team-h')).rejects.toMatchObject({ type: 'NotFound' }));
  });

  it('reports the RunnerGroups of its team, which its controller manages as well', async () => {
    await tenants.createTenant('team-g');
    await tenants.createSecret('team-g');
    await tenants.untilReady('team-g');
    const key = { name: 'own', namespace: 'team-g' };
    const head = { apiVersion: 'actions-gateway.github.com/v1alpha1', kind: 'RunnerGroup' };
    await client.create(RunnerGroup, { ...head, metadata: key, spec: groupOf() });
    const at = { lastTransitionTime: '2026-01-01T00:00:00Z', reason: 'Unauthorized', message: 'it is' };
    const status = { activeSessions: 3, conditions: [{ type: 'Degraded', status: 'True', ...at }] };
    await client.patch(RunnerGroup, key, { type: 'merge', patch: { status } }, { subresource: 'status' });
    await eventually(async () => {
      expect((await tenants.gateway('team-g')).status?.activeSessions).toBe(3);
      const { message } = (await tenants.condition('team-g', 'RunnerGroupsDegraded')) ?? {};
      expect(message).toBe('1 of 1 RunnerGroups report problems: own');
    });
  });

  it('keeps the number of controllers that its team sets', async () => {
    const key = { name: 'actions-gateway-controller', namespace: 'team-g' };
    const replicasOf = async () => (await client.get(Deployment, key)).spec?.replicas;
    expect(await replicasOf()).toBe(2);
    await client.patch(Deployment, key, { type: 'merge', patch: { spec: { replicas: 3 } } });
    await tenants.change('team-g', { logLevel: 'debug' });
    await tenants.untilReady('team-g');
    await gmc.rest();
    expect(JSON.stringify((await client.get(Deployment, key)).spec)).toContain('--log-level=debug');
    expect(await replicasOf()).toBe(3);
  });

  it('does not leave a RunnerGroup of its team that no controller can release', async () => {
    await tenants.createTenant('team-f');
    await tenants.createSecret('team-f');
    await tenants.untilReady('team-f');
    const key = { name: 'own', namespace: 'team-f' };
    const finalizers = [runnerFinalizers.agentPoolCleanup];
    const head = { apiVersion: 'actions-gateway.github.com/v1alpha1', kind: 'RunnerGroup' };
    await client.create(RunnerGroup, { ...head, metadata: { ...key, finalizers }, spec: groupOf() });
    await client.delete(ActionsGateway, { name: 'gateway', namespace: 'team-f' });
    await eventually(() => expect(tenants.gateway('team-f')).rejects.toMatchObject({ type: 'NotFound' }));
    expect((await client.get(RunnerGroup, key)).metadata.deletionTimestamp).toBeUndefined();
    await client.delete(RunnerGroup, key);
    await expect(client.get(RunnerGroup, key)).rejects.toMatchObject({ type: 'NotFound' });
    await eventually(async () => {
      const { items } = await client.list(Event, { namespace: 'team-f' });
      expect(items.map(({ reason, note }) => [reason, note])).toContainEqual([
        'TeardownIncomplete',
        expect.stringContaining('at GitHub: own;'),
      ]);
    });
  });

  it('emits no event for an internal error', async () => {
    const { items } = await client.list(Event, {});
    expect(items.filter(({ reason }) => reason === 'ProvisioningFailed')).toEqual([]);
  });
});
