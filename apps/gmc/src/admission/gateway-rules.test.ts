import { describe, expect, it } from '@jest/globals';
import type { ActionsGateway, RunnerGroupSpec } from '@interlock/api';
import { gatewayProblems, gatewayWarnings, type GatewayNeighbourhood } from './gateway-rules.js';
import { gatewayOf, groupOf } from '../testing/builders.js';

const neighbourhood: GatewayNeighbourhood = {
  policy: {
    allowedPriorityClasses: ['runner-standard'],
    reservedNamespaces: ['kube-system', 'interlock-system'],
    credentialNamespaces: ['shared-credentials'],
  },
  namespaceLabels: {},
  others: [],
};

type Spec = Partial<ActionsGateway['spec']>;
const fieldsOf = (spec: Spec, changes: Partial<GatewayNeighbourhood> = {}): string[] =>
  gatewayProblems(gatewayOf(spec), undefined, { ...neighbourhood, ...changes }).map(({ field }) => field);
const withProxy = (...noProxyCIDRs: string[]): Spec => ({
  proxy: { ...gatewayOf().spec.proxy, noProxyCIDRs },
});
const withGroup = (changes: Partial<RunnerGroupSpec>): Spec => ({
  runnerGroups: [groupOf(), groupOf({ name: 'gpu', ...changes })],
});
const pod = (container: object, list = 'containers'): Partial<RunnerGroupSpec> => ({
  podTemplate: { spec: { containers: [], [list]: [{ name: 'dind', ...container }] } },
});
const privileged = { securityContext: { privileged: true } };

describe('gatewayProblems', () => {
  it('does not repeat the password of a trace collector', () => {
    const tracing = { endpoint: 'https://me:geheim@otel:4317' };
    expect(gatewayProblems(gatewayOf({ tracing }), undefined, neighbourhood)).toEqual([
      {
        field: 'spec.tracing.endpoint',
        value: 'https://***@otel:4317',
        message: expect.stringContaining('must not contain a user or a password'),
      },
    ]);
  });

  it.each(['', 'https://otel-collector.observability:4317', 'http://10.0.0.1/v1/traces?team=a@b'])(
    'accepts the trace collector %j',
    (endpoint) => {
      expect(fieldsOf({ tracing: { endpoint } })).toEqual([]);
    },
  );

  it('accepts the example of the documentation', () => {
    expect(gatewayProblems(gatewayOf(), undefined, neighbourhood)).toEqual([]);
  });

  it.each([
    ['a..b', false],
    ['a.-b', false],
    ['a-.b', false],
    ['a.b--c', true],
  ])('checks that the RunnerGroup of the group %s has a valid name: %s', (name, isValid) => {
    expect(fieldsOf({ runnerGroups: [groupOf({ name })] })).toEqual(
      isValid ? [] : ['spec.runnerGroups[0].name'],
    );
  });

  it.each<[string, Record<string, string>, boolean]>([
    ['of 255 characters', { team: 'v'.repeat(255) }, true],
    ['of 256 characters', { team: 'v'.repeat(256) }, false],
    ['without a name', { '': 'v' }, false],
  ])('checks that the exporter does not discard resource attributes %s', (_, resourceAttributes, isValid) => {
    expect(fieldsOf({ tracing: { endpoint: 'https://otel:4317', resourceAttributes } })).toEqual(
      isValid ? [] : ['spec.tracing.resourceAttributes'],
    );
  });

  it.each<[string, Spec, string]>([
    ['a URL without an owner', { gitHubURL: 'https://github.com' }, 'spec.gitHubURL'],
    ['a URL without TLS', { gitHubURL: 'http://github.com/acme' }, 'spec.gitHubURL'],
    ['a text that is not a URL', { gitHubURL: 'https://' }, 'spec.gitHubURL'],
    ['a URL with a password', { gitHubURL: 'https://u:p@github.com/acme' }, 'spec.gitHubURL'],
    ['a URL with a query', { gitHubURL: 'https://github.com/acme?x' }, 'spec.gitHubURL'],
    ['a URL with a user', { gitHubURL: 'https://github.com@example.com/acme' }, 'spec.gitHubURL'],
    ['a URL with two hosts', { gitHubURL: 'https://github.com,evil.example/acme' }, 'spec.gitHubURL'],
    ['a URL with a host pattern', { gitHubURL: 'https://*.example.com/acme' }, 'spec.gitHubURL'],
    ['a URL with a line break', { gitHubURL: 'https://github.com/acme\nX: y' }, 'spec.gitHubURL'],
    ['a URL with a tab', { gitHubURL: 'https://git\thub.com/acme' }, 'spec.gitHubURL'],
    ['a URL with a backslash', { gitHubURL: 'https://github.com\\@example.com/acme' }, 'spec.gitHubURL'],
    ['a URL with homoglyphs', { gitHubURL: 'https://gıthub.com/acme' }, 'spec.gitHubURL'],
    ['a URL with an IPv6 address', { gitHubURL: 'https://[::1]/acme' }, 'spec.gitHubURL'],
    ['a URL with an encoded path', { gitHubURL: 'https://github.com/acme%2f..' }, 'spec.gitHubURL'],
    ['a URL with an invalid port', { gitHubURL: 'https://github.com:99999/acme' }, 'spec.gitHubURL'],
    ['a URL with port 0', { gitHubURL: 'https://github.com:0/acme' }, 'spec.gitHubURL'],
    [
      'a URL with a label that begins with a dash',
      { gitHubURL: 'https://-x.example/acme' },
      'spec.gitHubURL',
    ],
    ['a URL with a long label', { gitHubURL: `https://${'a'.repeat(64)}.example/acme` }, 'spec.gitHubURL'],
    ['a URL with a long host', { gitHubURL: `https://${'a.'.repeat(126)}ab/acme` }, 'spec.gitHubURL'],
    ['a URL of a file', { gitHubURL: 'https://github.com/acme/web/issues' }, 'spec.gitHubURL'],
    [
      'a Secret of a namespace that is not listed in the policy',
      { gitHubAppRef: { name: 'app', namespace: 'team-b' } },
      'spec.gitHubAppRef.namespace',
    ],
    ['a collector with a user', { tracing: { endpoint: 'https://me@otel:4317' } }, 'spec.tracing.endpoint'],
    ['a collector with an empty user', { tracing: { endpoint: 'https://@otel' } }, 'spec.tracing.endpoint'],
    ['a collector without a host', { tracing: { endpoint: 'https://:4317' } }, 'spec.tracing.endpoint'],
    ['a collector with port 0', { tracing: { endpoint: 'https://otel:0' } }, 'spec.tracing.endpoint'],
    ['a privileged profile without the label', { securityProfile: 'privileged' }, 'spec.securityProfile'],
    ['a proxy bypass for GitHub', withProxy('github.com'), 'spec.proxy.noProxyCIDRs[0]'],
    [
      'a proxy bypass for a subdomain of GitHub',
      withProxy('10.0.0.0/8', '.githubusercontent.com'),
      'spec.proxy.noProxyCIDRs[1]',
    ],
    [
      'a proxy bypass for the broker of GitHub',
      withProxy('broker.actions.githubusercontent.com'),
      'spec.proxy.noProxyCIDRs[0]',
    ],
    [
      'a proxy bypass for the API of a company of its own domain',
      { gitHubURL: 'https://acme.ghe.com/acme', ...withProxy('api.acme.ghe.com') },
      'spec.proxy.noProxyCIDRs[0]',
    ],
    ['a proxy bypass for a top-level domain', withProxy('*.com'), 'spec.proxy.noProxyCIDRs[0]'],
    ['a proxy bypass with a port', withProxy('github.com:443'), 'spec.proxy.noProxyCIDRs[0]'],
    ['a proxy bypass with the dot of the root', withProxy('GitHub.com.'), 'spec.proxy.noProxyCIDRs[0]'],
    ['a proxy bypass for the suffix of a name', withProxy('*hub.com'), 'spec.proxy.noProxyCIDRs[0]'],
    ['a proxy bypass for every host', withProxy('*'), 'spec.proxy.noProxyCIDRs[0]'],
    ['a proxy bypass for every address', withProxy('0.0.0.0/0'), 'spec.proxy.noProxyCIDRs[0]'],
    ['a proxy bypass for every IPv6 address', withProxy('::/0'), 'spec.proxy.noProxyCIDRs[0]'],
    [
      'a PriorityClass of a tier that is not allowed',
      withGroup({ priorityTiers: [{ priorityClassName: 'system-node-critical', threshold: 1 }] }),
      'spec.runnerGroups[1].priorityTiers[0].priorityClassName',
    ],
    [
      'a PriorityClass of a pod template that is not allowed',
      withGroup({ podTemplate: { spec: { containers: [], priorityClassName: 'other' } } }),
      'spec.runnerGroups[1].podTemplate.spec.priorityClassName',
    ],
    [
      'a privileged container',
      withGroup(pod(privileged)),
      'spec.runnerGroups[1].podTemplate.spec.containers[0].securityContext.privileged',
    ],
    [
      'a privileged init container',
      withGroup(pod(privileged, 'initContainers')),
      'spec.runnerGroups[1].podTemplate.spec.initContainers[0].securityContext.privileged',
    ],
  ])('refuses %s', (_, spec, field) => {
    expect(fieldsOf(spec)).toEqual([field]);
  });

  it.each<[string, Spec, Partial<GatewayNeighbourhood>]>([
    ['a repository', { gitHubURL: 'https://github.com/acme/web' }, {}],
    ['a server with a port', { gitHubURL: 'https://ghes.example.com:8443/acme/' }, {}],
    ['a server with an underscore', { gitHubURL: 'https://ghes_1.example.com/acme' }, {}],
    ['a server with the longest name', { gitHubURL: `https://${'a.'.repeat(126)}a:65535/acme` }, {}],
    ['a server with a Punycode name', { gitHubURL: 'https://xn--bcher-kva.example/acme' }, {}],
    ['an enterprise of a server', { gitHubURL: 'https://ghes.example.com/enterprises/acme' }, {}],
    [
      'a Secret of a namespace that is listed in the policy',
      { gitHubAppRef: { name: 'app', namespace: 'shared-credentials' } },
      {},
    ],
    [
      'a Secret in its own namespace, with the namespace set',
      { gitHubAppRef: { name: 'app', namespace: 'team-a' } },
      {},
    ],
    [
      'an allowed PriorityClass',
      withGroup({ priorityTiers: [{ priorityClassName: 'runner-standard', threshold: 3 }] }),
      {},
    ],
    ['networks of the cluster', withProxy('10.0.0.0/8', 'fd00::/48', 'registry.internal'), {}],
    [
      'privileged containers with the profile privileged',
      { securityProfile: 'privileged', ...withGroup(pod(privileged)) },
      { namespaceLabels: { 'actions-gateway.github.com/privileged-profile': 'allowed' } },
    ],
    ['a gateway that is itself among the gateways of its namespace', {}, { others: ['gateway'] }],
  ])('accepts %s', (_, spec, changes) => {
    expect(fieldsOf(spec, changes)).toEqual([]);
  });

  it('refuses resource attributes that are too long for a variable when they are encoded', () => {
    const attributes = (value: string) => ({
      tracing: {
        resourceAttributes: Object.fromEntries(
          Array.from({ length: 64 }, (_, at) => [`team-${at}`, value.repeat(255)]),
        ),
      },
    });
    expect(fieldsOf(attributes('\u00e9'), {})).toEqual([]);
    expect(fieldsOf(attributes('\u4e2d'), {})).toEqual(['spec.tracing.resourceAttributes']);
  });

  it('refuses a gateway in a reserved namespace, and a second gateway', () => {
    const { policy } = neighbourhood;
    const reserved = { policy: { ...policy, reservedNamespaces: ['team-a'] } };
    expect(fieldsOf({}, reserved)).toEqual(['metadata.namespace']);
    expect(fieldsOf({}, { others: ['gateway', 'second'] })).toEqual(['metadata.namespace']);
  });

  it.each<[ActionsGateway['spec']['securityProfile'], ActionsGateway['spec']['securityProfile'], boolean]>([
    ['baseline', 'restricted', true],
    ['restricted', 'restricted', true],
    ['restricted', 'baseline', false],
    ['baseline', 'privileged', false],
  ])('accepts a change of the profile from %s to %s without the annotation: %s', (from, to, isAccepted) => {
    const labels = { 'actions-gateway.github.com/privileged-profile': 'allowed' };
    const old = gatewayOf({ securityProfile: from });
    const changed = gatewayOf({ securityProfile: to });
    const problemsOf = (gateway: ActionsGateway) =>
      gatewayProblems(gateway, old, { ...neighbourhood, namespaceLabels: labels });
    expect(problemsOf(changed).length === 0).toBe(isAccepted);
    changed.metadata.annotations = { 'actions-gateway.github.com/allow-profile-downgrade': 'true' };
    expect(problemsOf(changed)).toEqual([]);
  });

  it('reports the value and the correction', () => {
    expect(gatewayProblems(gatewayOf({ gitHubURL: 'https://github.com' }), undefined, neighbourhood)).toEqual(
      [
        {
          field: 'spec.gitHubURL',
          value: 'https://github.com',
          message:
            'gitHubURL must name an organization, a repository or an enterprise; write it as https://github.com/my-org',
        },
      ],
    );
  });
});

it.each<[string, object | undefined, number]>([
  ['that requests memory only', { requests: { memory: '32Mi' } }, 1],
  ['that limits memory only', { limits: { memory: '64Mi' } }, 1],
  ['whose limit of cpu becomes its request', { requests: { memory: '32Mi' }, limits: { cpu: '1' } }, 0],
  ['with empty resources', {}, 0],
  ['with the default resources', undefined, 0],
])('gatewayWarnings considers whether a proxy %s can be scaled', (_, resources, warnings) => {
  const { proxy } = gatewayOf().spec;
  const gateway = gatewayOf({ proxy: resources === undefined ? proxy : { ...proxy, resources } });
  expect(gatewayWarnings(gateway)).toHaveLength(warnings);
});
