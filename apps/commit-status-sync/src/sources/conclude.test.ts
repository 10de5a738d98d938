import { expect, it } from '@jest/globals';
import { TypedError, type FluxCommitStatus } from '@interlock/api';
import { Failure, getCondition } from '@interlock/kube';
import { concludeSource } from './conclude.js';
import { flux, now } from './testing/builders.js';

const ready = {
  type: 'Ready',
  reason: 'Reported',
  message: 'dev: success',
  lastTransitionTime: '2026-03-01T11:00:00Z',
};
const source = flux({}, { phase: 'success', environments: [], conditions: [{ ...ready, status: 'True' }] });
const decision = { commitStatuses: [], obsolete: [], status: { phase: 'failure' as const } };
const refused = new TypedError('Unauthorized', 'exceeded quota', { reason: 'Forbidden' });

const conclude = (outcome: Failure | undefined) =>
  concludeSource<FluxCommitStatus>(source, decision, outcome, now);

it('reports what was decided once the CommitStatuses are written', () => {
  expect(conclude(undefined).status).toBe(decision.status);
});

it('reports in a condition that CommitStatuses cannot be written for long, and keeps the phase that they show', () => {
  const { status } = conclude(new Failure(refused, true));
  expect(getCondition(status?.conditions, 'Ready')).toMatchObject({
    status: 'False',
    reason: 'Forbidden',
    message: 'exceeded quota',
  });
  expect(status).toMatchObject({ phase: 'success', environments: [] });
});

it.each([
  ['that may pass by itself', new Failure(refused, false)],
  ['of a write in between', new Failure(new TypedError('Conflict', 'changed'), true)],
])('reports no failure %s', (_case, failure) => {
  expect(conclude(failure)).toEqual({});
});
