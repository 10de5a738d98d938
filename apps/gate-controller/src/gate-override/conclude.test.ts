import { describe, expect, it } from '@jest/globals';
import { TypedError, type GateOverrideStatus } from '@interlock/api';
import { Failure, getCondition } from '@interlock/kube';
import { concludeOverride } from './conclude.js';
import { now, observed, visit } from './testing/builders.js';

function conclude(status: GateOverrideStatus, before?: GateOverrideStatus, wakeAt?: number) {
  const override = { ...visit(), ...(before && { status: before }) };
  const decision = { type: 'report' as const, status, wakeAt };
  return concludeOverride(observed(override), decision, undefined, now);
}

describe('concludeOverride', () => {
  it.each([
    [now + 500, 500],
    [now - 500, 0],
    [undefined, undefined],
  ])('requests another reconcile for the time %s', (wakeAt, expected) => {
    expect(conclude({ phase: 'Active' }, undefined, wakeAt).requeueAfterMs).toBe(expected);
  });

  it.each([
    ['Active', 'Normal'],
    ['Rejected', 'Warning'],
  ] as const)('records an event for the new phase %s', (phase, type) => {
    const { status, happened } = conclude({ phase, actor: 'ann', message: 'so it is' }, { phase: 'Pending' });
    expect(status?.phase).toBe(phase);
    const note = "opening Gate door by ann: 'because': so it is";
    expect(happened).toEqual([{ type, reason: `Override${phase}`, action: 'Override', note }]);
  });

  it('records no event while the phase is the same', () => {
    expect(conclude({ phase: 'Active' }, { phase: 'Active' }).happened).toEqual([]);
  });

  it('does not write the status of an override that was deleted', () => {
    expect(concludeOverride(observed(visit()), { type: 'remove' }, undefined, now)).toEqual({});
  });

  it('reports in a condition that an override cannot be deleted, and keeps its phase', () => {
    const refused = new TypedError('Unauthorized', 'delete is not allowed', { reason: 'Forbidden' });
    const override = { ...visit(), status: { phase: 'Expired' as const } };
    const conclude = (lasts: boolean) =>
      concludeOverride(observed(override), { type: 'remove' }, new Failure(refused, lasts), now);
    expect(conclude(false)).toEqual({});
    const { status } = conclude(true);
    expect(status?.phase).toBe('Expired');
    expect(getCondition(status?.conditions, 'Ready')).toMatchObject({
      status: 'False',
      reason: 'Forbidden',
      message: 'it cannot be deleted: delete is not allowed',
    });
  });
});
