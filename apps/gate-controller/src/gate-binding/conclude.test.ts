import { describe, expect, it } from '@jest/globals';
import { conditions, TypedError, type GateBindingStatus } from '@interlock/api';
import { Problem } from '@interlock/base';
import { Failure, getCondition } from '@interlock/kube';
import type { BindingOutcome } from './act.js';
import { concludeBinding } from './conclude.js';
import type { ObservedBinding } from './observed.js';
import { binding, now, observed, report, verdict } from './testing/builders.js';

function conclude(
  outcome: BindingOutcome | Failure,
  changes: Partial<ObservedBinding> = {},
  type: 'actuate' | 'wait' | 'release' = 'actuate',
) {
  return concludeBinding(observed(changes), { type, finalizer: 'keep' }, outcome, now);
}

const acted = (changes: Parameters<typeof report>[0] = {}): BindingOutcome => ({
  isReleased: false,
  report: report(changes),
});

const ready = (status: GateBindingStatus | undefined) => getCondition(status?.conditions, conditions.ready);

describe('the status of a binding', () => {
  it('reports the state of the gates and the held objects', () => {
    const { status } = conclude(acted());
    expect(status).toMatchObject({
      observedGeneration: 2,
      state: 'Closed',
      message: 'closed',
      targetCount: 1,
      heldCount: 1,
      holds: [{ name: 'shop' }],
    });
    expect(ready(status)).toMatchObject({ status: 'True', reason: 'Reconciled', message: '1 of 1 held' });
    expect(getCondition(status?.conditions, conditions.open)).toMatchObject({
      status: 'False',
      reason: 'GatesClosed',
    });
  });

  it.each<[string, Partial<ObservedBinding>, Parameters<typeof report>[0], object]>([
    [
      'a gate is unknown',
      { verdict: verdict('Unknown', 'it does not exist') },
      {},
      { reason: 'GateUnknown' },
    ],
    [
      'an object cannot be held',
      {},
      { problem: new Problem('Forbidden', 'grant the verb patch') },
      { reason: 'Forbidden' },
    ],
    ['nothing is bound', {}, { targetCount: 0, heldCount: 0, holds: [] }, { reason: 'NoTargets' }],
  ])('is not Ready if %s', (_case, changes, reported, expected) => {
    expect(ready(conclude(acted(reported), changes).status)).toMatchObject({ status: 'False', ...expected });
  });

  it('is Stalled if the spec is wrong', () => {
    const { spec, ...rest } = binding();
    const wrong = { ...rest, spec: { ...spec, require: undefined, expr: 'gates[' } };
    const { status } = conclude(acted(), { binding: wrong });
    expect(getCondition(status?.conditions, 'Stalled')).toMatchObject({ status: 'True', reason: 'Invalid' });
  });

  it('has the conditions of its actuator as long as the actuator reports them', () => {
    const skew = { type: conditions.gateSkew, status: 'True' as const, reason: 'Skew', message: 'skewed' };
    const { status } = conclude(acted({ conditions: [skew] }));
    expect(getCondition(status?.conditions, conditions.gateSkew)).toMatchObject(skew);
    const then = conclude(acted(), { binding: binding({}, status ?? {}) }).status;
    expect(getCondition(then?.conditions, conditions.gateSkew)).toBeUndefined();
  });
});

describe('the conclusion about a binding', () => {
  it.each([
    [undefined, 60_000],
    [90_000, 60_000],
    [500, 500],
  ])(
    'requests another reconcile no later than the actuator requires it: after %s ms',
    (requeueAfterMs, expected) => {
      const reported = requeueAfterMs === undefined ? {} : { requeueAfterMs };
      expect(conclude(acted(reported)).requeueAfterMs).toBe(expected);
    },
  );

  it.each([
    ['wait', { releases: true, requeueAfterMs: 250 }],
    ['release', { releases: true }],
  ] as const)('contains no new status for the decision to %s', (type, expected) => {
    expect(conclude({ isReleased: true }, {}, type)).toEqual(expected);
  });
});

describe('a failure', () => {
  const error = new TypedError('Transient', 'try again', { reason: 'Unavailable' });
  const before = { heldCount: 3 };
  const known = { binding: binding({}, before) };

  it.each([true, false])(
    'is shown immediately without a change to other fields (persistent: %s)',
    (lasts) => {
      const { status, ...rest } = conclude(new Failure(error, lasts), known);
      expect(status).toMatchObject({ ...before, observedGeneration: 2 });
      expect(ready(status)).toMatchObject({ status: 'False', reason: 'Unavailable', message: 'try again' });
      expect(rest).toEqual({});
    },
  );

  it('of a release is shown only if it is persistent', () => {
    expect(conclude(new Failure(error, false), known, 'release')).toEqual({});
    const { status, releases } = conclude(new Failure(error, true), known, 'release');
    expect(ready(status)).toMatchObject({ reason: 'Unavailable' });
    expect(releases).toBeUndefined();
  });
});
