import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { SeededRandom } from '../random.js';
import type { Runner, Session, SessionStatus } from './model.js';
import { WaitingSessions } from './waiting-sessions.js';

const labelSets = [['linux'], ['Linux', 'gpu'], ['gpu', 'linux'], ['arm']];

function sessionOf(id: number, status: SessionStatus = 'online'): Session {
  const runner = { id, scope: 'orgs/acme', groupId: 1, labels: labelSets[id % labelSets.length] };
  return { id: String(id), runner, poll: { status, superseded: false } } as unknown as Session;
}

const takesLinux = ({ labels }: Runner): boolean => labels.some((label) => label.toLowerCase() === 'linux');
const isAny = (): boolean => true;

test('after any changes, exactly the waiting sessions that match can be chosen', () => {
  const step = fc.record({ id: fc.nat(20), leaves: fc.boolean(), draws: fc.nat(4) });
  fc.assert(
    fc.property(fc.array(step, { minLength: 20, maxLength: 100 }), fc.nat(), (steps, seed) => {
      const random = new SeededRandom(seed);
      const waiting = new WaitingSessions();
      const sessions = Array.from({ length: 21 }, (_, id) => sessionOf(id));
      const expected = new Set<Session>();
      for (const { id, leaves, draws } of steps) {
        const session = sessions[id]!;
        if (leaves) waiting.delete(session);
        else waiting.add(session);
        if (leaves) expected.delete(session);
        else expected.add(session);
        expect(waiting.choose(random, draws, isAny, isAny)).toHaveLength(Math.min(draws, expected.size));
        expect(waiting.size).toBe(expected.size);
      }
      const isEven = ({ runner }: Session): boolean => runner.id % 2 === 0;
      const chosen = waiting.choose(random, 100, takesLinux, isEven);
      const wanted = [...expected].filter((one) => takesLinux(one.runner) && isEven(one));
      expect(chosen).toHaveLength(wanted.length);
      expect(new Set(chosen)).toEqual(new Set(wanted));
    }),
  );
});

test('every session has the same chance, whatever its labels are', () => {
  const random = new SeededRandom(7);
  const waiting = new WaitingSessions();
  const count = 12;
  for (let id = 0; id < count; id++) waiting.add(sessionOf(id));
  const draws = 12_000;
  const frequency = new Map<string, number>();
  for (let turn = 0; turn < draws; turn++) {
    const [chosen] = waiting.choose(random, 1, isAny, isAny);
    frequency.set(chosen!.id, (frequency.get(chosen!.id) ?? 0) + 1);
  }
  expect(frequency.size).toBe(count);
  for (const times of frequency.values()) {
    expect(times).toBeGreaterThan((draws / count) * 0.8);
    expect(times).toBeLessThan((draws / count) * 1.2);
  }
});

test('a job is matched once with each set of labels, and takes one of thousands of sessions', () => {
  const waiting = new WaitingSessions();
  for (let id = 0; id < 5_000; id++) waiting.add(sessionOf(id));
  let matched = 0;
  let checked = 0;
  const mayRun = (runner: Runner): boolean => {
    matched += 1;
    return takesLinux(runner);
  };
  const isFree = (): boolean => {
    checked += 1;
    return true;
  };
  expect(waiting.choose(new SeededRandom(1), 1, mayRun, isFree)).toHaveLength(1);
  expect({ matched, checked }).toEqual({ matched: 3, checked: 1 });
});

test('a session whose poll reports a busy runner no longer waits for a job', () => {
  const waiting = new WaitingSessions();
  const session = sessionOf(1);
  waiting.add(session);
  session.poll!.status = 'busy';
  waiting.add(session);
  expect(waiting.size).toBe(0);
});
