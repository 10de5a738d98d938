import { EventResponse, type Gate } from '@interlock/api';
import { believedState } from '@interlock/gating';
import { MemoryCache } from '@interlock/kube/testing';
import { responseOf } from '@interlock/responding/testing';
import { expect, it } from '@jest/globals';
import { Duplicates } from './event-response/duplicates.js';
import { isClaimed } from './event-response/claim.js';
import { routed } from './event-response/testing/observe.js';
import { reduceGate, reduceResponse } from './reduce.js';

const large = 'x'.repeat(200_000);

it('keeps little of a gate, whatever its team writes into it, but its state', () => {
  const validUntil = '2026-01-01T01:00:00Z';
  const now = Date.parse('2026-01-01T00:00:00Z');
  const gate: Gate = {
    apiVersion: 'interlock.dev/v1alpha1',
    kind: 'Gate',
    metadata: {
      name: 'freeze',
      namespace: 'team',
      uid: 'u-1',
      resourceVersion: '7',
      annotations: { large },
      labels: { large },
      managedFields: [{ large }],
    },
    spec: { closed: true, description: large, maxOverride: '1h', failurePolicy: 'Closed' },
    status: {
      state: 'Open',
      message: 'nobody closes it',
      validUntil,
      contributions: [{ source: 'GateKeeper/a', effect: 'Open', message: large }],
    },
  };
  const kept = reduceGate(gate);
  expect(JSON.stringify(kept).length).toBeLessThan(1_000);
  expect(kept.metadata).toEqual({ name: 'freeze', namespace: 'team', uid: 'u-1', resourceVersion: '7' });
  expect(believedState(kept, now)).toEqual(believedState(gate, now));
});

const responderName = 'ugallu-gitops-responder';
const action = { type: 'GitOpsChange', parameters: { contents: large } };

it('keeps the spec of a response that it handles', () => {
  const response = responseOf({ action });
  expect(reduceResponse(responderName)(response)).toEqual(response);
});

it.each<[string, Partial<EventResponse['spec']>]>([
  ['of another action', { action: { ...action, type: 'PodFreeze' } }],
  ['for another responder', { action, responder: { name: 'other' } }],
])('keeps little of the spec of a response %s', (_, spec) => {
  const response = responseOf({ ...spec, parentResponseRef: { name: large } }, { annotations: { large } });
  const kept = reduceResponse(responderName)(response);
  expect(JSON.stringify(kept).length).toBeLessThan(1_000);
  expect(isClaimed(kept, responderName)).toBe(false);
});

it('does not propose a change that another responder proposes', () => {
  const plan = { digest: 'd', added: 0, removed: 1 };
  const status = {
    phase: 'Succeeded' as const,
    route: routed,
    plan,
    changeRequest: { number: 1, state: 'open' as const },
  };
  const other = {
    ...responseOf({ action, responder: { name: 'other' } }, { name: 'er-9', uid: 'u-9' }),
    status,
  };
  const responses = new MemoryCache(EventResponse);
  const duplicates = new Duplicates(responses);
  responses.set(reduceResponse(responderName)(other));
  const hold = duplicates.holdOf(responseOf({ action }), routed, plan.digest, 0, 0);
  expect(hold).toMatchObject({ reason: 'DuplicateOpen' });
});
