import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { parse } from 'yaml';
import { backends, namedPorts, selectorsOfPods } from './testing/references.js';
import { everything } from './testing/values.js';
import {
  apps,
  describeWithHelm,
  isForUsers,
  workshopNamespace,
  only,
  root,
  useWorkshop,
  type Manifest,
  type Values,
} from './testing/workshop.js';

const workshop = useWorkshop();

/** The apps that accept webhooks of SCMs. */
const receiving: readonly (typeof apps)[number][] = ['promoter', 'gitops-responder'];

interface Pod {
  metadata: { labels: Record<string, string>; annotations?: Record<string, string> };
  spec: {
    containers: [
      {
        image: string;
        args: string[];
        ports: { name: string; containerPort: number }[];
        env: object[];
        lifecycle?: object;
      },
    ];
    volumes: { name: string }[];
    terminationGracePeriodSeconds: number;
    [field: string]: unknown;
  };
}

const podOf = (manifests: readonly Manifest[]): Pod =>
  (only(manifests, 'Deployment')['spec'] as { template: Pod }).template;

const render = async (app: (typeof apps)[number], values?: Values) => workshop.render(app, values);

describeWithHelm.each(apps)('%s', (app) => {
  const rulesFile = (name: string): unknown =>
    parse(readFileSync(join(root, 'charts', app, 'files', `${name}.yaml`), 'utf8'));

  it('grants the permissions in its files to its own service account', async () => {
    const manifests = await render(app);
    const named = (kind: string, name: string) =>
      only(
        manifests.filter(({ metadata }) => metadata.name === name),
        kind,
      );
    expect(named('ClusterRole', `interlock-${app}`)['rules']).toEqual(rulesFile('rules'));
    expect(named('Role', `demo-${app}`)['rules']).toEqual(rulesFile('leader-election-rules'));
    const account = { kind: 'ServiceAccount', name: `demo-${app}`, namespace: workshopNamespace };
    expect(only(manifests, 'ServiceAccount').metadata).toMatchObject({
      name: account.name,
      namespace: account.namespace,
    });
    expect(podOf(manifests).spec['serviceAccountName']).toBe(account.name);
    const roles = manifests.filter((manifest) => manifest.kind.endsWith('Role') && !isForUsers(manifest));
    for (const { kind, metadata } of roles) {
      const binding = named(`${kind}Binding`, metadata.name);
      expect(binding).toMatchObject({ subjects: [account], roleRef: { kind, name: metadata.name } });
      expect(binding.metadata.namespace).toBe(metadata.namespace);
    }
    expect(manifests.filter(({ kind }) => kind.endsWith('RoleBinding'))).toHaveLength(roles.length);
  });

  it.each([
    ['defaults', {}],
    ['everything', everything(app)],
  ])('complies with the Pod Security Standard restricted and further rules: %s', async (_, values) => {
    const manifests = await render(app, values);
    expect(only(manifests, 'ServiceAccount')['automountServiceAccountToken']).toBe(false);
    expect(podOf(manifests).spec).toMatchObject({
      automountServiceAccountToken: true,
      enableServiceLinks: false,
      securityContext: { runAsNonRoot: true, runAsUser: 65532, seccompProfile: { type: 'RuntimeDefault' } },
      containers: [
        {
          securityContext: {
            allowPrivilegeEscalation: false,
            readOnlyRootFilesystem: true,
            capabilities: { drop: ['ALL'] },
          },
          resources: {
            requests: { cpu: expect.anything(), memory: expect.anything() },
            limits: { memory: expect.anything() },
          },
          volumeMounts: expect.arrayContaining([{ name: 'tmp', mountPath: '/tmp' }]),
        },
      ],
    });
    expect(podOf(manifests).spec).not.toHaveProperty('hostNetwork');
    expect(podOf(manifests).spec.volumes).not.toContainEqual(
      expect.objectContaining({ hostPath: expect.anything() }),
    );
  });

  it.each([
    ['defaults', {}],
    ['everything', everything(app)],
  ])('has selectors, ports and backends that refer to existing objects: %s', async (_, values) => {
    const manifests = await render(app, values);
    const pod = podOf(manifests);
    const ports = pod.spec.containers[0].ports.map((port) => port.name);
    for (const manifest of manifests) {
      for (const labels of selectorsOfPods(manifest)) expect(pod.metadata.labels).toMatchObject(labels);
      for (const port of namedPorts(manifest)) expect(ports).toContain(port);
      for (const [name, port] of backends(manifest)) {
        const service = manifests.find((other) => other.kind === 'Service' && other.metadata.name === name);
        expect(service).toMatchObject({ spec: { ports: [port] } });
      }
    }
  });

  it('is terminated only after the grace period of its process, and passes its namespace to the process', async () => {
    const pod = podOf(await render(app, { gracePeriodSeconds: 100 }));
    const [container] = pod.spec.containers;
    expect(container.args).toContain('--grace-period=100s');
    expect(pod.spec.terminationGracePeriodSeconds).toBeGreaterThan(100);
    expect(container.env).toContainEqual({
      name: 'INTERLOCK_NAMESPACE',
      valueFrom: { fieldRef: { fieldPath: 'metadata.namespace' } },
    });
  });

  it('serves its clients until they no longer connect to a pod that ends', async () => {
    const [container] = podOf(await render(app)).spec.containers;
    const serves = receiving.includes(app) || app === 'gate-controller';
    expect(container.lifecycle).toEqual(serves ? { preStop: { sleep: { seconds: 3 } } } : undefined);
  });

  it('has a PodDisruptionBudget if there is more than one replica', async () => {
    const one = await render(app, { replicas: 1 });
    expect(one.map(({ kind }) => kind)).not.toContain('PodDisruptionBudget');
    const three = await render(app, { replicas: 3 });
    expect(only(three, 'PodDisruptionBudget')).toMatchObject({ spec: { maxUnavailable: 1 } });
    expect(only(three, 'Deployment')).toMatchObject({
      spec: { replicas: 3, strategy: { type: 'RollingUpdate' } },
    });
  });

  it('never runs two pods without an election', async () => {
    const manifests = await render(app, { leaderElect: false });
    expect(only(manifests, 'Deployment')).toMatchObject({ spec: { strategy: { type: 'Recreate' } } });
    expect(podOf(manifests).spec.containers[0].args).toContain('--leader-elect=false');
  });

  it.each([
    [{}, `interlock/${app}:0.1.0`],
    [{ repository: 'r.example/x', tag: 'v2' }, 'r.example/x:v2'],
    [{ tag: 'v2', digest: `sha256:${'0a'.repeat(32)}` }, `interlock/${app}@sha256:${'0a'.repeat(32)}`],
  ])('runs the image %j', async (image, expected) => {
    expect(podOf(await render(app, { image })).spec.containers[0].image).toBe(expected);
  });

  it('adds the extra fields of the values', async () => {
    const values = everything(app);
    const pod = podOf(await render(app, values));
    expect(pod.metadata.annotations).toEqual(values['podAnnotations']);
    expect(pod.spec).toMatchObject({
      nodeSelector: values['nodeSelector'],
      tolerations: values['tolerations'],
      affinity: values['affinity'],
      priorityClassName: values['priorityClassName'],
      imagePullSecrets: values['imagePullSecrets'],
      volumes: expect.arrayContaining(values['extraVolumes'] as object[]),
      containers: [
        {
          env: expect.arrayContaining(values['extraEnv'] as object[]),
          volumeMounts: expect.arrayContaining(values['extraVolumeMounts'] as object[]),
        },
      ],
    });
    expect(pod.spec.containers[0].args.slice(-1)).toEqual(values['extraArgs']);
  });

  it('restricts traffic with a NetworkPolicy, which can be disabled', async () => {
    const policy = only(await render(app), 'NetworkPolicy');
    /* The second port is that of the DNS pods of OpenShift, the third that of Gardener. */
    const dns = [53, 5353, 8053].flatMap((port) => ['UDP', 'TCP'].map((protocol) => ({ port, protocol })));
    expect(policy['spec']).toEqual({
      podSelector: { matchLabels: { 'app.kubernetes.io/name': app, 'app.kubernetes.io/instance': 'demo' } },
      policyTypes: ['Ingress', 'Egress'],
      ingress: [
        { ports: [{ port: 'probes' }] },
        { ports: [{ port: 'metrics' }], from: [{ namespaceSelector: {} }] },
        ...(receiving.includes(app) ? [{ ports: [{ port: 'webhooks' }] }] : []),
        ...(app === 'gate-controller' ? [{ ports: [{ port: 'admission' }] }] : []),
      ],
      egress: [{ ports: dns }, { ports: [{ port: 443 }, { port: 6443 }] }, { ports: [{ port: 443 }] }],
    });
    const to = [{ ipBlock: { cidr: '192.0.2.0/24' } }];
    const strict = only(
      await render(app, {
        networkPolicy: {
          dns: { to },
          apiServer: { to, ports: [6443] },
          [app === 'gate-controller' ? 'calendars' : 'scm']: { to, ports: [8443] },
        },
      }),
      'NetworkPolicy',
    );
    expect(strict).toMatchObject({
      spec: {
        egress: [
          { ports: dns, to },
          { ports: [{ port: 6443 }], to },
          { ports: [{ port: 8443 }], to },
        ],
      },
    });
    const none = await render(app, { networkPolicy: { enabled: false } });
    expect(none.map(({ kind }) => kind)).not.toContain('NetworkPolicy');
  });

  it('has a ServiceMonitor that selects only the metrics, and keeps their labels', async () => {
    const manifests = await render(app, everything(app));
    const { selector, endpoints } = only(manifests, 'ServiceMonitor')['spec'] as {
      selector: { matchLabels: Record<string, string> };
      endpoints: { port: string; honorLabels?: boolean }[];
    };
    const found = manifests.filter(
      ({ kind, metadata }) =>
        kind === 'Service' &&
        Object.entries(selector.matchLabels).every(([key, value]) => metadata.labels?.[key] === value),
    );
    expect(found.map(({ metadata }) => metadata.name)).toEqual([`demo-${app}-metrics`]);
    expect(endpoints.map(({ honorLabels }) => honorLabels)).toEqual([true]);
    expect(found[0]).toMatchObject({ spec: { ports: endpoints.map(({ port }) => ({ name: port })) } });
  });

  it.each(['a', 'true', 'team.a', app, 'x'.repeat(53)])(
    'has valid names for the release %s',
    async (release) => {
      const manifests = await workshop.render(app, { replicas: 2 }, release);
      for (const { metadata } of manifests) {
        expect(metadata.name).toContain(app);
        expect(metadata.name).toMatch(/^[a-z][-a-z0-9]{0,61}[a-z0-9]$/);
        expect(metadata.labels).toMatchObject({ 'app.kubernetes.io/instance': release });
      }
    },
  );
});

describeWithHelm('the chart of the promoter', () => {
  it('stores mirrors in a volume of limited size, on the node or in a claim of the pod', async () => {
    const onNode = podOf(await render('promoter', { cache: { maxGibibytes: 20 } })).spec;
    expect(onNode.volumes).toContainEqual({ name: 'cache', emptyDir: { sizeLimit: '22Gi' } });
    expect(onNode.containers[0].args).toContain('--cache-max-gibibytes=20');
    const claimed = podOf(
      await render('promoter', {
        cache: { persistentVolumeClaim: { enabled: true, storageClassName: 'fast' } },
      }),
    ).spec;
    expect(claimed.volumes).toContainEqual({
      name: 'cache',
      ephemeral: {
        volumeClaimTemplate: {
          spec: {
            accessModes: ['ReadWriteOnce'],
            storageClassName: 'fast',
            resources: { requests: { storage: '12Gi' } },
          },
        },
      },
    });
  });
});

describeWithHelm.each(receiving)('%s', (app) => {
  it('does not accept webhooks when they are disabled', async () => {
    const manifests = await render(app, { webhooks: { enabled: false } });
    expect(podOf(manifests).spec.containers[0].args).toContain('--webhook-bind-address=0');
    expect(JSON.stringify(manifests)).not.toContain('"webhooks"');
    expect(only(manifests, 'Service').metadata.name).toBe(`demo-${app}-metrics`);
  });

  it('is reachable from outside the cluster only at the path of webhooks', async () => {
    const manifests = await render(app, everything(app));
    expect(only(manifests, 'Ingress')).toMatchObject({
      spec: {
        ingressClassName: 'nginx',
        tls: [{ secretName: `${app}-tls`, hosts: [`${app}.example.com`] }],
        rules: [{ host: `${app}.example.com`, http: { paths: [{ path: '/webhooks', pathType: 'Prefix' }] } }],
      },
    });
    expect(only(manifests, 'HTTPRoute')).toMatchObject({
      spec: {
        parentRefs: [{ name: 'public', namespace: 'gateways' }],
        hostnames: [`${app}.example.com`],
        rules: [{ matches: [{ path: { type: 'PathPrefix', value: '/webhooks' } }] }],
      },
    });
  });
});
