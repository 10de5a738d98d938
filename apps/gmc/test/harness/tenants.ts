import { readFileSync } from 'node:fs';
import { ActionsGateway, type Condition, type KubeObject, type ObjectKey } from '@interlock/api';
import { systemClock, type Clock } from '@interlock/base';
import { startDevCluster, type DevCluster } from '@interlock/devcluster';
import { Registry } from 'prom-client';
import { createClient, CustomResourceDefinition, Namespace, Pod, Secret, type Client } from '@interlock/kube';
import { eventually, TestManager } from '@interlock/kube/testing';
import { parse } from 'yaml';
import { addGmc } from '../../src/app.js';
import { gatewayOf, tenantContext } from '../../src/testing/builders.js';

const crds = ['actionsgateways', 'runnergroups'].map(
  (plural) =>
    new URL(
      `../../../../charts/interlock-crds/crds/actions-gateway.github.com_${plural}.yaml`,
      import.meta.url,
    ),
);
const privateKey = '-----BEGIN RSA PRIVATE KEY-----\nA\n-----END RSA PRIVATE KEY-----\n';
const tenantLabels = { 'actions-gateway.github.com/tenant': 'true' };
const readyMs = 60_000;

/** The kinds of a tenant's objects, which are listed by the label of its gateway. */
const kinds = [
  'apps/v1/deployments',
  'v1/services',
  'v1/serviceaccounts',
  'networking.k8s.io/v1/networkpolicies',
  'v1/secrets',
  'policy/v1/poddisruptionbudgets',
  'autoscaling/v2/horizontalpodautoscalers',
  'rbac.authorization.k8s.io/v1/rolebindings',
  'actions-gateway.github.com/v1alpha1/runnergroups',
];

/** A cluster for tenants, in which pods become ready automatically. */
export class Tenants {
  private constructor(
    readonly cluster: DevCluster,
    readonly client: Client,
  ) {}

  static async start(): Promise<Tenants> {
    const cluster = await startDevCluster({
      nodes: [{ name: 'node', capacity: { cpu: '1000', memory: '4000Gi', pods: '5000' } }],
    });
    const client = connect(cluster, 'test');
    for (const crd of crds)
      await client.create(CustomResourceDefinition, parse(readFileSync(crd, 'utf8')) as never);
    return new Tenants(cluster, client);
  }

  /** Starts a GMC that is wired as in its process. @param wrap changes the client that the GMC uses */
  startGmc(wrap: (client: Client) => Client = (client) => client, clock: Clock = systemClock): TestManager {
    const gmc = new TestManager(wrap(connect(this.cluster, 'gmc')), clock, 'gmc');
    addGmc({
      ...{ manager: gmc.manager, log: gmc.log, random: gmc.random, installation: tenantContext.installation },
      policy: {
        allowedPriorityClasses: [],
        reservedNamespaces: ['kube-system'],
        credentialNamespaces: ['shared'],
      },
      readRanges: () => Promise.resolve(['140.82.112.0/20']),
      extraRanges: [],
      metrics: new Registry(),
    });
    gmc.run();
    return gmc;
  }

  /** Creates a namespace with a gateway. */
  async createTenant(
    namespace: string,
    spec: Partial<ActionsGateway['spec']> = {},
    labels: Record<string, string> = tenantLabels,
  ): Promise<void> {
    await this.createNamespace(namespace, labels);
    await this.createGateway(namespace, spec);
  }

  /** Creates a namespace with the labels of a tenant. */
  async createNamespace(name: string, labels: Record<string, string> = tenantLabels): Promise<void> {
    await this.client.create(Namespace, { metadata: { name, labels } } as Namespace);
  }

  /** Creates the gateway of a namespace. */
  async createGateway(namespace: string, spec: Partial<ActionsGateway['spec']> = {}): Promise<void> {
    const { apiVersion, kind, spec: complete } = gatewayOf(spec);
    await eventually(() =>
      this.client.create(ActionsGateway, {
        apiVersion,
        kind,
        metadata: { name: 'gateway', namespace },
        spec: complete,
      }),
    );
  }

  /** Writes the Secret of the GitHub App. */
  async createSecret(namespace: string, data: Record<string, string> = {}): Promise<void> {
    const stringData = { appId: '1', installationId: '2', privateKey, ...data };
    const metadata = { name: 'github-app', namespace };
    await this.client.apply(Secret, { metadata, stringData }, { fieldManager: 'team' });
  }

  /** Creates a pod with the labels of a worker pod, and returns its key. */
  async createWorker(namespace: string): Promise<ObjectKey> {
    const key = { name: 'runner-left', namespace };
    const labels = {
      'actions-gateway/component': 'workload',
      'app.kubernetes.io/name': 'actions-gateway-worker',
    };
    const head = { apiVersion: 'v1', kind: 'Pod' };
    const spec = { nodeName: 'node-1', containers: [{ name: 'runner', image: 'runner' }] };
    await this.client.create(Pod, { ...head, metadata: { ...key, labels }, spec });
    return key;
  }

  gateway(namespace: string): Promise<ActionsGateway> {
    return this.client.get(ActionsGateway, { name: 'gateway', namespace });
  }

  /** Changes the spec of a gateway. */
  async change(namespace: string, spec: object): Promise<void> {
    const key = { name: 'gateway', namespace };
    await this.client.patch(ActionsGateway, key, { type: 'merge', patch: { spec } });
  }

  /** Returns a condition of a gateway; undefined while the gateway has no condition of that type. */
  async condition(namespace: string, type: string): Promise<Condition | undefined> {
    return (await this.gateway(namespace)).status?.conditions?.find((one) => one.type === type);
  }

  /** Resolves when a gateway is ready in its current generation. */
  async untilReady(namespace: string, timeoutMs = readyMs): Promise<void> {
    await eventually(async () => {
      const { metadata, status } = await this.gateway(namespace);
      const ready = status?.conditions?.find(({ type }) => type === 'Ready');
      if (ready?.status !== 'True' || ready.observedGeneration !== metadata.generation)
        throw new Error(`${namespace} is not ready: ${ready?.message ?? 'no condition'}`);
    }, timeoutMs);
  }

  /** Returns the objects of a namespace that carry the label of a gateway, by kind and name. */
  async objectsOf(namespace: string): Promise<Map<string, KubeObject>> {
    const found = new Map<string, KubeObject>();
    for (const path of kinds) {
      const separator = path.lastIndexOf('/');
      const api = `${path.startsWith('v1/') ? '/api' : '/apis'}/${path.slice(0, separator)}`;
      const plural = path.slice(separator + 1);
      const selector = 'labelSelector=actions-gateway.github.com/gateway';
      const { items } = await this.client.raw<{ items: KubeObject[] }>({
        method: 'GET',
        path: `${api}/namespaces/${namespace}/${plural}?${selector}`,
      });
      for (const item of items) found.set(`${plural}/${item.metadata.name}`, item);
    }
    return found;
  }

  /** Returns the resource versions of the objects of a tenant. */
  async versionsOf(namespace: string): Promise<Record<string, string | undefined>> {
    const objects = await this.objectsOf(namespace);
    return Object.fromEntries([...objects].map(([id, { metadata }]) => [id, metadata.resourceVersion]));
  }

  /** Returns the objects of a tenant, without values that depend on the namespace or the time. */
  async shapeOf(namespace: string): Promise<Record<string, unknown>> {
    const objects = await this.objectsOf(namespace);
    const specOf = (object: KubeObject) => (object as KubeObject & { spec?: unknown }).spec;
    return Object.fromEntries(
      [...objects].map(([id, object]) => {
        const spec = id.startsWith('services/') ? 'has its own addresses' : specOf(object);
        const text = JSON.stringify(spec ?? {}).replaceAll(namespace, 'NAMESPACE');
        /* Each tenant has its own certificate authorities. */
        return [id, JSON.parse(text.replace(/(proxy-authorities":")[0-9a-f]{16}"/, '$1DIGEST"')) as unknown];
      }),
    );
  }

  async close(): Promise<void> {
    await this.client.close();
    await this.cluster.close();
  }
}

function connect({ kubeconfig }: DevCluster, name: string): Client {
  return createClient({
    kubeConfig: parse(kubeconfig) as object,
    userAgent: name,
    defaultFieldManager: name,
  });
}
