import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import type { ActionsGateway } from '@interlock/api';
import { locateHelm, parseManifests, renderCharts, type Manifest } from '@interlock/charts';
import { parse } from 'yaml';
import { render } from '../src/render/render.js';
import { noProxyOf } from '../src/render/no-proxy.js';
import { tracingRules, tracingVariables } from '../src/render/tracing.js';
import { gatewayOf, tenantContext } from '../src/testing/builders.js';

/** Settings of an installation with a GitHub Enterprise Server in a private network. */
const context = {
  ...tenantContext,
  installation: { ...tenantContext.installation, extraRanges: ['10.20.0.0/16'] },
};

const helm = locateHelm();
if (helm === undefined) process.stdout.write('skipped: helm is not available for this platform\n');

/* Roles differ: the gmc binds its ClusterRole, the chart installs a Role with the same rules. */
const roleKinds = ['Role', 'RoleBinding'];
/* The team creates these itself. */
const ownKinds = ['RunnerGroup'];

const dns = [
  {
    namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'kube-system' } },
    podSelector: {
      matchExpressions: [{ key: 'k8s-app', operator: 'In', values: ['kube-dns', 'node-local-dns'] }],
    },
  },
  {
    namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'openshift-dns' } },
    podSelector: { matchLabels: { 'dns.operator.openshift.io/daemonset-dns': 'default' } },
  },
  { ipBlock: { cidr: '169.254.0.0/16' } },
];

/** Returns the values of both charts that correspond to a gateway. */
function valuesOf({ spec }: ActionsGateway) {
  const { proxy, gitHubURL, securityProfile, logLevel = 'info', tracing, gitHubCABundleRef } = spec;
  const { apiServer, allowedHosts, workerImage, runnerVersion } = context.installation;
  const { minReplicas, maxReplicas, targetCPUUtilizationPercentage, resources, noProxyCIDRs } = proxy;
  const selector = { 'app.kubernetes.io/name': 'egress-proxy', 'app.kubernetes.io/instance': 'egress-proxy' };
  return {
    agc: {
      fullnameOverride: 'actions-gateway-controller',
      githubUrl: gitHubURL,
      githubAppSecret: context.credentialSecret,
      ...(gitHubCABundleRef && { githubCaBundle: gitHubCABundleRef }),
      ...{ securityProfile, logLevel, workerImage, runnerVersion },
      proxy: {
        url: 'https://actions-gateway-proxy.team-a.svc:8080',
        workerUrl: 'http://actions-gateway-proxy.team-a.svc:8080',
        caSecret: 'actions-gateway-proxy-tls',
        noProxy: noProxyOf(noProxyCIDRs, apiServer).split(','),
      },
      extraEnv: tracingVariables(tracing),
      networkPolicy: {
        dns: { to: dns },
        github: { to: [{ podSelector: { matchLabels: selector } }], ports: [8080] },
        extraEgress: tracingRules(tracing),
      },
    },
    'egress-proxy': {
      logLevel,
      allowedHosts: [new URL(gitHubURL).hostname, ...allowedHosts],
      allowedCIDRs: context.installation.extraRanges,
      allowedPorts: gitHubURL.includes(':8443') ? [443, 8443] : [443],
      autoscaling: { minReplicas, maxReplicas, targetCPUUtilizationPercentage },
      /* Helm merges the defaults into maps. */
      ...(resources && {
        resources: {
          requests: { cpu: null, memory: null, ...resources.requests },
          limits: { cpu: null, memory: null, ...resources.limits },
        },
      }),
      networkPolicy: {
        githubCIDRs: proxy.managedNetworkPolicy ? context.githubRanges : [],
      },
    },
  };
}

/** Returns objects by kind and name, without the metadata of their creator. */
function comparable(objects: readonly Manifest[]): Record<string, unknown> {
  const own = objects.filter(({ kind }) => ![...roleKinds, ...ownKinds].includes(kind));
  const entries = own.map(({ kind, metadata, ...rest }): [string, unknown] => {
    const text = JSON.stringify({ ...rest, namespace: metadata.namespace }, (key, value: unknown) => {
      if (key === 'app.kubernetes.io/instance') return 'instance';
      const isOfMaker =
        /^(app\.kubernetes\.io\/(version|part-of|managed-by)|helm\.sh\/chart|.*\/gateway(-uid)?)$/;
      return isOfMaker.test(key) ? undefined : value;
    });
    return [`${kind} ${metadata.name}`, JSON.parse(text)];
  });
  return Object.fromEntries(entries);
}

async function ofCharts(gateway: ActionsGateway): Promise<Manifest[]> {
  const texts = await renderCharts(helm ?? '', 'team-a', valuesOf(gateway));
  return [...texts.values()].flatMap(parseManifests);
}

const { proxy } = gatewayOf().spec;
const gateways: Record<string, ActionsGateway> = {
  'with the defaults': gatewayOf(),
  'for another server, with every field of the proxy': gatewayOf({
    gitHubURL: 'https://github.example.com:8443/acme/repository',
    gitHubCABundleRef: { kind: 'Secret', name: 'ghes', key: 'root.pem' },
    securityProfile: 'restricted',
    logLevel: 'debug',
    proxy: {
      minReplicas: 3,
      maxReplicas: 5,
      targetCPUUtilizationPercentage: 80,
      noProxyCIDRs: ['10.0.0.0/8'],
      managedNetworkPolicy: true,
      resources: { requests: { cpu: '50m' }, limits: { memory: '128Mi' } },
    },
  }),
  'with its own network policy and traces': gatewayOf({
    gitHubCABundleRef: { kind: 'ConfigMap', name: 'ghes', key: 'ca.crt' },
    proxy: { ...proxy, managedNetworkPolicy: false },
    tracing: {
      endpoint: 'https://otel.example:4318/v1/traces',
      sampler: 'parentbased_traceidratio',
      samplerArg: '0.1',
      resourceAttributes: { team: 'a b' },
    },
  }),
};

(helm === undefined ? describe.skip : describe)('a tenant that is installed by charts', () => {
  it.each(Object.keys(gateways))('has the same objects as a gateway %s', async (name) => {
    const gateway = gateways[name] ?? gatewayOf();
    const rendered = render(gateway, context).map((one) => one.configuration as unknown as Manifest);
    expect(comparable(await ofCharts(gateway))).toEqual(comparable(rendered));
  });

  it('grants its controller the same permissions as the gmc does', async () => {
    const file = new URL('../../../charts/gmc/files/tenant-role.yaml', import.meta.url);
    const role = (await ofCharts(gatewayOf())).find(({ kind }) => kind === 'Role');
    expect(role?.['rules']).toEqual(parse(readFileSync(file, 'utf8')));
  });
});
