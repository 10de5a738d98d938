import { describe, expect, it } from '@jest/globals';
import { timestampOf, type EnvironmentHealth } from '@interlock/api';
import fc from 'fast-check';
import { settle, settleMs } from './settle.js';
import { now, sha } from './testing/builders.js';

const commit = sha('a');
const before = (change: Partial<EnvironmentHealth> = {}): EnvironmentHealth => ({
  branch: 'dev',
  sha: commit,
  phase: 'in_progress',
  message: '',
  selected: 1,
  observed: 'success',
  observedSince: timestampOf(now),
  ...change,
});
const success = { phase: 'success' as const, message: '' };

describe('settle', () => {
  it('accepts in_progress immediately', () => {
    expect(settle(undefined, commit, { phase: 'in_progress', message: '' }, now)).toEqual({
      phase: 'in_progress',
      observedSince: timestampOf(now),
    });
  });

  it.each(['success', 'failure'] as const)(
    'accepts %s when it has lasted for the settle time, and returns when that time ends',
    (phase) => {
      const verdict = { phase, message: '' };
      const first = settle(undefined, commit, verdict, now);
      expect(first).toEqual({
        phase: 'in_progress',
        observedSince: timestampOf(now),
        settlesAt: now + settleMs,
      });
      const known = before({ observed: phase });
      expect(settle(known, commit, verdict, now + settleMs - 1)).toMatchObject({ settlesAt: now + settleMs });
      expect(settle(known, commit, verdict, now + settleMs)).toEqual({
        phase,
        observedSince: timestampOf(now),
      });
    },
  );

  it.each([
    ['it had another verdict before', before({ observed: 'failure' }), undefined],
    ['it was about another commit', before({ sha: sha('b') }), undefined],
    ['the object reports a change in the meantime', before(), now + settleMs],
  ])('starts again when %s', (_case, known, changedAt) => {
    const verdict = { ...success, changedAt };
    const result = settle(known, commit, verdict, now + settleMs);
    expect(result).toMatchObject({ phase: 'in_progress', settlesAt: now + 2 * settleMs });
  });

  it('ignores the last change of an object if it is in the future', () => {
    const verdict = { ...success, changedAt: now + 3_600_000 };
    expect(settle(before(), commit, verdict, now + settleMs).phase).toBe('success');
  });

  it('accepts no success before it was observed for the whole settle time, whatever the clock shows', () => {
    fc.assert(
      fc.property(fc.nat(10_000), fc.nat(10_000), (startMs, laterMs) => {
        const start = now + startMs;
        const { observedSince } = settle(undefined, commit, success, start);
        const { phase } = settle(before({ observedSince }), commit, success, start + laterMs);
        if (laterMs < settleMs) expect(phase).toBe('in_progress');
        if (laterMs >= settleMs + 1000) expect(phase).toBe('success');
      }),
    );
  });
});
