import { describe, expect, it } from '@jest/globals';
import { annotations, type Gate, type GateOverride, type GateStatus } from '@interlock/api';
import { verifyAudit, type DecideOptions, type GateDecision } from '@interlock/gating';
import { decideGateAction } from './decide.js';
import type { GateSituation } from './observed.js';

const minute = 60_000;
const hour = 60 * minute;
const now = Date.UTC(2030, 0, 1, 12);
const at = (ms: number): string => new Date(ms).toISOString().replace('.000Z', 'Z');

function gate(status?: GateStatus): Gate {
  return {
    apiVersion: 'gating.toolkit.fluxcd.io/v1alpha1',
    kind: 'Gate',
    metadata: { name: 'door', namespace: 'team', uid: 'u', generation: 3 },
    spec: { closed: true, maxOverride: '1h', failurePolicy: 'Closed' },
    ...(status && { status }),
  };
}

function decision(more: Partial<GateDecision> = {}): GateDecision {
  return {
    state: 'Closed',
    cause: 'Default',
    message: 'closed by spec.closed',
    since: now - hour,
    validUntil: now + hour,
    contributions: [],
    problems: [],
    ...more,
  };
}

function act(
  status: GateStatus | undefined,
  decided: GateDecision,
  more: Partial<GateSituation> = {},
  options: DecideOptions = {},
) {
  const situation = { gate: gate(status), keepers: [], overrides: [], targets: [], skewMs: 0, ...more };
  return decideGateAction(situation, decided, now, { stateTtlMs: hour, ...options });
}

describe('the status of a gate', () => {
  it('begins with a record of the first state', () => {
    const { status } = act(undefined, decision());
    expect(status).toMatchObject({ observedGeneration: 3, state: 'Closed', since: at(now - hour) });
    expect(status.history).toMatchObject([{ to: 'Closed', at: at(now), since: at(now - hour) }]);
    expect(status.history?.[0]).not.toHaveProperty('from');
    expect(verifyAudit(status.history)).toEqual([]);
  });

  it('adds no record while the state is the same', () => {
    const first = act(undefined, decision()).status;
    expect(act(first, decision({ cause: 'GateKeeper/x' })).status.history).toEqual(first.history);
    const opened = act(first, decision({ state: 'Open', since: now })).status;
    expect(opened.history).toMatchObject([{ to: 'Closed' }, { from: 'Closed', to: 'Open' }]);
  });

  it.each([
    ['is kept in the first half of its lifetime', now + 31 * minute, now + hour, now + 31 * minute],
    ['is renewed in the second half', now + 30 * minute, now + hour, now + hour],
    ['ends at an earlier change', now + 50 * minute, now + 40 * minute, now + 40 * minute],
    ['is renewed when it has expired', now - minute, now + hour, now + hour],
  ])('has a validity that %s', (_, known, wanted, expected) => {
    const before = { ...act(undefined, decision()).status, validUntil: at(known) };
    expect(act(before, decision({ validUntil: wanted })).status.validUntil).toBe(at(expected));
  });

  it('is valid for whole seconds only', () => {
    expect(act(undefined, decision({ validUntil: now + 1_999 })).status.validUntil).toBe(at(now + 1_000));
  });

  it.each([
    ['a change', { next: { at: now + 1_234, state: 'Open' as const, cause: 'x' } }, 1_234],
    ['a change of the state of a keeper', { contributions: [contribution(now + 777)] }, 777],
    ['a resync', {}, minute],
    ['a resync, if the keepers never change', { contributions: [contribution(Infinity)] }, minute],
  ])('is evaluated again at the time of %s', (_, more, expected) => {
    expect(act(undefined, decision(more)).requeueAfterMs).toBe(expected);
  });

  it('names the user who closed the gate, even if the end of the previous Open is recorded in whole seconds', () => {
    const made = (
      name: string,
      effect: 'Open' | 'Close',
      requestedAt: string,
      more: object,
    ): GateOverride => ({
      apiVersion: 'gating.toolkit.fluxcd.io/v1alpha1',
      kind: 'GateOverride',
      metadata: {
        name,
        namespace: 'team',
        creationTimestamp: requestedAt.replace(/\.\d+/, ''),
        annotations: { [annotations.requestedAt]: requestedAt, [annotations.actor]: 'ann' },
      },
      spec: { gateRef: { name: 'door' }, effect, reason: 'data loss', once: false, ...more },
    });
    const status = { phase: 'Ended' as const, endedAt: at(now - minute) };
    const open = { ...made('visit', 'Open', at(now - hour), { duration: '1h' }), status };
    const close = made('stop', 'Close', new Date(now - minute + 250).toISOString(), { duration: '0s' });
    const before = act(undefined, decision({ state: 'Open', cause: 'GateOverride/visit' })).status;
    const { history } = act(before, decision(), { overrides: [open, close] }).status;
    expect(history?.at(-1)).toMatchObject({ to: 'Closed', actor: 'ann', reason: 'data loss' });
  });

  it.each([
    ['a keeper', 'GateKeeper/freeze', []],
    ['an override', 'GateOverride/stop', []],
    ['an invalid keeper', 'Invalid', [{ source: 'GateKeeper/freeze', effect: 'Invalid', message: '' }]],
  ] as const)(
    'names the deleted object, and not the author of the gate, after the deletion of %s',
    (_what, cause, contributions) => {
      const before = act(undefined, decision({ cause, contributions: [...contributions] })).status;
      const opened = decision({ state: 'Open' });
      const stamps = { stamps: 'required' as const };
      const { history } = act(before, opened, {}, stamps).status;
      const gone = cause === 'Invalid' ? 'GateKeeper/freeze' : cause;
      expect(history?.at(-1)).toMatchObject({ to: 'Open', reason: `${gone} was deleted` });
      expect(history?.at(-1)).not.toHaveProperty('actor');
      const byDefault = act(act(undefined, decision()).status, opened, {}, stamps).status.history?.at(-1);
      expect(byDefault).toMatchObject({ to: 'Open', actor: 'unverified' });
      expect(byDefault).not.toHaveProperty('reason');
    },
  );

  it('names the first twenty targets, and counts all of them', () => {
    const targets = Array.from({ length: 30 }, (__, index) => ({
      kind: 'ProposedCommit',
      namespace: 'team',
      name: `target-${index}`,
      aliases: ['x'],
      subject: { kind: 'PromotionStrategy', name: 'shop' },
    }));
    const [record] = act(undefined, decision(), { targets }).status.history ?? [];
    expect(record?.targetCount).toBe(30);
    expect(record?.targets).toHaveLength(20);
    expect(record?.targets?.[0]).toEqual({ kind: 'ProposedCommit', namespace: 'team', name: 'target-0' });
  });
});

function contribution(next: number): GateDecision['contributions'][number] {
  return { source: 'GateKeeper/x', effect: 'Abstain', message: '', next };
}

describe('a clock that is wrong', () => {
  const open = decision({ state: 'Open', cause: 'GateKeeper/x', message: 'open' });

  it.each([
    [30_000, 'Open'],
    [-30_000, 'Open'],
    [undefined, 'Open'],
    [30_001, 'Closed'],
    [-30_001, 'Closed'],
  ])('delays the opening of a gate only if it is off by more than 30 s: %s ms, state %s', (skewMs, state) => {
    const before = act(undefined, decision()).status;
    const { status } = act(before, open, { skewMs });
    expect(status.state).toBe(state);
    expect(status.cause).toBe(state === 'Open' ? 'GateKeeper/x' : 'ClockSkew');
    if (state === 'Closed') expect(status.since).toBe(before.since);
  });

  it('keeps a gate open until the end of the announced validity, and no longer', () => {
    const before = { ...act(undefined, open).status, validUntil: at(now + minute) };
    const still = act(before, open, { skewMs: hour }).status;
    expect(still).toMatchObject({ state: 'Open', validUntil: at(now + minute) });
    const over = { ...before, validUntil: at(now) };
    expect(act(over, open, { skewMs: hour }).status).toMatchObject({ state: 'Closed', cause: 'ClockSkew' });
  });

  it('does not prevent a gate from closing', () => {
    const before = act(undefined, open).status;
    expect(act(before, decision(), { skewMs: hour }).status).toMatchObject({
      state: 'Closed',
      cause: 'Default',
    });
  });
});
