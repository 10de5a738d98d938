import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { createClient, Namespace, Secret, type Client } from '@interlock/kube';
import { kubeconfigOf } from './testing/account.js';
import { openCluster, type TestCluster } from './testing/cluster.js';
import { everything } from './testing/values.js';
import {
  describeWithHelm,
  workshopNamespace,
  only,
  useWorkshop,
  type Manifest,
  type Values,
} from './testing/workshop.js';

const app = 'gitops-responder';
const configNamespace = 'ugallu-system';
const everywhere = '*';

const workshop = useWorkshop();

const render = (values?: Values, release?: string): Promise<Manifest[]> =>
  workshop.render(app, values, release);

interface Rule {
  apiGroups: string[];
  resources: string[];
  verbs: string[];
}

/** Returns the permissions of roles: namespace, resource and verbs, without resource names. */
function rightsOf(manifests: readonly Manifest[]): string[] {
  return manifests
    .filter(({ kind }) => kind === 'Role' || kind === 'ClusterRole')
    .flatMap(({ metadata, ...role }) =>
      (role['rules'] as Rule[]).flatMap(({ apiGroups, resources, verbs, ...more }) => {
        expect(more).toEqual({});
        return apiGroups.flatMap((group) =>
          resources.map(
            (resource) => `${metadata.namespace ?? everywhere} ${group}/${resource} ${verbs.join(' ')}`,
          ),
        );
      }),
    )
    .sort();
}

/* The table of the page, with the namespaces of Secrets and of the status of configurations. */
const ofThePage = [
  `${everywhere} security.ugallu.io/eventresponses get list watch patch`,
  `${everywhere} security.ugallu.io/eventresponses/status update patch`,
  `${everywhere} security.ugallu.io/securityevents get list watch`,
  `${everywhere} security.ugallu.io/gitopsresponderconfigs get list watch`,
  `${everywhere} /events create patch`,
  `${everywhere} events.k8s.io/events create patch`,
  `${configNamespace} /secrets get list watch`,
  `${configNamespace} security.ugallu.io/gitopsresponderconfigs/status update patch`,
  `${workshopNamespace} coordination.k8s.io/leases get list watch create update patch delete`,
];
const gates = [`${everywhere} gating.toolkit.fluxcd.io/gates get list watch`];
const flux = [
  `${everywhere} kustomize.toolkit.fluxcd.io/kustomizations get`,
  `${everywhere} helm.toolkit.fluxcd.io/helmreleases get`,
  `${everywhere} source.toolkit.fluxcd.io/gitrepositories get`,
];
const argocd = [`${everywhere} argoproj.io/applications list`];
const subjects = ['clusterroles', 'clusterrolebindings', 'roles', 'rolebindings'].map(
  (resource) => `${everywhere} rbac.authorization.k8s.io/${resource} get`,
);
const hosts = [`${everywhere} promoter.argoproj.io/clusterscmproviders get list watch`];
const nothingMore = {
  scmHosts: ['git.example.com'],
  gates: { enabled: false },
  locate: { flux: false, argocd: false, subjects: [] },
};

describeWithHelm('the responder', () => {
  it.each<[string, Values, string[]]>([
    ['the documentation', nothingMore, []],
    ['the documentation and of the hosts of ClusterScmProviders', { ...nothingMore, scmHosts: [] }, hosts],
    ['the documentation and of gates', { ...nothingMore, gates: { enabled: true } }, gates],
    [
      'the documentation and of Flux',
      { ...nothingMore, locate: { ...nothingMore.locate, flux: true } },
      flux,
    ],
    [
      'the documentation and of Argo CD',
      { ...nothingMore, locate: { ...nothingMore.locate, argocd: true } },
      argocd,
    ],
    [
      'the documentation and of pods',
      {
        ...nothingMore,
        locate: { ...nothingMore.locate, subjects: [{ apiGroups: ['', 'apps'], resources: ['pods'] }] },
      },
      [`${everywhere} /pods get`, `${everywhere} apps/pods get`],
    ],
    [
      'the documentation and, by default, of all features',
      {},
      [...hosts, ...gates, ...flux, ...argocd, ...subjects],
    ],
  ])('has exactly the permissions of %s', async (_, values, more) => {
    const granted = rightsOf(await render({ ...values, configNamespace }));
    expect(granted).toEqual([...ofThePage, ...more].sort());
  });

  it('has the flags that its values specify', async () => {
    const argsOf = async (values: Values) => {
      const { template } = only(await render(values), 'Deployment')['spec'] as {
        template: { spec: { containers: [{ args: string[] }] } };
      };
      return template.spec.containers[0].args;
    };
    expect(await argsOf({})).toEqual(
      expect.arrayContaining([
        '--responder-name=ugallu-gitops-responder',
        `--config-namespace=${workshopNamespace}`,
        '--cluster-id=',
        '--cluster-name=',
        '--max-attempts=0',
      ]),
    );
    expect(await argsOf({ ...everything(app), configNamespace })).toEqual(
      expect.arrayContaining([
        '--responder-name=responder.north',
        `--config-namespace=${configNamespace}`,
        '--cluster-id=c-1',
        '--cluster-name=Production, EU: "north"',
        '--max-attempts=5',
        '--poll-interval=5m',
        '--scm-hosts=git.example.com,forge.example.com:8443',
        '--allow-http=true',
      ]),
    );
  });

  it('has priority over other pods', async () => {
    expect(only(await render(), 'Deployment')).toMatchObject({
      spec: { template: { spec: { priorityClassName: 'system-cluster-critical' } } },
    });
  });

  it('can be installed several times with different responder names', async () => {
    const clusterWide = async (values: Values, release: string): Promise<string[]> =>
      (await render(values, release))
        .filter(({ metadata }) => metadata.namespace === undefined)
        .map(({ kind, metadata }) => `${kind}/${metadata.name}`);
    const one = await clusterWide({}, 'one');
    const other = await clusterWide({ responderName: 'other' }, 'other');
    expect(one).toContain('ClusterRole/interlock-gitops-responder');
    expect(await clusterWide({}, 'two')).toEqual(one);
    expect(other).toHaveLength(one.length);
    expect(other.filter((name) => one.includes(name))).toEqual([]);
  });
});

describeWithHelm('the account of the responder', () => {
  let cluster: TestCluster;
  let client: Client;
  beforeAll(async () => {
    cluster = await openCluster();
    for (const name of [configNamespace, 'shop']) {
      await cluster.client.apply(Namespace, { metadata: { name } }, { fieldManager: 'charts' });
    }
    for (const namespace of [configNamespace, workshopNamespace, 'shop'])
      await cluster.client.create(Secret, {
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: { name: 'token', namespace },
      });
    await cluster.apply(await workshop.render('interlock-crds'));
    await cluster.apply(await render({ configNamespace }));
    const kubeConfig = await kubeconfigOf(cluster, `demo-${app}`);
    client = createClient({ kubeConfig, userAgent: 'charts', defaultFieldManager: 'charts' });
  });
  afterAll(async () => {
    await client.close();
    await cluster.close();
  });

  const get = (path: string): Promise<unknown> => client.raw({ method: 'GET', path });

  it('reads the Secrets of the configurations', async () => {
    const path = `/api/v1/namespaces/${configNamespace}/secrets`;
    expect(await get(path)).toMatchObject({ items: [{ metadata: { name: 'token' } }] });
    expect(await get(`${path}/token`)).toMatchObject({ metadata: { name: 'token' } });
  });

  it.each([
    '/api/v1/secrets',
    '/api/v1/namespaces/shop/secrets',
    '/api/v1/namespaces/shop/secrets/token',
    `/api/v1/namespaces/${workshopNamespace}/secrets/token`,
  ])('may not access %s', async (path) => {
    await expect(get(path)).rejects.toThrow(/forbidden|cannot (get|list)/i);
  });

  it('can write the status of a response, but not the response itself', async () => {
    const group = '/apis/security.ugallu.io/v1alpha1';
    const body = {
      apiVersion: 'security.ugallu.io/v1alpha1',
      kind: 'EventResponse',
      metadata: { name: 'er-1' },
      spec: { responder: { name: 'x' }, action: { type: 'GitOpsChange' } },
    };
    const path = `${group}/eventresponses`;
    await expect(client.raw({ method: 'POST', path, body })).rejects.toThrow(/forbidden|cannot create/i);
    await cluster.client.raw({ method: 'POST', path, body });
    const status = { status: { phase: 'Pending' } };
    const contentType = 'application/merge-patch+json';
    expect(
      await client.raw({ method: 'PATCH', path: `${path}/er-1/status`, contentType, body: status }),
    ).toMatchObject(status);
  });
});
