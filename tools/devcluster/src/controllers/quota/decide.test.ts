import { describe, expect, it } from '@jest/globals';
import type { KubeObject } from '../../object.js';
import { evaluatorOf } from '../../quota/evaluators.js';
import type { JsonObject } from '../../schema/types.js';
import { decideQuotaStatus, type Counted } from './decide.js';

const now = new Date('2026-01-01T00:10:00Z');

function quota(hard: JsonObject, status: JsonObject = {}, spec: JsonObject = {}): KubeObject {
  return {
    apiVersion: 'v1',
    kind: 'ResourceQuota',
    metadata: { name: 'q' },
    spec: { hard, ...spec },
    status,
  };
}

function pod(cpu: string, fields: JsonObject = {}, metadata: JsonObject = {}): KubeObject {
  const containers = [{ name: 'c', resources: { requests: { cpu } } }];
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'p', ...metadata },
    spec: { containers },
    ...fields,
  };
}

function counted(plural: string, objects: readonly KubeObject[]): Counted[] {
  const evaluator = evaluatorOf({ group: '', plural });
  return evaluator === undefined ? [] : [{ evaluator, objects: () => objects }];
}

const left = { deletionTimestamp: '2026-01-01T00:00:00Z', deletionGracePeriodSeconds: 30 };
const hard = { pods: '4', 'count/pods': '9', 'requests.cpu': '4' };

describe('decideQuotaStatus', () => {
  it.each<[string, KubeObject, KubeObject[], JsonObject | undefined]>([
    [
      'counts the existing objects for a new quota',
      quota(hard),
      [pod('500m'), pod('1500m')],
      { hard, used: { 'count/pods': '2', pods: '2', 'requests.cpu': '2' } },
    ],
    [
      'subtracts objects that no longer exist',
      quota(hard, { hard, used: { 'count/pods': '2', pods: '2', 'requests.cpu': '2' } }),
      [],
      { hard, used: { 'count/pods': '0', pods: '0', 'requests.cpu': '0' } },
    ],
    [
      'counts pods that have ended as objects only',
      quota(hard),
      [pod('1', { status: { phase: 'Succeeded' } }), pod('1', { status: { phase: 'Failed' } }), pod('1')],
      { hard, used: { 'count/pods': '3', pods: '1', 'requests.cpu': '1' } },
    ],
    [
      'counts pods whose grace period ended long ago as objects only',
      quota(hard),
      [pod('1', {}, left)],
      { hard, used: { 'count/pods': '1', pods: '0', 'requests.cpu': '0' } },
    ],
    [
      'does not change a correct status, however its quantities are written',
      quota(
        { pods: '4', 'requests.cpu': '4' },
        { hard: { pods: '4', 'requests.cpu': '4000m' }, used: { pods: '1', 'requests.cpu': '1000m' } },
      ),
      [pod('1')],
      undefined,
    ],
    [
      'copies limits that changed',
      quota({ pods: '5' }, { hard: { pods: '4', secrets: '1' }, used: { pods: '1', secrets: '0' } }),
      [pod('1')],
      { hard: { pods: '5' }, used: { pods: '1' } },
    ],
    [
      'counts only pods in the scope of the quota',
      quota({ pods: '4' }, {}, { scopes: ['Terminating'] }),
      [pod('1'), { ...pod('1'), spec: { activeDeadlineSeconds: 5 } }],
      { hard: { pods: '4' }, used: { pods: '1' } },
    ],
    [
      'reports zero for known kinds that are not served, and omits unknown names',
      quota({ persistentvolumeclaims: '1', 'requests.storage': '1Gi', 'count/widgets.example.com': '1' }),
      [],
      {
        hard: { 'count/widgets.example.com': '1', persistentvolumeclaims: '1', 'requests.storage': '1Gi' },
        used: { persistentvolumeclaims: '0', 'requests.storage': '0' },
      },
    ],
    ['does not change a quota without limits', quota({}), [], undefined],
  ])('%s', (_, object, pods, expected) => {
    expect(decideQuotaStatus(object, counted('pods', pods), now)).toEqual(expected);
  });

  it('computes the usage of an object once, unless it is being deleted', () => {
    const evaluator = evaluatorOf({ group: '', plural: 'pods' });
    if (evaluator === undefined) throw new Error('pods are not counted');
    const asked: string[] = [];
    const usage = (object: KubeObject, at: Date) => {
      asked.push(object.metadata.name);
      return evaluator.usage(object, at);
    };
    const objects = [pod('1', {}, { name: 'stays' }), pod('1', {}, { ...left, name: 'leaves' })];
    const contents = [{ evaluator: { ...evaluator, usage }, objects: () => objects }];
    decideQuotaStatus(quota(hard), contents, now);
    decideQuotaStatus(quota(hard), contents, now);
    expect(asked).toEqual(['stays', 'leaves', 'leaves']);
  });
});
