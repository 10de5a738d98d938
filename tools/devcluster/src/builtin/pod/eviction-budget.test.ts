import { describe, expect, it } from '@jest/globals';
import { ApiError } from '../../api/api-error.js';
import type { KubeObject } from '../../object.js';
import type { JsonObject } from '../../schema/types.js';
import { charged, ignoresBudgets, isFreeOfCharge } from './eviction-budget.js';

const now = new Date('2030-01-01T00:00:00Z');

function budget(status: JsonObject, spec: JsonObject = {}): KubeObject {
  return {
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    metadata: { name: 'web', generation: 1 },
    spec,
    status: { observedGeneration: 1, currentHealthy: 2, desiredHealthy: 1, ...status },
  };
}

function pod(status: JsonObject, metadata: JsonObject = {}): KubeObject {
  return { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p', ...metadata }, status };
}

describe('A budget that is charged with an eviction', () => {
  it('decreases the allowed disruptions, and contains the pod', () => {
    expect(charged(budget({ disruptionsAllowed: 2, disruptedPods: { o: 'x' } }), 'p', now)).toMatchObject({
      disruptionsAllowed: 1,
      disruptedPods: { o: 'x', p: '2030-01-01T00:00:00Z' },
    });
  });

  it('has exactly the required pods after the last disruption', () => {
    expect(charged(budget({ disruptionsAllowed: 1 }), 'p', now)).toMatchObject({
      disruptionsAllowed: 0,
      conditions: [{ type: 'DisruptionAllowed', status: 'False', reason: 'InsufficientPods' }],
    });
  });

  const violation = "Cannot evict pod as it would violate the pod's disruption budget.";
  it.each<[string, JsonObject, number, string, JsonObject | undefined]>([
    [
      'requires its pods',
      { disruptionsAllowed: 0, currentHealthy: 1 },
      429,
      violation,
      {
        causes: [
          {
            reason: 'DisruptionBudget',
            message: 'The disruption budget web needs 1 healthy pods and has 1 currently',
          },
        ],
      },
    ],
    [
      'is not computed yet',
      { disruptionsAllowed: 1, observedGeneration: 0 },
      429,
      violation,
      {
        causes: [
          {
            reason: 'DisruptionBudget',
            message: 'The disruption budget web is still being processed by the server.',
          },
        ],
        retryAfterSeconds: 10,
      },
    ],
    [
      'cannot be computed',
      {
        disruptionsAllowed: 0,
        conditions: [{ type: 'DisruptionAllowed', reason: 'SyncFailed', message: 'why' }],
      },
      429,
      violation,
      {
        causes: [
          {
            reason: 'DisruptionBudget',
            message:
              'The disruption budget web does not allow evicting pods currently because it failed sync: why',
          },
        ],
      },
    ],
    [
      'allows a negative number of disruptions',
      { disruptionsAllowed: -1 },
      403,
      'poddisruptionbudget.policy "web" is forbidden: pdb disruptions allowed is negative',
      undefined,
    ],
  ])('refuses an eviction when it %s', (_, status, code, message, details) => {
    let refusal: unknown;
    try {
      charged(budget(status), 'p', now);
    } catch (error) {
      refusal = error;
    }
    expect(refusal).toBeInstanceOf(ApiError);
    expect(refusal).toMatchObject({ code, message, ...(details && { details }) });
  });
});

describe('An eviction', () => {
  it.each<[boolean, JsonObject, JsonObject]>([
    [true, { phase: 'Pending' }, {}],
    [true, { phase: 'Succeeded' }, {}],
    [true, { phase: 'Running' }, { deletionTimestamp: 'x' }],
    [false, { phase: 'Running' }, {}],
    [false, { phase: 'Unknown' }, {}],
  ])('ignores budgets (%s) for a pod with the status %j and the metadata %j', (ignored, status, metadata) => {
    expect(ignoresBudgets(pod(status, metadata))).toBe(ignored);
  });

  const unready = [{ type: 'Ready', status: 'False' }];
  it.each<[boolean, JsonObject[], JsonObject, JsonObject]>([
    [false, [{ type: 'Ready', status: 'True' }], {}, {}],
    [true, unready, {}, {}],
    [false, unready, { currentHealthy: 0 }, {}],
    [false, unready, { desiredHealthy: 0 }, {}],
    [true, unready, { currentHealthy: 0 }, { unhealthyPodEvictionPolicy: 'AlwaysAllow' }],
    [false, unready, { currentHealthy: 0 }, { unhealthyPodEvictionPolicy: 'IfHealthyBudget' }],
  ])(
    'does not charge the budget (%s) for a pod with the conditions %j and a budget with the status %j and the spec %j',
    (free, conditions, status, spec) => {
      expect(isFreeOfCharge(pod({ phase: 'Running', conditions }), budget(status, spec))).toBe(free);
    },
  );
});
