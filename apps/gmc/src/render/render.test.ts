import { describe, expect, it } from '@jest/globals';
import type { ActionsGateway } from '@interlock/api';
import { isDeepStrictEqual } from 'node:util';
import { stringify } from 'yaml';
import { gatewayOf, groupOf, tenantContext } from '../testing/builders.js';
import type { TenantContext } from './context.js';
import { rolledFor } from './proxy-authorities.js';
import { namespaceLabels } from './namespace.js';
import { noProxyOf } from './no-proxy.js';
import { render } from './render.js';
import { tracingRules, tracingVariables } from './tracing.js';

interface Pods {
  spec: {
    template: { spec: { containers: { env: { name: string; value?: string }[]; resources: object }[] } };
  };
}

const find = (gateway: ActionsGateway, kind: string, name: string, context: TenantContext = tenantContext) =>
  render(gateway, context).find(
    (object) => object.kind.kind === kind && object.configuration.metadata.name === name,
  )?.configuration;

function variables(gateway: ActionsGateway): Record<string, string | undefined> {
  const deployment = find(gateway, 'Deployment', 'actions-gateway-controller') as unknown as Pods;
  const [container] = deployment.spec.template.spec.containers;
  return Object.fromEntries(container?.env.map(({ name, value }) => [name, value]) ?? []);
}

describe('rolledFor', () => {
  it('rolls only the controller when the authorities of the proxy change', () => {
    const objects = render(gatewayOf(), tenantContext);
    const [first, same, second] = ['one', 'one', 'two'].map((authorities) => rolledFor(objects, authorities));
    expect(first).toEqual(same);
    const changed = objects.filter((_, index) => !isDeepStrictEqual(first?.[index], second?.[index]));
    expect(changed.map(({ configuration }) => configuration.metadata.name)).toEqual([
      'actions-gateway-controller',
    ]);
    expect(changed.map(({ kind }) => kind.kind)).toEqual(['Deployment']);
  });
});

describe('the certificate authorities of a gateway', () => {
  const gateway = gatewayOf({ gitHubCABundleRef: { kind: 'ConfigMap', name: 'ghes', key: 'root.pem' } });
  const rolled = (caBundleDigest: string) =>
    rolledFor(render(gateway, { ...tenantContext, caBundleDigest }), 'proxy');

  it('roll only the controller when they change', () => {
    const [first, second] = [rolled('one'), rolled('two')];
    const changed = first.filter((object, index) => !isDeepStrictEqual(object, second[index]));
    expect(changed.map(({ configuration }) => configuration.metadata.name)).toEqual([
      'actions-gateway-controller',
    ]);
  });

  it('reach the controller and the workers through one reference', () => {
    expect(variables(gateway)).toMatchObject({
      GITHUB_CA_CERT_PATH: '/etc/actions-gateway/github-ca/ca.crt',
      GITHUB_CA_REF: 'ConfigMap/ghes/root.pem',
      NODE_EXTRA_CA_CERTS: '/etc/actions-gateway/proxy-ca/ca.crt',
    });
    const items = [{ key: 'root.pem', path: 'ca.crt' }];
    const volume = { name: 'github-ca', configMap: { name: 'ghes', defaultMode: 0o440, items } };
    expect(find(gateway, 'Deployment', 'actions-gateway-controller')).toMatchObject({
      spec: { template: { spec: { volumes: expect.arrayContaining([volume]) } } },
    });
  });
});

describe('render', () => {
  it('returns the objects of a tenant', () => {
    const gateway = gatewayOf({ runnerGroups: [groupOf()] });
    const objects = [
      namespaceLabels(gateway),
      ...render(gateway, tenantContext).map((one) => one.configuration),
    ];
    expect(
      objects.map((object) => stringify(object, { aliasDuplicateObjects: false })).join('---\n'),
    ).toMatchSnapshot();
  });

  it('returns no object that the garbage collector keeps and Argo CD could prune as a part of an Application', () => {
    const all = render(gatewayOf({ runnerGroups: [groupOf()] }), tenantContext);
    const metadata = all.map(({ configuration }) => configuration.metadata);
    const unowned = metadata.filter(({ ownerReferences }) => ownerReferences === undefined);
    expect(unowned.map(({ name }) => name).sort()).toEqual([
      'actions-gateway-controller',
      'actions-gateway-proxy',
      'actions-gateway-workload',
    ]);
    for (const { labels } of unowned) expect(labels).not.toHaveProperty(['app.kubernetes.io/instance']);
  });

  it('returns the same objects for the same gateway', () => {
    expect(render(gatewayOf(), tenantContext)).toEqual(render(gatewayOf(), tenantContext));
  });

  it('does not let the proxy reach any network while the networks of GitHub are unknown', () => {
    const context = { ...tenantContext, githubRanges: undefined };
    const policy = find(gatewayOf(), 'NetworkPolicy', 'actions-gateway-proxy', context);
    expect((policy as unknown as { spec: { egress: unknown[] } }).spec.egress).toHaveLength(1);
  });

  it('lets the controller reach the ports of the API server', () => {
    const context = { ...tenantContext, apiServerPorts: [443, 16443] };
    expect(find(gatewayOf(), 'NetworkPolicy', 'actions-gateway-controller', context)).toMatchObject({
      spec: { egress: expect.arrayContaining([{ ports: [{ port: 443 }, { port: 16443 }] }]) },
    });
  });

  it('lets the proxy reach a server in a private network on its port', () => {
    const installation = { ...tenantContext.installation, extraRanges: ['10.20.0.0/16'] };
    const gateway = gatewayOf({ gitHubURL: 'https://github.example.com:8443/acme' });
    const context = { ...tenantContext, installation, githubRanges: ['10.20.0.0/16'] };
    const proxy = find(gateway, 'Deployment', 'actions-gateway-proxy', context) as unknown as Pods;
    const variables = proxy.spec.template.spec.containers[0]?.env;
    expect(variables).toContainEqual({ name: 'PROXY_ALLOWED_CIDRS', value: '10.20.0.0/16' });
    expect(variables).toContainEqual({ name: 'PROXY_ALLOWED_PORTS', value: '443,8443' });
    expect(find(gateway, 'NetworkPolicy', 'actions-gateway-proxy', context)).toMatchObject({
      spec: {
        egress: [{}, { ports: [{ port: 443 }, { port: 8443 }], to: [{ ipBlock: { cidr: '10.20.0.0/16' } }] }],
      },
    });
  });

  it('takes the resources of the proxy from the gateway', () => {
    const { proxy } = gatewayOf().spec;
    const resources = { requests: { cpu: '1' } };
    const of = (gateway: ActionsGateway) =>
      (find(gateway, 'Deployment', 'actions-gateway-proxy') as unknown as Pods).spec.template.spec
        .containers[0]?.resources;
    expect(of(gatewayOf({ proxy: { ...proxy, resources } }))).toEqual(resources);
    expect(of(gatewayOf({ proxy: { ...proxy, resources: {} } }))).toMatchObject({
      limits: { memory: '64Mi' },
    });
  });

  it('passes the URL, the proxy and the trace endpoint to the controller', () => {
    expect(
      variables(gatewayOf({ tracing: { endpoint: 'https://otel:4317', sampler: 'always_on' } })),
    ).toMatchObject({
      GITHUB_ORG_URL: 'https://github.com/acme',
      HTTPS_PROXY: 'https://actions-gateway-proxy.team-a.svc:8080',
      WORKER_PROXY_URL: 'http://actions-gateway-proxy.team-a.svc:8080',
      NO_PROXY: expect.stringContaining('10.96.0.0/12'),
      OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'https://otel:4317',
      OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: 'grpc',
      OTEL_TRACES_SAMPLER: 'always_on',
    });
    expect(Object.keys(variables(gatewayOf())).filter((name) => name.startsWith('OTEL_'))).toEqual([]);
  });
});

describe('noProxyOf', () => {
  it('lists the entries of the tenant, then the cluster and the API server, without duplicates', () => {
    expect(noProxyOf(['localhost', 'internal'], ['10.96.0.1', 'fd00::1'])).toBe(
      'localhost,internal,kubernetes.default.svc,svc.cluster.local,127.0.0.1,10.96.0.1,fd00::1',
    );
  });
});

describe('tracingVariables', () => {
  it('encodes attributes and sorts them by name', () => {
    const resourceAttributes = { team: 'a,b', cluster: 'prod' };
    expect(
      tracingVariables({ endpoint: 'https://otel', insecure: false, samplerArg: '0.1', resourceAttributes }),
    ).toEqual([
      { name: 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', value: 'https://otel' },
      { name: 'OTEL_EXPORTER_OTLP_TRACES_PROTOCOL', value: 'grpc' },
      { name: 'OTEL_EXPORTER_OTLP_TRACES_INSECURE', value: 'false' },
      { name: 'OTEL_TRACES_SAMPLER_ARG', value: '0.1' },
      { name: 'OTEL_RESOURCE_ATTRIBUTES', value: 'cluster=prod,team=a%2Cb' },
    ]);
  });

  it.each([
    ['https://otel:4317', undefined, 'https://otel:4317'],
    ['https://otel:4317', true, 'http://otel:4317'],
    ['http://otel:4317', undefined, 'http://otel:4317'],
    ['http://otel:4317', true, 'http://otel:4317'],
    ['http://otel:4317', false, 'https://otel:4317'],
  ])('names %s, with insecure %s, as %s: the scheme decides about TLS', (endpoint, insecure, named) => {
    const [variable] = tracingVariables({ endpoint, insecure } as Parameters<typeof tracingVariables>[0]);
    expect(variable).toEqual({ name: 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', value: named });
  });

  it('returns no variables without an endpoint', () => {
    expect(tracingVariables({ sampler: 'always_on' })).toEqual([]);
  });
});

describe('tracingRules', () => {
  const ofNamespace = (name: string) => ({
    namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': name } },
  });

  it.each<[string, number, object | undefined]>([
    ['https://otel-collector.observability:4317', 4317, ofNamespace('observability')],
    ['http://otel.observability.svc/v1/traces', 443, ofNamespace('observability')],
    ['http://otel.observability:80', 443, ofNamespace('observability')],
    ['https://otel.observability.svc.cluster.local', 443, ofNamespace('observability')],
    ['http://otel:4318', 4318, { podSelector: {} }],
    ['http://10.1.2.3:4318', 4318, { ipBlock: { cidr: '10.1.2.3/32' } }],
    ['http://[fd00::1]:4318', 4318, { ipBlock: { cidr: 'fd00::1/128' } }],
    ['https://api.honeycomb.example:4317', 4317, undefined],
    ['https://collector.example.:4317', 4317, undefined],
    ['https://collector.-:4317', 4317, undefined],
  ])('allows the collector %s', (endpoint, port, peer) => {
    const rules = [{ ports: [{ port }], ...(peer && { to: [peer] }) }];
    expect(tracingRules({ endpoint })).toEqual(rules);
    expect(
      find(gatewayOf({ tracing: { endpoint } }), 'NetworkPolicy', 'actions-gateway-controller'),
    ).toMatchObject({
      spec: { egress: expect.arrayContaining(rules) },
    });
  });

  it.each([undefined, {}, { endpoint: '' }, { endpoint: 'https://' }])('allows nothing for %j', (tracing) => {
    expect(tracingRules(tracing)).toEqual([]);
  });
});
