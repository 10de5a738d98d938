import { describe, expect, it } from '@jest/globals';
import { getCondition } from '@interlock/kube';
import { decideOverride } from './decide.js';
import type { ObservedOverride } from './observed.js';
import { at, door, hour, minute, now, observed, visit } from './testing/builders.js';

const auditTtlMs = 24 * hour;

function decide(of: ObservedOverride, ttlMs = auditTtlMs, afterMs = 0) {
  return decideOverride(of, { auditTtlMs: ttlMs, engine: { stamps: 'ignored' } }, now + afterMs);
}

function report(of: ObservedOverride) {
  const decision = decide(of);
  if (decision.type !== 'report') throw new Error(decision.type);
  return decision;
}

describe('decideOverride', () => {
  it('reports an override in force, and reconciles it again when it expires', () => {
    const { status, wakeAt } = report(observed(visit({ duration: '30m' }, -10 * minute)));
    expect(status).toMatchObject({ phase: 'Active', actor: 'unverified', expiresAt: at(20 * minute) });
    expect(getCondition(status.conditions, 'Ready')).toMatchObject({ status: 'True', message: 'in force' });
    expect(status).not.toHaveProperty('endedAt');
    expect(wakeAt).toBe(now + 20 * minute);
  });

  it('reports when an override expired, and reconciles it again when it is to be deleted', () => {
    const { status, wakeAt } = report(observed(visit({ duration: '30m' }, -40 * minute)));
    expect(status).toMatchObject({ phase: 'Expired', endedAt: at(-10 * minute) });
    expect(wakeAt).toBe(now - 10 * minute + auditTtlMs);
  });

  it('deletes an override after the retention time, and never without a retention time', () => {
    const status = { phase: 'Expired' as const, endedAt: at(0) };
    const ended = observed({ ...visit({ duration: '30m' }, -30 * minute), status });
    expect(decide(ended, 1_000, 999).type).toBe('report');
    expect(decide(ended, 1_000, 1_000)).toEqual({ type: 'remove' });
    expect(decide(ended, 0, 10 ** 12)).toMatchObject({ type: 'report', status });
    expect(decide(ended, 0)).toMatchObject({ wakeAt: undefined });
  });

  it.each<[string, ObservedOverride, RegExp]>([
    [
      'without a gate',
      { ...observed(visit()), gate: undefined },
      /^spec\.gateRef\.name: Gate door does not exist in the namespace; name an existing one$/,
    ],
    ['that is longer than the gate allows', observed(visit({ duration: '2h' })), /^spec\.duration: 2h/],
  ])('rejects an override %s', (_case, of, message) => {
    const { status } = report(of);
    expect(status).toMatchObject({
      phase: 'Rejected',
      message: expect.stringMatching(message),
      endedAt: at(0),
    });
    expect(getCondition(status.conditions, 'Stalled')).toMatchObject({ status: 'True', reason: 'Rejected' });
  });

  it('keeps a rejected override rejected, even if the gate would allow it now', () => {
    const status = { phase: 'Rejected' as const, message: 'too long', endedAt: at(-minute) };
    expect(report(observed({ ...visit(), status })).status).toMatchObject(status);
  });
});

describe('an override that opens once', () => {
  const target = { kind: 'GitRepository', namespace: 'team', name: 'shop', revision: 'main@sha1:b' };
  const waiting = [{ ...target, revision: 'main@sha1:a' }];
  const once = (status?: ReturnType<typeof visit>['status']) => ({
    ...visit({ duration: '30m', once: true }),
    ...(status && { status }),
  });
  const bound = (override: ReturnType<typeof visit>, closed = true): ObservedOverride => {
    const gate = door(closed);
    const situation = { gate, keepers: [], overrides: [override] };
    return { ...observed(override), gate, bound: { targets: [target], situation, isScoped: false } };
  };

  it('records the revisions of its targets', () => {
    const { status } = report(bound(once()));
    expect(status).toMatchObject({ phase: 'Active', waiting: [target] });
  });

  it('is spent when each target has taken one revision, and keeps the revisions that it let through', () => {
    const { status, wakeAt } = report(bound(once({ phase: 'Active', waiting })));
    expect(status).toMatchObject({ phase: 'Spent', endedAt: at(0), released: [target] });
    expect(wakeAt).toBe(now + auditTtlMs);
  });

  it('reports when it is spent how many targets it did not track', () => {
    const targets = Array.from({ length: 300 }, (_, n) => ({ ...target, name: `app-${n}` }));
    const before = targets.slice(0, 256).map((one) => ({ ...one, revision: 'main@sha1:a' }));
    const of = bound(once({ phase: 'Active', waiting: before }));
    const { status } = report({ ...of, ...(of.bound && { bound: { ...of.bound, targets } }) });
    expect(status).toMatchObject({
      phase: 'Spent',
      message: expect.stringContaining('not track 44 further'),
    });
  });

  it('does not count a revision that a target takes while the gate is open without it', () => {
    const { status } = report(bound(once({ phase: 'Active', waiting }), false));
    expect(status).toMatchObject({ phase: 'Active', waiting: [target] });
    expect(status).not.toHaveProperty('released');
  });

  it('does not count a revision that a target takes before the keepers of the gate are known', () => {
    const of = bound(once({ phase: 'Active', waiting }));
    const unread = { targets: [target], situation: undefined, isScoped: false };
    expect(report({ ...of, bound: unread }).status).toMatchObject({ phase: 'Active', waiting: [target] });
  });

  it('counts only targets in its scope', () => {
    const override = visit({
      duration: '30m',
      once: true,
      targets: [{ kind: 'GitRepository', name: 'other' }],
    });
    expect(report(bound(override)).status).toMatchObject({ phase: 'Active', waiting: [] });
  });
});
