import { describe, expect, it } from '@jest/globals';
import { annotations, timestampOf, type Gate, type GateOverride, type GateStatus } from '@interlock/api';
import fc from 'fast-check';
import { decideGate } from '../decide.js';
import { gate, override } from '../testing/objects.js';
import type { GateDecision } from '../types.js';
import { judgeOverrides } from './judge.js';
import { relevantOverrides } from './relevant.js';

const hourMs = 3_600_000;
const now = Date.parse('2026-11-22T12:00:00Z');
const at = (hours: number) => new Date(now + hours * hourMs).toISOString().replace('.000Z', 'Z');
const stateTtlMs = hourMs;
const recorded = {
  state: 'Closed' as const,
  cause: 'Default',
  since: at(-30),
  validUntil: at(0.5),
};

function ended(hours: number, name: string): GateOverride {
  const one = override({ duration: '1h' }, at(hours - 1), name);
  return { ...one, status: { phase: 'Expired', endedAt: at(hours) } };
}

describe('relevantOverrides', () => {
  it('omits overrides that ended before the recorded state, however many there are', () => {
    const old = Array.from({ length: 20_000 }, (_, index) => ended(-2 - index, `old-${index}`));
    const live = override({ duration: '1h' }, at(-0.1), 'live');
    const justEnded = ended(-0.25, 'just-ended');
    expect(relevantOverrides(gate({}, recorded), [...old, live, justEnded], { stateTtlMs })).toEqual([
      live,
      justEnded,
    ]);
  });

  it('keeps all overrides for a gate without a recorded state', () => {
    expect(relevantOverrides(gate(), [ended(-100, 'old')], { stateTtlMs })).toHaveLength(1);
  });

  it('omits an override that ended after the recorded state was written, if that state includes its end', () => {
    const ends = Array.from({ length: 20_000 }, (_, index) => ended(-0.25, `ended-${index}`));
    const [first] = ends;
    const live = override({ duration: '1h' }, at(-0.1), 'live');
    const isRecorded = (one: GateOverride) => one !== first;
    const all = [...ends, live];
    expect(relevantOverrides(gate({}, recorded), all, { stateTtlMs, isRecorded })).toEqual([first, live]);
    expect(relevantOverrides(gate(), all, { stateTtlMs, isRecorded })).toHaveLength(all.length);
  });

  it('omits rejected overrides, and overrides that ended before the gate existed', () => {
    const rejected: GateOverride = {
      ...override({ duration: '9h' }, at(-0.1), 'rejected'),
      status: { phase: 'Rejected', endedAt: at(-0.1) },
    };
    const made = gate();
    const young = { ...made, metadata: { ...made.metadata, creationTimestamp: at(-1) } };
    const ends = [ended(-2, 'before'), ended(-0.5, 'after'), rejected];
    const names = relevantOverrides(young, ends, { stateTtlMs }).map(({ metadata }) => metadata.name);
    expect(names).toEqual(['after']);
  });

  it.each([
    ['applies to all targets, and so does the Open', undefined, undefined, -10, true],
    ['applies to all targets, and the Open to one', undefined, ['a'], -10, true],
    ['applies to one target, and the Open to all', ['a'], undefined, -10, true],
    ['applies to the target of the Open', ['a', 'b'], ['b'], -10, true],
    ['applies to another target', ['a'], ['b'], -10, false],
    ['was created before the Open', undefined, undefined, -21, false],
  ])(
    'keeps a Close that is recorded as ended only if it may end an Open: it %s',
    (_, of, opened, hours, kept) => {
      const scope = (names: string[] | undefined) =>
        names && { targets: names.map((name) => ({ kind: 'GitRepository' as const, name })) };
      const open = override({ duration: '24h', ...scope(opened) }, at(-20), 'open');
      const close: GateOverride = {
        ...override({ effect: 'Close', duration: '0s', ...scope(of) }, at(hours), 'close'),
        status: { phase: 'Expired', endedAt: at(hours) },
      };
      const isRecorded = () => true;
      const relevant = relevantOverrides(gate({}, recorded), [open, close], { stateTtlMs, isRecorded });
      expect(relevant.includes(close)).toBe(kept);
    },
  );

  it('keeps a Close that has ended and may end a live Open', () => {
    const open = override({ duration: '24h' }, at(-20), 'open');
    const close: GateOverride = {
      ...override({ effect: 'Close', duration: '0s' }, at(-10), 'close'),
      status: { phase: 'Expired', endedAt: at(-10) },
    };
    const relevant = relevantOverrides(gate({}, recorded), [open, close], { stateTtlMs });
    expect(relevant).toEqual([open, close]);
    const judged = judgeOverrides(now, gate({ maxOverride: '48h' }, recorded), relevant);
    expect(judged.map(({ phase }) => phase)).toEqual(['Ended', 'Expired']);
  });

  it('does not change the decision', () => {
    const minutes = fc.integer({ min: -600, max: -1 });
    const property = fc.property(madeOverrides(minutes, { min: 1, max: 60 }), (all) => {
      const current = reported(now, gate(), all);
      const subject = gate({}, { ...recorded, since: at(-700 / 60) });
      const relevant = relevantOverrides(subject, current, { stateTtlMs });
      const { state, cause, message, next } = decideGate(now, subject, [], current);
      expect(decideGate(now, subject, [], relevant)).toMatchObject({ state, cause, message });
      expect(decideGate(now, subject, [], relevant).next).toEqual(next);
    });
    fc.assert(property);
  });

  it('does not change the decision after an earlier decision that included the ends', () => {
    const minutes = fc.integer({ min: -55, max: -1 });
    const property = fc.property(
      madeOverrides(minutes, { min: 0, max: 30 }),
      minutes,
      fc.boolean(),
      (all, seen, closed) => {
        const decidedAt = now + seen * 60_000;
        const first = gate({ closed }, { ...recorded, state: closed ? 'Closed' : 'Open' });
        const inView = all.filter(({ metadata }) => Date.parse(metadata.creationTimestamp!) <= decidedAt);
        const before = decideGate(decidedAt, first, [], reported(decidedAt, first, inView));
        const subject = gate({ closed }, statusOf(before));
        const known = new Set(
          reported(decidedAt, first, inView)
            .filter(({ status }) => status !== undefined)
            .map(({ metadata }) => metadata.name),
        );
        const current = reported(now, subject, all);
        const isRecorded = ({ metadata }: GateOverride) => known.has(metadata.name);
        const relevant = relevantOverrides(subject, current, { stateTtlMs, isRecorded });
        const options = { recordedAt: decidedAt };
        expect(relevant.filter(isRecorded).every(({ spec }) => spec.effect === 'Close')).toBe(true);
        expect(decideGate(now, subject, [], relevant, undefined, options)).toEqual(
          decideGate(now, subject, [], current, undefined, options),
        );
      },
    );
    fc.assert(property, { numRuns: 1_000 });
  });
});

/** Returns overrides that were created at these minutes relative to now, and that last for some minutes. */
function madeOverrides(minutes: fc.Arbitrary<number>, length: { min: number; max: number }) {
  const made = fc.record({ start: minutes, length: fc.integer(length), isClose: fc.boolean() });
  return fc.array(made, { maxLength: 12 }).map((list) =>
    list.map(({ start, length: lasts, isClose }, index) => {
      const effect = isClose ? 'Close' : 'Open';
      return override({ effect, duration: `${lasts}m` }, at(start / 60), `override-${index}`);
    }),
  );
}

/** Returns overrides with the status that the controller reports at a time. */
function reported(time: number, subject: Gate, overrides: readonly GateOverride[]): GateOverride[] {
  return judgeOverrides(time, subject, overrides).map(({ override: one, phase, endsAt }) =>
    phase === 'Active' || phase === 'Pending'
      ? one
      : { ...one, status: { phase, endedAt: timestampOf(Math.min(endsAt!, time)) } },
  );
}

function statusOf({ state, cause, since, next, validUntil }: GateDecision): GateStatus {
  return {
    state,
    cause,
    since: timestampOf(since),
    validUntil: timestampOf(validUntil),
    ...(next && { next: { ...next, at: timestampOf(next.at) } }),
  };
}

describe('judgeOverrides', () => {
  it('ends each Open by the first Close during its time whose scope overlaps', () => {
    const target = fc.constantFrom('a', 'b', 'c').map((name) => ({ kind: 'GitRepository' as const, name }));
    const made = fc.record({
      start: fc.integer({ min: -300, max: -1 }),
      isClose: fc.boolean(),
      targets: fc.option(fc.array(target, { minLength: 1, maxLength: 2 }), { nil: undefined }),
    });
    const property = fc.property(fc.array(made, { maxLength: 20 }), (list) => {
      const all = list.map(({ start, isClose, targets }, index) => {
        const spec = { effect: isClose ? ('Close' as const) : ('Open' as const), duration: '1h' };
        return override({ ...spec, ...(targets && { targets }) }, at(start / 60), `override-${index}`);
      });
      const judged = judgeOverrides(now, gate(), all);
      for (const state of judged.filter(({ override: { spec } }) => spec.effect === 'Open')) {
        const expiresAt = state.requestedAt + hourMs;
        const ends = judged
          .filter(({ override: { spec } }) => spec.effect === 'Close')
          .filter(({ requestedAt }) => requestedAt >= state.requestedAt && requestedAt < expiresAt)
          .filter(({ override: { spec } }) => overlaps(state.override, spec.targets))
          .map(({ requestedAt }) => requestedAt);
        expect(state.endsAt).toBe(Math.min(expiresAt, ...ends));
      }
    });
    fc.assert(property);
  });

  it.each([
    [undefined, 'Rejected'],
    ['INC-', 'Rejected'],
    ['see INC-42', 'Rejected'],
    ['INC-42', 'Active'],
  ])('treats an override with the ticket %j as %s for a gate that requires one', (ticket, phase) => {
    const one = override({ duration: '1h', ...(ticket !== undefined && { ticket }) }, at(-0.1));
    const [judged] = judgeOverrides(now, gate({ ticketPattern: 'INC-[0-9]+' }), [one]);
    expect(judged?.phase).toBe(phase);
    const [close] = judgeOverrides(now, gate({ ticketPattern: '(' }), [
      { ...one, spec: { ...one.spec, effect: 'Close' } },
    ]);
    expect(close?.phase).toBe('Active');
  });

  it.each([
    [0, [], 'Active'],
    [1, [], 'Pending'],
    [1, ['ann'], 'Pending'],
    [1, ['bob'], 'Active'],
    [2, ['bob', 'bob', 'ann'], 'Pending'],
    [2, ['bob', 'carl'], 'Active'],
  ])(
    'given a gate that requires %i approvals, treats an override of ann that is approved by %j as %s',
    (count, by, phase) => {
      const one = override({ duration: '1h' }, at(-0.1));
      const notes = { [annotations.actor]: 'ann', [annotations.approvedBy]: JSON.stringify(by) };
      const made = { ...one, metadata: { ...one.metadata, annotations: notes } };
      const [judged] = judgeOverrides(now, gate({ requiredApprovals: count }), [made]);
      expect(judged?.phase).toBe(phase);
      expect(decideGate(now, gate({ requiredApprovals: count }), [], [made]).state).toBe(
        phase === 'Active' ? 'Open' : 'Closed',
      );
    },
  );

  it('keeps an override in force when the limit of its gate is lowered', () => {
    const live: GateOverride = {
      ...override({ duration: '1h' }, at(-0.1), 'live'),
      status: { phase: 'Active' },
    };
    const [judged] = judgeOverrides(now, gate({ maxOverride: '10m' }), [live]);
    expect(judged?.phase).toBe('Active');
    const [refused] = judgeOverrides(now, gate({ maxOverride: '10m' }), [{ ...live, status: {} }]);
    expect(refused?.phase).toBe('Rejected');
  });
});

function overlaps({ spec }: GateOverride, others: GateOverride['spec']['targets']): boolean {
  if (spec.targets === undefined || others === undefined) return true;
  return spec.targets.some(({ name }) => others.some((other) => other.name === name));
}
