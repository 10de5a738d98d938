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
  it('accepts the example of the manual', () => {
    expect(gatewayProblems(gatewayOf(), undefined, neighbourhood)).toEqual([]);
  });

  it.each<[string, Spec, string]>([
    ['a URL without an owner', { gitHubURL: 'https://github.com' }, 'spec.gitHubURL'],
    ['a URL without TLS', { gitHubURL: 'http://github.com/acme' }, 'spec.gitHubURL'],
    ['a URL that is none', { gitHubURL: 'https://' }, 'spec.gitHubURL'],
    ['a URL with a password', { gitHubURL: 'https://u:p@github.com/acme' }, 'spec.gitHubURL'],
    ['a URL with a query', { gitHubURL: 'https://github.com/acme?x' }, 'spec.gitHubURL'],
    ['a URL with a user', { gitHubURL: 'https://github.com@example.com/acme' }, 'spec.gitHubURL'],
    ['a URL with two hosts', { gitHubURL: 'https://github.com,evil.example/acme' }, 'spec.gitHubURL'],
    ['a URL with a pattern of hosts', { gitHubURL: 'https://*.example.com/acme' }, 'spec.gitHubURL'],
    ['a URL with an end of a line', { gitHubURL: 'https://github.com/acme\nX: y' }, 'spec.gitHubURL'],
    ['a URL with a tabulator', { gitHubURL: 'https://git\thub.com/acme' }, 'spec.gitHubURL'],
    ['a URL with a backslash', { gitHubURL: 'https://github.com\\@example.com/acme' }, 'spec.gitHubURL'],
    ['a URL with letters that look like others', { gitHubURL: 'https://gıthub.com/acme' }, 'spec.gitHubURL'],
    ['a URL with an address of IPv6', { gitHubURL: 'https://[::1]/acme' }, 'spec.gitHubURL'],
    ['a URL with an encoded path', { gitHubURL: 'https://github.com/acme%2f..' }, 'spec.gitHubURL'],
    ['a URL with no such port', { gitHubURL: 'https://github.com:99999/acme' }, 'spec.gitHubURL'],
    ['a URL of a file', { gitHubURL: 'https://github.com/acme/web/issues' }, 'spec.gitHubURL'],
    [
      'a Secret of a namespace that lends none',
      { gitHubAppRef: { name: 'app', namespace: 'team-b' } },
      'spec.gitHubAppRef.namespace',
    ],
    ['a privileged profile without the label', { securityProfile: 'privileged' }, 'spec.securityProfile'],
    ['a way around the proxy for GitHub', withProxy('github.com'), 'spec.proxy.noProxyCIDRs[0]'],
    ['one for a part of it', withProxy('10.0.0.0/8', '.githubusercontent.com'), 'spec.proxy.noProxyCIDRs[1]'],
    ['one for a whole domain', withProxy('*.com'), 'spec.proxy.noProxyCIDRs[0]'],
    ['one with a port', withProxy('github.com:443'), 'spec.proxy.noProxyCIDRs[0]'],
    ['one with the dot of the root', withProxy('GitHub.com.'), 'spec.proxy.noProxyCIDRs[0]'],
    ['one for the end of a name', withProxy('*hub.com'), 'spec.proxy.noProxyCIDRs[0]'],
    ['one for everything', withProxy('*'), 'spec.proxy.noProxyCIDRs[0]'],
    ['one for every address', withProxy('0.0.0.0/0'), 'spec.proxy.noProxyCIDRs[0]'],
    ['one for every address of IPv6', withProxy('::/0'), 'spec.proxy.noProxyCIDRs[0]'],
    [
      'a priority class of a tier that is not allowed',
      withGroup({ priorityTiers: [{ priorityClassName: 'system-node-critical', threshold: 1 }] }),
      'spec.runnerGroups[1].priorityTiers[0].priorityClassName',
    ],
    [
      'one of a pod template',
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
    ['a server at a port', { gitHubURL: 'https://ghes.example.com:8443/acme/' }, {}],
    ['a server with a name in Punycode', { gitHubURL: 'https://xn--bcher-kva.example/acme' }, {}],
    ['an enterprise of a server', { gitHubURL: 'https://ghes.example.com/enterprises/acme' }, {}],
    [
      'a Secret of a namespace that lends',
      { gitHubAppRef: { name: 'app', namespace: 'shared-credentials' } },
      {},
    ],
    ['its own namespace by name', { gitHubAppRef: { name: 'app', namespace: 'team-a' } }, {}],
    [
      'an allowed priority class',
      withGroup({ priorityTiers: [{ priorityClassName: 'runner-standard', threshold: 3 }] }),
      {},
    ],
    ['networks of the cluster', withProxy('10.0.0.0/8', 'fd00::/48', 'registry.internal'), {}],
    [
      'privileged containers with that profile',
      { securityProfile: 'privileged', ...withGroup(pod(privileged)) },
      { namespaceLabels: { 'actions-gateway.github.com/privileged-profile': 'allowed' } },
    ],
    ['itself among the gateways of its namespace', {}, { others: ['gateway'] }],
  ])('accepts %s', (_, spec, changes) => {
    expect(fieldsOf(spec, changes)).toEqual([]);
  });

  it('refuses a reserved namespace, and a second gateway', () => {
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
  ])('takes a change of the profile from %s to %s without the annotation: %s', (from, to, isTaken) => {
    const labels = { 'actions-gateway.github.com/privileged-profile': 'allowed' };
    const old = gatewayOf({ securityProfile: from });
    const changed = gatewayOf({ securityProfile: to });
    const look = (gateway: ActionsGateway) =>
      gatewayProblems(gateway, old, { ...neighbourhood, namespaceLabels: labels });
    expect(look(changed).length === 0).toBe(isTaken);
    changed.metadata.annotations = { 'actions-gateway.github.com/allow-profile-downgrade': 'true' };
    expect(look(changed)).toEqual([]);
  });

  it('names the value and the fix', () => {
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

it('gatewayWarnings warns of a proxy that cannot be scaled', () => {
  const { proxy } = gatewayOf().spec;
  const resources = { requests: { memory: '32Mi' } };
  expect(gatewayWarnings(gatewayOf({ proxy: { ...proxy, resources } }))).toHaveLength(1);
  expect(gatewayWarnings(gatewayOf())).toEqual([]);
});
