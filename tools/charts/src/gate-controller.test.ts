import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { ValidatingWebhookConfiguration } from '@interlock/kube';
import { parse } from 'yaml';
import { limitedTo } from './testing/capabilities.js';
import { openCluster } from './testing/cluster.js';
import { everything } from './testing/values.js';
import {
  describeWithHelm,
  workshopNamespace,
  only,
  root,
  useWorkshop,
  type Manifest,
  type Values,
} from './testing/workshop.js';

const app = 'gate-controller';
const configuration = 'interlock-gate-controller';

const workshop = useWorkshop();

const render = (values?: Values): Promise<Manifest[]> => workshop.render(app, values);

/** Returns the container of the controller, and the volumes of its pod. */
function processOf(manifests: readonly Manifest[]) {
  interface PodSpec {
    containers: [{ args: string[]; ports: { name: string }[]; volumeMounts: { name: string }[] }];
    volumes: { name: string }[];
  }
  const { template } = only(manifests, 'Deployment')['spec'] as { template: { spec: PodSpec } };
  return { ...template.spec.containers[0], volumes: template.spec.volumes };
}

describeWithHelm('the gate controller', () => {
  it('may read only what its values specify', async () => {
    const readResources = [{ apiGroup: 'argoproj.io', resources: ['rollouts'] }];
    const manifests = await render({ readResources });
    const roles = manifests.filter(({ kind }) => kind === 'ClusterRole');
    expect(roles.map(({ metadata }) => metadata.name)).toEqual([
      'interlock-gate-controller',
      'interlock-gate-controller-operator',
      'interlock-gate-controller-viewer',
      'interlock-gate-controller-reads',
    ]);
    expect(roles.at(-1)?.['rules']).toEqual([
      { apiGroups: ['argoproj.io'], resources: ['rollouts'], verbs: ['get', 'list', 'watch'] },
    ]);
    const bindings = manifests.filter(({ kind }) => kind === 'ClusterRoleBinding');
    expect(bindings[1]).toMatchObject({
      roleRef: { name: 'interlock-gate-controller-reads' },
      subjects: [{ kind: 'ServiceAccount', name: 'demo-gate-controller', namespace: workshopNamespace }],
    });
  });

  it('has roles for operators, who open, close and approve, and for viewers, who read', async () => {
    interface Rule {
      resources: string[];
      verbs: string[];
    }
    const manifests = await render();
    const rulesOf = (name: string): Rule[] =>
      (manifests.find(({ kind, metadata }) => kind === 'ClusterRole' && metadata.name === name)?.['rules'] ??
        []) as Rule[];
    const verbsOn = (name: string, resource: string): string[] =>
      rulesOf(`${configuration}-${name}`)
        .filter(({ resources }) => resources.includes(resource))
        .flatMap(({ verbs }) => verbs);
    const reads = ['get', 'list', 'watch'];
    expect(verbsOn('operator', 'gates')).toEqual([...reads, 'open', 'close', 'approve']);
    expect(verbsOn('operator', 'gateoverrides')).toEqual([...reads, 'create', 'patch', 'delete']);
    for (const resource of ['gates', 'gatekeepers', 'gateoverrides', 'gatebindings'])
      expect(verbsOn('viewer', resource)).toEqual(reads);
  });

  it('receives admission requests for the resources in its file through its Service', async () => {
    interface Webhook {
      name: string;
      path: string;
    }
    const file = readFileSync(join(root, 'charts', app, 'files/webhooks.yaml'), 'utf8');
    const { mutating, validating } = parse(file) as Record<'mutating' | 'validating', Webhook[]>;
    const manifests = await render();
    for (const [kind, webhooks] of [
      ['MutatingWebhookConfiguration', mutating],
      ['ValidatingWebhookConfiguration', validating],
    ] as const) {
      const rendered = only(manifests, kind);
      expect(rendered.metadata.name).toBe(configuration);
      expect(rendered['webhooks']).toEqual(
        webhooks.map(({ path, ...webhook }) => ({
          ...webhook,
          clientConfig: {
            service: {
              namespace: workshopNamespace,
              name: 'demo-gate-controller-admission',
              path,
              port: 443,
            },
          },
          sideEffects: 'None',
          timeoutSeconds: 5,
          admissionReviewVersions: ['v1'],
        })),
      );
    }
    expect(processOf(manifests).args).toEqual(
      expect.arrayContaining([
        '--admission-bind-address=:9443',
        '--admission-service=demo-gate-controller-admission',
      ]),
    );
    expect(manifests).toContainEqual(
      expect.objectContaining({
        kind: 'Service',
        metadata: expect.objectContaining({ name: 'demo-gate-controller-admission' }),
      }),
    );
  });

  it('serves the certificate of a specified Secret', async () => {
    const manifests = await render(everything(app));
    const { args, volumes, volumeMounts } = processOf(manifests);
    for (const [name, secretName] of [
      ['admission', 'admission-tls'],
      ['gates', 'gates-tls'],
    ] as const) {
      const mountPath = `/etc/gate-controller/${name}`;
      expect(args).toContain(`--${name}-cert-file=${mountPath}/tls.crt`);
      expect(args).toContain(`--${name}-key-file=${mountPath}/tls.key`);
      expect(volumes).toContainEqual({
        name: `${name}-certificate`,
        secret: { secretName, defaultMode: 0o440 },
      });
      expect(volumeMounts).toContainEqual({ name: `${name}-certificate`, mountPath, readOnly: true });
    }
    const { webhooks, metadata } = only(manifests, 'MutatingWebhookConfiguration');
    const caBundle = Buffer.from('-----BEGIN CERTIFICATE-----\n').toString('base64');
    const trusted = expect.objectContaining({ clientConfig: expect.objectContaining({ caBundle }) });
    expect(webhooks).toEqual([trusted, trusted, trusted]);
    expect(metadata).toMatchObject({
      annotations: {
        'cert-manager.io/inject-ca-from': 'controllers/admission',
        'admission.interlock.dev/ca-bundle': 'external',
      },
    });
    const own = only(await render(), 'MutatingWebhookConfiguration');
    expect(own.metadata).not.toHaveProperty('annotations');
  });

  it('keeps the authority that the controller set when the chart is upgraded', async () => {
    const cluster = await openCluster();
    try {
      const kubeconfig = `--kubeconfig=${cluster.writeKubeconfig(workshop.folder)}`;
      const limits = await limitedTo(cluster, app);
      const helm = (command: string, timeoutSeconds: number) =>
        workshop.helm.output([
          command,
          'demo',
          `charts/${app}`,
          `--namespace=${workshopNamespace}`,
          `--set=admission.timeoutSeconds=${timeoutSeconds}`,
          kubeconfig,
          ...limits,
        ]);
      const read = async () => {
        const found = await cluster.client.get(ValidatingWebhookConfiguration, { name: configuration });
        return (found.webhooks ?? []).map(({ name, timeoutSeconds, clientConfig }) => ({
          name,
          timeoutSeconds,
          caBundle: clientConfig.caBundle,
        }));
      };
      await helm('install', 5);
      const installed = await read();
      expect(installed.map(({ caBundle }) => caBundle)).toEqual(installed.map(() => undefined));
      const caBundle = Buffer.from('authority').toString('base64');
      const webhooks = installed.map(({ name }) => ({ name, clientConfig: { caBundle } }));
      const metadata = { name: configuration };
      const options = { fieldManager: 'gate-controller' };
      await cluster.client.apply(ValidatingWebhookConfiguration, { metadata, webhooks }, options);
      await helm('upgrade', 7);
      expect(await read()).toEqual(installed.map(({ name }) => ({ name, timeoutSeconds: 7, caBundle })));
    } finally {
      await cluster.close();
    }
  });

  it('does not receive admission requests when admission is disabled', async () => {
    const manifests = await render({ admission: { enabled: false } });
    expect(manifests.map(({ kind }) => kind)).not.toContain('MutatingWebhookConfiguration');
    expect(manifests.map(({ kind }) => kind)).not.toContain('ValidatingWebhookConfiguration');
    expect(processOf(manifests).args.join()).not.toContain('admission');
    expect(only(manifests, 'Service').metadata.name).toBe('demo-gate-controller-metrics');
  });
});
