import { describe, expect, it } from '@jest/globals';
import { TypedError, type ErrorType } from '@interlock/api';
import { Failure, getCondition } from '@interlock/kube';
import { gitRepository } from '../testing/objects.js';
import { concludeGitRepository } from './conclude.js';

const now = Date.parse('2026-01-01T00:00:00Z');
const observed = { gitRepository: gitRepository({ metadata: { generation: 2 } }) };
const decision = { pollAfterMs: 60_000 };

describe('a GitRepository', () => {
  it('is ready when its remote was read, and requests the next read after the interval', () => {
    const { status, requeueAfterMs } = concludeGitRepository(observed, decision, undefined, now);
    expect(status?.observedGeneration).toBe(2);
    expect(getCondition(status?.conditions, 'Ready')).toMatchObject({ status: 'True', reason: 'Reachable' });
    expect(requeueAfterMs).toBe(60_000);
  });

  it.each<[ErrorType, boolean, number | undefined]>([
    ['Transient', false, undefined],
    ['RateLimited', true, undefined],
    ['Unauthorized', true, 60_000],
    ['NotFound', false, 60_000],
  ])('reports immediately that its remote was not read: %s', (type, lasts, expected) => {
    const failure = new Failure(new TypedError(type, 'no answer', { reason: 'Because' }), lasts);
    const { status, requeueAfterMs } = concludeGitRepository(observed, decision, failure, now);
    expect(getCondition(status?.conditions, 'Ready')).toMatchObject({ status: 'False', reason: 'Because' });
    expect(getCondition(status?.conditions, 'Reconciling')).toMatchObject({ message: 'no answer' });
    expect(requeueAfterMs).toBe(expected);
  });
});
