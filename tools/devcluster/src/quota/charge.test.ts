import { describe, expect, it } from '@jest/globals';
import { listToText } from '@interlock/api/quantities';
import type { KubeObject } from '../object.js';
import type { JsonObject } from '../schema/types.js';
import { chargeQuotas, type ChargeResult } from './charge.js';
import { evaluatorOf } from './evaluators.js';

const now = new Date('2026-01-01T00:00:00Z');
const core = (plural: string): { group: string; plural: string } => ({ group: '', plural });

function quota(hard: JsonObject, used: JsonObject, spec: JsonObject = {}): KubeObject {
  return { apiVersion: 'v1', kind: 'ResourceQuota', metadata: { name: 'q' }, spec, status: { hard, used } };
}

function pod(resources: JsonObject = {}, spec: JsonObject = {}): KubeObject {
  const containers = [{ name: 'c', resources }];
  return { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p' }, spec: { containers, ...spec } };
}

function service(type: string, ports: number): KubeObject {
  const list = Array.from({ length: ports }, (_, index) => ({ port: 80 + index }));
  return { apiVersion: 'v1', kind: 'Service', metadata: { name: 's' }, spec: { type, ports: list } };
}

function outcome(result: ChargeResult): string[] {
  return 'refused' in result
    ? [result.refused]
    : result.charges.map(({ quota: { metadata }, used }) => `${metadata.name} uses ${listToText(used)}`);
}

function charge(
  plural: string,
  object: KubeObject,
  old: KubeObject | undefined,
  ...quotas: KubeObject[]
): string[] {
  const evaluator = evaluatorOf(core(plural));
  return evaluator === undefined ? [] : outcome(chargeQuotas(quotas, evaluator, { object, old, now }));
}

const cpu = (amount: string): JsonObject => ({ requests: { cpu: amount } });

describe('chargeQuotas', () => {
  it.each<[string, KubeObject, KubeObject, string[]]>([
    [
      'adds a pod to the usage',
      quota({ pods: '2', 'requests.cpu': '1' }, { pods: '1', 'requests.cpu': '500m' }),
      pod(cpu('500m')),
      ['q uses pods=2,requests.cpu=1'],
    ],
    [
      'refuses a pod and names only the exceeded resources',
      quota(
        { pods: '1', 'requests.cpu': '1', 'requests.memory': '4Gi' },
        { pods: '1', 'requests.cpu': '800m', 'requests.memory': '1Gi' },
      ),
      pod({ requests: { cpu: '500m', memory: '1Gi' } }),
      [
        'exceeded quota: q, requested: pods=1,requests.cpu=500m, used: pods=1,requests.cpu=800m, limited: pods=1,requests.cpu=1',
      ],
    ],
    [
      'refuses a pod that does not state the limited resources',
      quota({ 'requests.cpu': '1', memory: '1Gi' }, { 'requests.cpu': '0', memory: '0' }),
      pod(),
      ['failed quota: q: must specify memory for: c; requests.cpu for: c'],
    ],
    [
      'does not require resources of containers if the pod as a whole states them',
      quota({ 'requests.cpu': '1' }, { 'requests.cpu': '0' }),
      pod({}, { resources: cpu('1') }),
      ['q uses requests.cpu=1'],
    ],
    [
      'does not require ephemeral storage to be stated',
      quota({ 'limits.ephemeral-storage': '1Gi', pods: '1' }, { 'limits.ephemeral-storage': '0', pods: '0' }),
      pod(),
      ['q uses limits.ephemeral-storage=0,pods=1'],
    ],
    [
      'counts extended resources by their requests',
      quota({ 'requests.example.com/gpu': '2' }, { 'requests.example.com/gpu': '1' }),
      pod({ requests: { 'example.com/gpu': '2' } }),
      [
        'exceeded quota: q, requested: requests.example.com/gpu=2, used: requests.example.com/gpu=1, limited: requests.example.com/gpu=2',
      ],
    ],
    [
      'refuses a pod if the usage is not counted yet',
      quota({ pods: '2', 'count/pods': '2' }, { pods: '1' }),
      pod(),
      ['status unknown for quota: q, resources: count/pods,pods'],
    ],
    ['ignores a quota without a status', quota({}, {}), pod(), []],
    ['ignores a quota of other resources', quota({ secrets: '0' }, { secrets: '0' }), pod(), []],
    [
      'ignores a quota of another scope',
      quota({ pods: '0' }, { pods: '0' }, { scopes: ['Terminating'] }),
      pod(),
      [],
    ],
    [
      'does not refuse a pod that adds nothing to a resource whose limit is already exceeded',
      quota({ pods: '5', 'requests.cpu': '1' }, { pods: '1', 'requests.cpu': '3' }),
      pod({ requests: { cpu: '0' } }),
      ['q uses pods=2,requests.cpu=3'],
    ],
    [
      'refuses a pod with negative requests',
      quota({ 'requests.cpu': '1' }, { 'requests.cpu': '0' }),
      pod(cpu('-1')),
      ['quota usage is negative for resource(s): cpu,requests.cpu'],
    ],
  ])('%s', (_, limits, object, expected) => {
    expect(charge('pods', object, undefined, limits)).toEqual(expected);
  });

  it('does not charge any quota when one quota refuses', () => {
    const wide = quota({ pods: '9' }, { pods: '0' });
    const full = quota({ pods: '0' }, { pods: '0' });
    expect(charge('pods', pod(), undefined, wide, full)).toEqual([
      'exceeded quota: q, requested: pods=1, used: pods=0, limited: pods=0',
    ]);
  });

  it.each<[string, KubeObject, string[]]>([
    ['more node ports', service('NodePort', 3), ['q uses services=1,services.nodeports=4']],
    ['a load balancer', service('LoadBalancer', 2), []],
    ['fewer node ports', service('ClusterIP', 2), []],
    [
      'too many node ports',
      service('NodePort', 6),
      [
        'exceeded quota: q, requested: services.nodeports=4, used: services.nodeports=3, limited: services.nodeports=5',
      ],
    ],
  ])('charges the difference of an update: %s', (_, changed, expected) => {
    const limits = quota(
      { services: '1', 'services.nodeports': '5' },
      { services: '1', 'services.nodeports': '3' },
    );
    expect(charge('services', changed, service('NodePort', 2), limits)).toEqual(expected);
  });

  it('counts other kinds by group and resource, and core kinds by their name too', () => {
    const secret: KubeObject = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 's' } };
    const limits = quota(
      { secrets: '1', 'count/secrets': '1', 'count/secrets.example.com': '0' },
      { secrets: '0', 'count/secrets': '0', 'count/secrets.example.com': '0' },
    );
    expect(charge('secrets', secret, undefined, limits)).toEqual([
      'q uses count/secrets=1,count/secrets.example.com=0,secrets=1',
    ]);
    expect(evaluatorOf({ group: 'apps', plural: 'deployments' })?.counts('count/deployments.apps')).toBe(
      true,
    );
    expect(evaluatorOf(core('events'))).toBeUndefined();
  });
});
