import { readFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { ActionsGateway, RunnerGroup, type KubeObject } from '@interlock/api';
import {
  createClient,
  Deployment,
  Namespace,
  NetworkPolicy,
  Pod,
  RoleBinding,
  Secret,
  Service,
  ServiceAccount,
  ValidatingWebhookConfiguration,
  type Client,
} from '@interlock/kube';
import { eventually } from '@interlock/kube/testing';
import { ensureNamespace, installCustomResources, type Cluster } from '@interlock/stack';
import {
  defaults,
  gatewayAcceptances,
  gatewayRefusals,
  groupAcceptances,
  groupDefaults,
  groupRefusals,
  groupWebhookRefusals,
  groupPolicyRefusals,
  policyRefusals,
  webhookRefusals,
} from './support/gateway-fields.js';
import { leastGateway, leastGroup, rowsOf, withField } from './support/gateway-objects.js';
import {
  installGmcIdentity,
  installGmcPolicies,
  startGmc,
  webhookConfiguration,
  type GmcProcess,
} from './support/gmc.js';
import { namespaces, needsControllers, openTestCluster, tenantName } from './support/test-cluster.js';

const namespace = tenantName('tenant');
const stranger = tenantName('no-tenant');
const privateKey = '-----BEGIN RSA PRIVATE KEY-----\nA\n-----END RSA PRIVATE KEY-----\n';
const fieldManager = 'e2e';
const startMs = 60_000;
const downgrade = 'actions-gateway.github.com/allow-profile-downgrade';

let folder: string;
let cluster: Cluster;
let client: Client;
let gmc: GmcProcess;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'interlock-e2e-gmc-'));
  cluster = await openTestCluster();
  client = cluster.connect('e2e');
  await installCustomResources(client);
  await ensureNamespace(client, namespaces.system);
  await installGmcIdentity(client);
  gmc = await startGmc(client, cluster, folder);
  const labels = { 'actions-gateway.github.com/tenant': 'true' };
  await client.apply(Namespace, { metadata: { name: namespace, labels } }, { fieldManager });
  await client.apply(Namespace, { metadata: { name: stranger } }, { fieldManager });
  await eventually(() => tryOut(leastGateway(namespace)), startMs);
}, 120_000);

afterAll(async () => {
  await gmc.process.stop();
  for (const name of [namespace, stranger]) await client.delete(Namespace, { name });
  await client.close();
  await cluster.close();
  await rm(folder, { recursive: true, force: true });
}, 120_000);

/** Creates an object in a dry run. */
function tryOut(object: KubeObject): Promise<KubeObject> {
  const kind = object.kind === RunnerGroup.kind ? RunnerGroup : ActionsGateway;
  return client.create<KubeObject>(kind, object, { dryRun: true });
}

/** Returns the message of the refusal of an object, or an empty text if it is accepted. */
function refusalOf(object: KubeObject): Promise<string> {
  return tryOut(object).then(
    () => '',
    (error: Error) => error.message,
  );
}

describe('the API server and the webhook', () => {
  test.each(
    rowsOf(namespace, [...gatewayRefusals, ...webhookRefusals], [...groupRefusals, ...groupWebhookRefusals]),
  )('refuse $title with the field', async ({ field, message, object }) => {
    const refusal = await refusalOf(object);
    expect(refusal).toContain(field);
    expect(refusal).toMatch(message);
  });

  test.each(rowsOf(namespace, gatewayAcceptances, groupAcceptances))('accept $title', async ({ object }) => {
    await expect(tryOut(object)).resolves.toBeDefined();
  });

  test('set the documented defaults', async () => {
    const { spec } = (await tryOut(leastGateway(namespace))) as ActionsGateway;
    expect(spec).toMatchObject({ ...defaults, runnerGroups: [groupDefaults] });
    expect(((await tryOut(leastGroup(namespace))) as RunnerGroup).spec).toMatchObject(groupDefaults);
  });

  test.each(['kube-system', 'kube-public', namespaces.system])(
    'refuse the namespace %s',
    async (reserved) => {
      await expect(tryOut(leastGateway(reserved))).rejects.toThrow(
        `metadata.namespace: Invalid value: "${reserved}": namespace ${reserved} is reserved`,
      );
    },
  );
});

async function condition(type: string) {
  const { status } = await client.get(ActionsGateway, { name: 'gateway', namespace });
  return status?.conditions?.find((one) => one.type === type);
}

/** Changes the gateway, or validates the change in a dry run. */
function change(patch: object, dryRun = true): Promise<ActionsGateway> {
  return client.patch(ActionsGateway, { name: 'gateway', namespace }, { type: 'merge', patch }, { dryRun });
}

describe('an ActionsGateway', () => {
  beforeAll(() => installGmcPolicies(client));

  test('results in the objects of a tenant, with the permissions of the chart and within its policies', async () => {
    const gateway = withField(leastGateway(namespace), 'spec.securityProfile', 'restricted');
    await client.create(ActionsGateway, gateway as ActionsGateway);
    await eventually(async () => {
      const deployments = await client.list(Deployment, { namespace });
      expect(deployments.items.map(({ metadata }) => metadata.name).sort()).toEqual([
        'actions-gateway-controller',
        'actions-gateway-proxy',
      ]);
      expect((await client.list(NetworkPolicy, { namespace })).items).toHaveLength(3);
      expect((await client.list(RunnerGroup, { namespace })).items).toHaveLength(1);
      const { data } = await client.get(Secret, { name: 'actions-gateway-proxy-tls', namespace });
      expect(data).toHaveProperty(['tls.crt']);
    }, startMs);
    await eventually(async () =>
      expect(await condition('CredentialUnavailable')).toMatchObject({
        status: 'True',
        reason: 'SecretNotFound',
      }),
    );
    expect(await condition('EgressRulesStale')).toMatchObject({ status: 'True', reason: 'RefreshPending' });
    const stringData = { appId: '1', installationId: '2', privateKey };
    await client.apply(Secret, { metadata: { name: 'github-app', namespace }, stringData }, { fieldManager });
    await eventually(
      async () => expect(await condition('CredentialUnavailable')).toMatchObject({ status: 'False' }),
      startMs,
    );
    expect(await condition('Degraded')).toMatchObject({ status: 'False' });
  }, 180_000);

  test('has pods that comply with the level restricted', async () => {
    const { metadata } = await client.get(Namespace, { name: namespace });
    expect(metadata.labels).toMatchObject({ 'pod-security.kubernetes.io/enforce': 'restricted' });
    const { items } = await client.list(Deployment, { namespace });
    for (const { metadata: own, spec } of items) {
      const { metadata: template = {}, spec: podSpec } = spec?.template ?? {};
      const pod = (changes: object) =>
        client.create<KubeObject>(
          Pod,
          {
            ...{ apiVersion: 'v1', kind: 'Pod', spec: { ...podSpec, ...changes } },
            metadata: { ...template, name: own.name, namespace },
          } as KubeObject,
          { dryRun: true },
        );
      await expect(pod({})).resolves.toBeDefined();
      await expect(pod({ hostNetwork: true })).rejects.toThrow('violates PodSecurity "restricted:latest"');
    }
  });

  test('is the only ActionsGateway of its namespace', async () => {
    await expect(tryOut(leastGateway(namespace, 'second'))).rejects.toThrow(
      `namespace ${namespace} already has the gateway gateway`,
    );
  });

  test('accepts a weaker profile only with the annotation', async () => {
    const weaker = { spec: { securityProfile: 'baseline' } };
    await expect(change(weaker)).rejects.toThrow(`is weaker than`);
    const annotations = { [downgrade]: 'true' };
    await expect(change({ metadata: { annotations }, ...weaker })).resolves.toBeDefined();
    await expect(change({ spec: { runnerGroups: [{ name: 'other' }] } })).rejects.toThrow(
      'runnerLabels: Required',
    );
  });

  test('leaves no objects when it is deleted', async () => {
    await client.delete(ActionsGateway, { name: 'gateway', namespace });
    await eventually(async () => {
      const gone = client.get(ActionsGateway, { name: 'gateway', namespace });
      await expect(gone).rejects.toMatchObject({ type: 'NotFound' });
      for (const kind of [Deployment, RunnerGroup, NetworkPolicy, Service, RoleBinding])
        expect((await client.list<KubeObject>(kind, { namespace })).items).toEqual([]);
      const accounts = await client.list(ServiceAccount, { namespace });
      expect(accounts.items.map(({ metadata }) => metadata.name)).not.toContain('actions-gateway-worker');
    }, startMs);
    expect(await readFile(gmc.logFile, 'utf8')).not.toContain('is forbidden');
  });

  needsControllers('the Secrets go with their owner', () => {
    test('leaves no Secret of the gmc', async () => {
      await eventually(async () => {
        const { items } = await client.list(Secret, { namespace });
        expect(items.map(({ metadata }) => metadata.name)).toEqual(['github-app']);
      }, startMs);
    });
  });
});

describe('the policies without a webhook', () => {
  let own: Client;
  beforeAll(async () => {
    own = createClient({ kubeConfig: gmc.kubeconfig, userAgent: 'e2e', defaultFieldManager: 'e2e' });
    await installGmcPolicies(client);
    await client.delete(ValidatingWebhookConfiguration, { name: webhookConfiguration });
    const refused = withField(leastGateway(stranger), 'spec.gitHubURL', 'https://github.com');
    await eventually(() => tryOut(refused), startMs);
  });
  afterAll(() => own.close());

  test.each(rowsOf(stranger, policyRefusals, groupPolicyRefusals))(
    'refuse $title',
    async ({ object, message }) => {
      expect(await refusalOf(object)).toMatch(message);
    },
  );

  test('refuse a weaker profile without the annotation', async () => {
    const gateway = withField(leastGateway(stranger), 'spec.securityProfile', 'restricted');
    await client.create(ActionsGateway, gateway as ActionsGateway);
    const weaken = (metadata: object) =>
      client.patch(
        ActionsGateway,
        { name: 'gateway', namespace: stranger },
        { type: 'merge', patch: { metadata, spec: { securityProfile: 'baseline' } } },
        { dryRun: true },
      );
    await expect(weaken({})).rejects.toThrow('securityProfile is weaker than before');
    await expect(weaken({ annotations: { [downgrade]: 'true' } })).resolves.toBeDefined();
  });

  test('do not hold a gateway whose profile the platform team has revoked', async () => {
    const label = 'actions-gateway.github.com/privileged-profile';
    const allow = (value: string | null) =>
      client.patch(
        Namespace,
        { name: stranger },
        { type: 'merge', patch: { metadata: { labels: { [label]: value } } } },
      );
    await allow('allowed');
    const gateway = withField(leastGateway(stranger, 'revoked'), 'spec.securityProfile', 'privileged');
    const finalizers = ['example.com/teardown'];
    await client.create(ActionsGateway, {
      ...(gateway as ActionsGateway),
      metadata: { ...gateway.metadata, finalizers },
    });
    await allow(null);
    const key = { name: 'revoked', namespace: stranger };
    await client.delete(ActionsGateway, key);
    const release = { type: 'merge', patch: { metadata: { finalizers: [] } } } as const;
    await client.patch(ActionsGateway, key, release);
    await expect(client.get(ActionsGateway, key)).rejects.toMatchObject({ type: 'NotFound' });
  });

  test('restrict the gmc to the namespaces of tenants, and to their Pod Security labels', async () => {
    const options = { fieldManager: 'other', dryRun: true } as const;
    const createIn = (where: string) =>
      own.apply(ServiceAccount, { metadata: { name: 'x', namespace: where } }, options);
    await expect(createIn(namespace)).resolves.toBeDefined();
    await expect(createIn(stranger)).rejects.toThrow('the gmc writes only in namespaces with the label');
    const label = (name: string, key: string) =>
      own.apply(Namespace, { metadata: { name, labels: { [key]: 'baseline' } } }, options);
    await expect(label(namespace, 'pod-security.kubernetes.io/warn')).resolves.toBeDefined();
    await expect(label(stranger, 'pod-security.kubernetes.io/warn')).rejects.toThrow(
      'the gmc changes only namespaces with the label',
    );
    await expect(label(namespace, 'team')).rejects.toThrow('the gmc changes only the labels of Pod Security');
    const change = (metadata: object) =>
      own.apply(Namespace, { metadata: { name: namespace, ...metadata } }, options);
    await expect(change({ annotations: { team: 'x' } })).rejects.toThrow(
      'the gmc does not change the annotations of namespaces',
    );
    await expect(change({ finalizers: ['example.com/stay'] })).rejects.toThrow(
      'the gmc does not change the finalizers of namespaces',
    );
  });
});
