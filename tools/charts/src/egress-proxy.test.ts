import { expect, it } from '@jest/globals';
import { openCluster } from './testing/cluster.js';
import { namedPorts, selectorsOfPods } from './testing/references.js';
import { describeWithHelm, only, useWorkshop, type Manifest, type Values } from './testing/workshop.js';

const workshop = useWorkshop();

const least: Values = { allowedHosts: ['github.com'] };
const render = (values: Values = {}): Promise<Manifest[]> =>
  workshop.render('egress-proxy', { ...least, ...values });

interface Template {
  metadata: { labels: Record<string, string> };
  spec: {
    containers: [{ env: { name: string; value: string }[]; ports: { name: string }[] }];
    volumes: { secret: { items: { key: string }[] } }[];
  };
}

function templateOf(manifests: readonly Manifest[]): Template {
  return (only(manifests, 'Deployment')['spec'] as { template: Template }).template;
}

/* apps/gmc/test/charts.test.ts compares the objects with those of the gmc. */
describeWithHelm('the chart of the egress proxy', () => {
  it('sets the flags and fields that its values specify', async () => {
    const { env } = templateOf(
      await render({
        logLevel: 'warn',
        allowedHosts: ['github.com', '*.github.com'],
        allowedCIDRs: ['10.1.0.0/16'],
        allowedPorts: [443, 8443],
        tls: { requireClientCertificate: true },
      }),
    ).spec.containers[0];
    expect(env.slice(3)).toEqual([
      { name: 'PROXY_TLS_CERT_FILE', value: '/etc/actions-gateway/proxy-tls/tls.crt' },
      { name: 'PROXY_TLS_KEY_FILE', value: '/etc/actions-gateway/proxy-tls/tls.key' },
      { name: 'PROXY_ALLOWED_HOST_SUFFIXES', value: 'github.com,*.github.com' },
      { name: 'LOG_LEVEL', value: 'warn' },
      { name: 'PROXY_TLS_CLIENT_CA_FILE', value: '/etc/actions-gateway/proxy-tls/client-ca.crt' },
      { name: 'PROXY_ALLOWED_CIDRS', value: '10.1.0.0/16' },
      { name: 'PROXY_ALLOWED_PORTS', value: '443,8443' },
    ]);
  });

  it('has selectors and ports that match its pods', async () => {
    const manifests = await render({ podMonitor: { enabled: true } });
    const { metadata, spec } = templateOf(manifests);
    const ports = spec.containers[0].ports.map(({ name }) => name);
    const workload = { 'actions-gateway/component': 'workload' };
    for (const manifest of manifests) {
      for (const labels of selectorsOfPods(manifest))
        expect([metadata.labels, workload]).toContainEqual(expect.objectContaining(labels));
      for (const port of namedPorts(manifest)) expect(ports).toContain(port);
    }
    expect(only(manifests, 'PodMonitor')['spec']).toMatchObject({
      selector: { matchLabels: { 'app.kubernetes.io/name': 'egress-proxy' } },
      podMetricsEndpoints: [{ port: 'probes', interval: '30s' }],
    });
  });

  it('lets cert-manager issue its certificate if an issuer is named', async () => {
    expect((await render()).map(({ kind }) => kind)).not.toContain('Certificate');
    const issuerRef = { name: 'internal', kind: 'ClusterIssuer' };
    expect(only(await render({ tls: { issuerRef } }), 'Certificate')['spec']).toMatchObject({
      secretName: 'actions-gateway-proxy-tls',
      dnsNames: expect.arrayContaining(['actions-gateway-proxy.controllers.svc']),
      issuerRef,
    });
  });

  it.each<[Values, string]>([
    [{ allowedHosts: [] }, 'allowedHosts must be set'],
    [{ allowedHosts: ['https://github.com'] }, 'allowedHosts.0: Does not match pattern'],
    [{ allowedPorts: [] }, 'allowedPorts: Array must have at least 1 items'],
    [{ autoscaling: { minReplicas: 11 } }, 'autoscaling.minReplicas is 11 and autoscaling.maxReplicas 10'],
    [
      { networkPolicy: { githubCIDRs: ['140.82.112.0'] } },
      'networkPolicy.githubCIDRs.0: Does not match pattern',
    ],
    [{ replicas: 2 }, 'replicas is not allowed'],
  ])('refuses %j', async (values, message) => {
    await expect(render(values)).rejects.toThrow(message);
  });

  it('passes helm lint with the values that it requires', async () => {
    const args = ['lint', '--strict', 'charts/egress-proxy', '--set=allowedHosts={github.com}'];
    expect(await workshop.helm.output(args)).toContain('0 chart(s) failed');
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
