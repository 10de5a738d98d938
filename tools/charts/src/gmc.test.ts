import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { CustomResourceDefinition } from '@interlock/kube';
import { parse } from 'yaml';
import { openCluster, type TestCluster } from './testing/cluster.js';
import {
  describeWithHelm,
  isForUsers,
  workshopNamespace,
  only,
  root,
  useWorkshop,
  type Manifest,
  type Values,
} from './testing/workshop.js';

const read = (path: string): string => readFileSync(join(root, 'charts', path), 'utf8');
const digest = `sha256:${'0'.repeat(64)}`;
const least: Values = { tenantImages: { agc: { digest }, egressProxy: { digest } } };

const workshop = useWorkshop();

const render = (values: Values = {}): Promise<Manifest[]> => workshop.render('gmc', { ...least, ...values });

function argsOf(manifests: readonly Manifest[]): string[] {
  const { spec } = only(manifests, 'Deployment') as unknown as {
    spec: { template: { spec: { containers: [{ args: string[] }] } } };
  };
  return spec.template.spec.containers[0].args;
}

describeWithHelm('the chart of the gmc', () => {
  it('requires digests for the images of tenants', async () => {
    await expect(workshop.render('gmc')).rejects.toThrow('image interlock/agc needs a digest');
    const args = argsOf(await workshop.render('gmc', { tenantImages: { requireDigests: false } }));
    expect(args).toContain('--agc-image=interlock/agc:0.1.0');
    expect(args).toContain('--image-references=any');
    expect(argsOf(await render())).toContain(`--proxy-image=interlock/egress-proxy@${digest}`);
  });

  it('grants the permissions in its files, and grants tenant controllers the permissions of their own chart', async () => {
    const manifests = await render();
    const roles = manifests.filter((one) => one.kind === 'ClusterRole' && !isForUsers(one));
    const rules = Object.fromEntries(roles.map((role) => [role.metadata.name, role['rules']]));
    expect(rules).toEqual({
      'interlock-gmc': parse(read('gmc/files/rules.yaml')) as unknown,
      'interlock-agc-tenant': parse(read('agc/files/rules.yaml')) as unknown,
    });
    expect(JSON.stringify(rules)).not.toContain('*');
  });

  it('can bind only the role of tenants, and cannot delete Secrets', () => {
    const rules = parse(read('gmc/files/rules.yaml')) as {
      resources: string[];
      verbs: string[];
      resourceNames?: string[];
    }[];
    const binds = rules.filter(({ verbs }) => verbs.includes('bind') || verbs.includes('escalate'));
    expect(binds).toMatchObject([{ resourceNames: ['interlock-agc-tenant'], verbs: ['bind'] }]);
    const secrets = rules
      .filter(({ resources }) => resources.includes('secrets'))
      .flatMap(({ verbs }) => verbs);
    expect(secrets.sort()).toEqual(['create', 'get', 'patch', 'update']);
  });

  it('serves its webhooks until the API server no longer connects to a pod that ends', async () => {
    const containersOf = (manifests: readonly Manifest[]) =>
      (only(manifests, 'Deployment') as unknown as { spec: { template: { spec: { containers: object[] } } } })
        .spec.template.spec.containers;
    const lifecycle = { preStop: { sleep: { seconds: 3 } } };
    expect(containersOf(await render())).toMatchObject([{ lifecycle }]);
    const [container] = containersOf(await render({ admission: { enabled: false } }));
    expect(container).not.toHaveProperty('lifecycle');
  });

  it('sets the flags and fields that its values specify', async () => {
    const args = argsOf(
      await render({
        allowedPriorityClasses: ['runner-standard', 'runner-burst'],
        reservedNamespaces: [],
        credentialNamespaces: ['shared'],
        allowedHosts: ['*.example.com'],
        extraEgressCidrs: ['10.1.0.0/16'],
        apiServerCidrs: ['10.0.0.1/32'],
        admission: { certificateSecret: 'cert' },
      }),
    );
    expect(args).toEqual(
      expect.arrayContaining([
        '--allowed-priority-classes=runner-standard,runner-burst',
        '--reserved-namespaces=',
        '--credential-namespaces=shared',
        '--allowed-hosts=*.example.com',
        '--extra-egress-cidrs=10.1.0.0/16',
        '--api-server-cidrs=10.0.0.1/32',
        '--admission-cert-file=/etc/gmc/admission/tls.crt',
      ]),
    );
  });

  it('marks the authority of a certificate that another component manages', async () => {
    const metadataOf = async (admission: object) =>
      only(await render({ admission }), 'ValidatingWebhookConfiguration').metadata;
    expect(await metadataOf({ certificateSecret: 'cert', annotations: { a: 'b' } })).toHaveProperty(
      'annotations',
      { 'admission.interlock.dev/ca-bundle': 'external', a: 'b' },
    );
    expect(await metadataOf({ annotations: { a: 'b' } })).toHaveProperty('annotations', { a: 'b' });
    expect(await metadataOf({})).not.toHaveProperty('annotations');
  });

  it('allows no PriorityClasses if the key has no value', async () => {
    const policies = (await render({ allowedPriorityClasses: null })).filter(
      ({ kind }) => kind === 'ValidatingAdmissionPolicy',
    );
    expect(policies.flatMap(({ spec }) => (spec as { variables?: object[] }).variables ?? [])).toContainEqual(
      {
        name: 'allowed',
        expression: '[]',
      },
    );
  });

  it('reads the networks of GitHub over HTTPS, or not at all', async () => {
    expect(argsOf(await render({ githubMetaUrl: 'none' }))).toContain('--github-meta-url=none');
    await expect(render({ githubMetaUrl: 'http://api.github.com/meta' })).rejects.toThrow('githubMetaUrl');
  });

  it.each<[Record<string, boolean>, string[]]>([
    [{ enabled: false }, ['ValidatingAdmissionPolicy', 'ValidatingAdmissionPolicyBinding']],
    [{ policies: false }, ['ValidatingWebhookConfiguration']],
    [{ enabled: false, policies: false }, []],
  ])(
    'has the policies without the webhook, and the webhook without the policies: %j',
    async (admission, kinds) => {
      const manifests = await render({ admission });
      const found = manifests.map(({ kind }) => kind).filter((kind) => kind.startsWith('Validating'));
      expect([...new Set(found)].sort()).toEqual(kinds);
      const hasWebhook = kinds.includes('ValidatingWebhookConfiguration');
      expect(argsOf(manifests)).toContain(`--admission-bind-address=${hasWebhook ? ':9443' : '0'}`);
    },
  );
});

describeWithHelm('the policies of the chart of the gmc', () => {
  let cluster: TestCluster;
  beforeAll(async () => {
    cluster = await openCluster();
    for (const plural of ['actionsgateways', 'runnergroups']) {
      const crd = parse(read(`interlock-crds/crds/actions-gateway.github.com_${plural}.yaml`)) as never;
      await cluster.client.create(CustomResourceDefinition, crd);
    }
    await cluster.serves('actions-gateway.github.com/v1alpha1', 'ActionsGateway');
    await cluster.serves('actions-gateway.github.com/v1alpha1', 'RunnerGroup');
    await namespace('team-a', { 'actions-gateway.github.com/tenant': 'true' });
    await namespace('team-b', {});
    await post(`${groupsOf('team-b')}/runnergroups`, group('no-longer-allowed'));
    const manifests = await render({ allowedPriorityClasses: ['runner-standard'] });
    for (const manifest of manifests.filter(({ kind }) => kind.startsWith('ValidatingAdmissionPolicy'))) {
      const plural = manifest.kind.endsWith('Binding')
        ? 'validatingadmissionpolicybindings'
        : 'validatingadmissionpolicies';
      await post(`/apis/admissionregistration.k8s.io/v1/${plural}`, manifest);
    }
  });
  afterAll(() => cluster.close());

  const post = (path: string, body: object) => cluster.client.raw({ method: 'POST', path, body });
  const namespace = (name: string, labels: object) =>
    post('/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name, labels } });
  const groupsOf = (name: string) => `/apis/actions-gateway.github.com/v1alpha1/namespaces/${name}`;
  const gateway = (spec: object = {}) => ({
    apiVersion: 'actions-gateway.github.com/v1alpha1',
    kind: 'ActionsGateway',
    metadata: { name: 'gateway' },
    spec: { gitHubAppRef: { name: 'app' }, gitHubURL: 'https://github.com/acme', ...spec },
  });
  const group = (priorityClassName: string) => ({
    apiVersion: 'actions-gateway.github.com/v1alpha1',
    kind: 'RunnerGroup',
    metadata: { name: 'linux' },
    spec: {
      name: 'linux',
      runnerLabels: ['linux'],
      podTemplate: {},
      priorityTiers: [{ priorityClassName, threshold: 1 }],
    },
  });

  it('refuse PriorityClasses that are not allowed, in groups and in gateways', async () => {
    await expect(
      post(`${groupsOf('team-a')}/runnergroups?dryRun=All`, group('system-node-critical')),
    ).rejects.toThrow('priorityClassName of priorityTiers is not allowed');
    await expect(
      post(`${groupsOf('team-a')}/runnergroups?dryRun=All`, group('runner-standard')),
    ).resolves.toBeDefined();
    const { name: _, ...spec } = { ...group('other').spec, name: 'linux' };
    const runnerGroups = [{ ...spec, name: 'linux' }];
    await expect(
      post(`${groupsOf('team-a')}/actionsgateways?dryRun=All`, gateway({ runnerGroups })),
    ).rejects.toThrow('priorityClassName of priorityTiers is not allowed');
  });

  it('check PriorityClasses when a spec changes, so that finalizers can always be written', async () => {
    const patch = (body: object) =>
      cluster.client.raw({
        method: 'PATCH',
        path: `${groupsOf('team-b')}/runnergroups/linux?dryRun=All`,
        contentType: 'application/merge-patch+json',
        body,
      });
    const finalizers = ['actions-gateway.github.com/agentpool-cleanup'];
    await expect(patch({ metadata: { finalizers } })).resolves.toBeDefined();
    await expect(patch({ spec: { maxListeners: 2 } })).rejects.toThrow('is not allowed');
  });

  it('refuse a privileged profile without the label of the platform team', async () => {
    await expect(
      post(`${groupsOf('team-a')}/actionsgateways?dryRun=All`, gateway({ securityProfile: 'privileged' })),
    ).rejects.toThrow('securityProfile privileged needs the label');
  });

  it('refuse a weaker profile unless it is explicitly allowed', async () => {
    await post(`${groupsOf('team-b')}/actionsgateways`, gateway({ securityProfile: 'restricted' }));
    const patch = (body: object) =>
      cluster.client.raw({
        method: 'PATCH',
        path: `${groupsOf('team-b')}/actionsgateways/gateway`,
        contentType: 'application/merge-patch+json',
        body,
      });
    await expect(patch({ spec: { securityProfile: 'baseline' } })).rejects.toThrow('is weaker than before');
    const annotations = { 'actions-gateway.github.com/allow-profile-downgrade': 'true' };
    await expect(
      patch({ metadata: { annotations }, spec: { securityProfile: 'baseline' } }),
    ).resolves.toBeDefined();
  });

  describe('restrict the gmc', () => {
    const gmc = { username: `system:serviceaccount:${workshopNamespace}:demo-gmc` };

    it('to the namespaces of tenants', async () => {
      const as = cluster.as(gmc.username);
      const account = { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'x' } };
      const create = (name: string) =>
        as.raw({
          method: 'POST',
          path: `/api/v1/namespaces/${name}/serviceaccounts?dryRun=All`,
          body: account,
        });
      await expect(create('team-a')).resolves.toBeDefined();
      await expect(create('team-b')).rejects.toThrow('the gmc writes only in namespaces with the label');
    });

    it('to the labels of Pod Security of these namespaces', async () => {
      const as = cluster.as(gmc.username);
      const label = (name: string, labels: object) =>
        as.raw({
          method: 'PATCH',
          path: `/api/v1/namespaces/${name}?dryRun=All`,
          contentType: 'application/merge-patch+json',
          body: { metadata: { labels } },
        });
      const enforced = { 'pod-security.kubernetes.io/enforce': 'baseline' };
      await expect(label('team-a', enforced)).resolves.toBeDefined();
      await expect(label('team-b', enforced)).rejects.toThrow('changes only namespaces with the label');
      await expect(
        label('team-a', { 'actions-gateway.github.com/privileged-profile': 'allowed' }),
      ).rejects.toThrow('changes only the labels of Pod Security');
      await expect(label('team-a', { 'actions-gateway.github.com/tenant': null })).rejects.toThrow(
        'removes only the labels of Pod Security',
      );
    });
  });
});
