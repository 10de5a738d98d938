import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { parse } from 'yaml';
import { openCluster } from './testing/cluster.js';
import { namedPorts, selectorsOfPods } from './testing/references.js';
import {
  describeWithHelm,
  workshopNamespace,
  only,
  root,
  useWorkshop,
  type Manifest,
  type Values,
} from './testing/workshop.js';

const workshop = useWorkshop();

interface PodSpec {
  serviceAccountName: string;
  securityContext: object;
  containers: [
    {
      args: string[];
      env: { name: string; value?: string }[];
      ports: { name: string }[];
      securityContext: object;
      volumeMounts: object[];
    },
  ];
  volumes: object[];
}

const least: Values = { githubUrl: 'https://github.com/my-org', githubAppSecret: 'github-app' };
const render = (values: Values = {}): Promise<Manifest[]> => workshop.render('agc', { ...least, ...values });

function podOf(manifests: readonly Manifest[]) {
  interface Template {
    metadata: { labels: Record<string, string> };
    spec: PodSpec;
  }
  return (only(manifests, 'Deployment')['spec'] as { template: Template }).template;
}

describeWithHelm('the chart of the actions gateway controller', () => {
  it('grants the permissions in its file, only in its namespace', async () => {
    const manifests = await render();
    const rules: unknown = parse(readFileSync(join(root, 'charts/agc/files/rules.yaml'), 'utf8'));
    expect(only(manifests, 'Role')['rules']).toEqual(rules);
    expect(only(manifests, 'RoleBinding')).toMatchObject({
      metadata: { namespace: workshopNamespace },
      roleRef: { kind: 'Role', name: 'demo-agc' },
      subjects: [{ kind: 'ServiceAccount', name: 'demo-agc', namespace: workshopNamespace }],
    });
    expect(manifests.filter(({ kind }) => kind.startsWith('Cluster'))).toEqual([]);
    expect(manifests.filter(({ metadata }) => metadata.namespace !== workshopNamespace)).toEqual([]);
    expect(JSON.stringify(rules)).not.toContain('*');
  });

  it('has a service account for workers, without permissions and without a token', async () => {
    const accounts = (await render()).filter(({ kind }) => kind === 'ServiceAccount');
    expect(accounts.map(({ metadata }) => metadata.name)).toEqual(['demo-agc', 'actions-gateway-worker']);
    expect(accounts.map((account) => account['automountServiceAccountToken'])).toEqual([false, false]);
  });

  it('reads the credential from files that only its group can read', async () => {
    const { spec } = podOf(await render());
    expect(spec.volumes).toContainEqual({
      name: 'github-app',
      secret: { secretName: 'github-app', defaultMode: 0o440 },
    });
    expect(spec.containers[0].volumeMounts).toContainEqual({
      name: 'github-app',
      mountPath: '/etc/actions-gateway/github-app',
      readOnly: true,
    });
    expect(spec).toMatchObject({
      securityContext: { runAsNonRoot: true, fsGroup: 65532 },
      containers: [{ securityContext: { readOnlyRootFilesystem: true, capabilities: { drop: ['ALL'] } } }],
    });
  });

  it('shares the work between two replicas without an election', async () => {
    const manifests = await render();
    expect(only(manifests, 'Deployment')).toMatchObject({
      spec: { replicas: 2, strategy: { type: 'RollingUpdate' } },
    });
    expect(only(manifests, 'PodDisruptionBudget')).toMatchObject({ spec: { maxUnavailable: 1 } });
    const { metadata, spec } = podOf(manifests);
    expect(spec.containers[0].args).toContain('--leader-elect=false');
    expect(spec.containers[0].env.map(({ name }) => name)).toEqual([
      'INTERLOCK_NAMESPACE',
      'POD_NAME',
      'POD_NAMESPACE',
      'GITHUB_ORG_URL',
    ]);
    expect(metadata.labels).toMatchObject({ 'actions-gateway/component': 'workload' });
  });

  it('sets the flags and fields that its values specify', async () => {
    const { args, env } = podOf(
      await render({
        githubApiUrl: 'https://ghes.example/api/v3',
        securityProfile: 'restricted',
        dialect: 'live',
        runnerVersion: '2.335.1',
        workerImage: 'ghcr.io/actions/actions-runner:2.335.1',
        allowedHosts: ['*.example.com', 'ghes.example'],
        allowHttp: true,
        proxy: {
          url: 'https://proxy:8080',
          workerUrl: 'http://proxy:8080',
          caSecret: 'proxy-tls',
          noProxy: ['10.0.0.1', 'localhost'],
        },
        extraArgs: ['--log-format=json'],
      }),
    ).spec.containers[0];
    expect(args.slice(3)).toEqual([
      '--github-app-secret-dir=/etc/actions-gateway/github-app',
      '--dialect=live',
      '--github-api-url=https://ghes.example/api/v3',
      '--security-profile=restricted',
      '--allowed-hosts=*.example.com',
      '--allowed-hosts=ghes.example',
      '--allow-http',
      '--log-format=json',
    ]);
    expect(env.slice(3)).toEqual([
      { name: 'GITHUB_ORG_URL', value: 'https://github.com/my-org' },
      { name: 'HTTP_PROXY', value: 'https://proxy:8080' },
      { name: 'HTTPS_PROXY', value: 'https://proxy:8080' },
      { name: 'NO_PROXY', value: '10.0.0.1,localhost' },
      { name: 'NODE_EXTRA_CA_CERTS', value: '/etc/actions-gateway/proxy-ca/ca.crt' },
      { name: 'PROXY_CA_SECRET', value: 'proxy-tls' },
      { name: 'WORKER_PROXY_URL', value: 'http://proxy:8080' },
      { name: 'WORKER_IMAGE', value: 'ghcr.io/actions/actions-runner:2.335.1' },
      { name: 'GITHUB_RUNNER_VERSION', value: '2.335.1' },
    ]);
  });

  it('allows egress to DNS, the API server and the proxy, and has selectors that match the pod', async () => {
    const to = [{ podSelector: { matchLabels: { app: 'proxy' } } }];
    const manifests = await render({ networkPolicy: { github: { to, ports: [8080] } } });
    const policy = only(manifests, 'NetworkPolicy')['spec'] as { egress: object[]; policyTypes: string[] };
    expect(policy.policyTypes).toEqual(['Ingress', 'Egress']);
    expect(policy.egress.slice(1)).toEqual([
      { ports: [{ port: 443 }, { port: 6443 }] },
      { ports: [{ port: 8080 }], to },
    ]);
    const { metadata, spec } = podOf(manifests);
    const ports = spec.containers[0].ports.map(({ name }) => name);
    for (const manifest of manifests) {
      for (const labels of selectorsOfPods(manifest)) expect(metadata.labels).toMatchObject(labels);
      for (const port of namedPorts(manifest)) expect(ports).toContain(port);
    }
  });

  it.each<[Values, string]>([
    [{ githubUrl: '' }, 'githubUrl must be set'],
    [{ githubAppSecret: '' }, 'githubAppSecret must be set'],
    [{ githubUrl: 'github.com/my-org' }, 'githubUrl: Does not match pattern'],
    [{ leaderElect: true }, 'leaderElect is not allowed'],
    [{ dialect: 'liv' }, 'dialect must be one of the following'],
    [{ runnerVersion: 'latest' }, 'runnerVersion: Does not match pattern'],
    [{ allowedHosts: ['a b'] }, 'allowedHosts.0: Does not match pattern'],
  ])('refuses %j', async (values, message) => {
    await expect(render(values)).rejects.toThrow(message);
  });

  it('passes helm lint with the values that it requires', async () => {
    const required = Object.entries(least).map(([name, value]) => `--set=${name}=${String(value)}`);
    const report = await workshop.helm.output(['lint', '--strict', 'charts/agc', ...required]);
    expect(report).toContain('0 chart(s) failed');
  });

  it('is not part of the umbrella chart until it is enabled', async () => {
    const names = (manifests: readonly Manifest[]) => manifests.map(({ metadata }) => metadata.name);
    expect(names(await workshop.render('interlock'))).not.toContain('demo-agc');
    const all = await workshop.render('interlock', { agc: { enabled: true, ...least } });
    expect(names(all)).toContain('demo-agc');
  });

  it('has objects that an API server accepts without changes', async () => {
    const cluster = await openCluster();
    try {
      expect(await cluster.apply(await render())).toEqual(new Set());
    } finally {
      await cluster.close();
    }
  });
});
