import { expect, it } from '@jest/globals';
import type { GateState } from '@interlock/api';
import type { GateDecision, NextDecision } from '@interlock/gating';
import type { ObservedGate } from '../gate/engine.js';
import { nextOfBinding } from './next.js';
import { binding, gate, now } from './testing/builders.js';

const minuteMs = 60_000;

/** Returns the next change of a binding that requires all gates, and the number of evaluations of gates. */
function next(...changes: ((at: number) => { state: GateState; next?: NextDecision })[]) {
  const gates = changes.map((): ObservedGate => ({ gate: gate(), keepers: [], overrides: [] }));
  let evaluations = 0;
  const reader = {
    decide(one: ObservedGate, at: number): GateDecision {
      evaluations += 1;
      const known = {
        cause: 'Default',
        message: '',
        since: at,
        validUntil: at,
        contributions: [],
        problems: [],
      };
      const { state, next: change } = changes[gates.indexOf(one)]?.(at) ?? { state: 'Closed' as const };
      return { ...known, state, next: change };
    },
  };
  const of = binding();
  const refs = gates.map((_, index) => ({ name: `gate-${index}` }));
  const found = nextOfBinding({ ...of, spec: { ...of.spec, refs } }, gates, reader, now, undefined);
  return { found, evaluations };
}

/** A gate that changes every minute. */
function everyMinute(at: number) {
  const isOpen = (at / minuteMs) % 2 === 0;
  const change = {
    at: at + minuteMs,
    state: isOpen ? ('Closed' as const) : ('Open' as const),
    cause: 'Default',
  };
  return { state: isOpen ? ('Open' as const) : ('Closed' as const), next: change };
}

const opensAt = now + 5 * minuteMs;
const opening = { at: opensAt, state: 'Open' as const, cause: 'GateKeeper/late' };

it('returns the first change of the combined state, which several changes of one gate may precede', () => {
  const late = (at: number) =>
    at < opensAt ? { state: 'Closed' as const, next: opening } : { state: 'Open' as const };
  expect(next(everyMinute, late).found).toMatchObject({ at: now + 6 * minuteMs, state: 'Open' });
});

it('evaluates only the gate that changes again, because a binding may have many gates', () => {
  const closed = () => ({ state: 'Closed' as const });
  const { found, evaluations } = next(everyMinute, ...Array.from({ length: 15 }, () => closed));
  expect(found).toBeUndefined();
  expect(evaluations).toBe(16 + 64);
});

it('stops after a number of evaluations, also if many gates change at the same time', () => {
  const closed = () => ({ state: 'Closed' as const });
  const { found, evaluations } = next(closed, ...Array.from({ length: 15 }, () => everyMinute));
  expect(found).toBeUndefined();
  expect(evaluations).toBeLessThan(16 + 64 + 15);
});
