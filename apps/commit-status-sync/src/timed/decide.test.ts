import { describe, expect, it } from '@jest/globals';
import {
  TimedCommitStatus,
  timestampOf,
  type CommitStatus,
  type CommitStatusPhase,
  type PromotionStrategy,
} from '@interlock/api';
import fc from 'fast-check';
import { commitStatus, now, phases, sha, strategy, timed } from '../sources/testing/builders.js';
import { decideTimed } from './decide.js';

const commit = sha('abc1234');
const other = sha('def5678');
const minute = 60_000;
const keys = { activeCommitStatuses: [{ key: 'health' }, { key: 'timer' }] };
const dev = [{ branch: 'dev', duration: '10m' }];

/** A TimedCommitStatus with its status as the API server keeps it, and the CommitStatus that it observes. */
class Soaking {
  source = timed(dev);
  of: PromotionStrategy | undefined = strategy({ dev: commit }, keys);
  statuses: CommitStatus[] = [];
  timerKeys = new Set(['timer']);
  #generation = 0;

  /** Reports a phase. Each report is a new generation, as at the API server. */
  report(phase: CommitStatusPhase, { of = commit, uid = 'one' } = {}): void {
    this.statuses = [commitStatus('h', 'health', of, phase, { uid, generation: ++this.#generation })];
  }

  /** Reconciles, and keeps the status. */
  observe(at: number) {
    const observed = { source: this.source, strategy: this.of, children: [] };
    const decision = decideTimed({ observed, commitStatuses: this.statuses, timerKeys: this.timerKeys }, at);
    this.source = { ...this.source, status: decision.status };
    return decision;
  }

  phase(at: number): string | undefined {
    return phases(this.observe(at).status)['dev'];
  }
}

describe('a soak', () => {
  it('is successful when the commit has been healthy for the duration, and reports the remaining time until then', () => {
    const soaking = new Soaking();
    soaking.report('success');
    const first = soaking.observe(now);
    expect(first).toMatchObject({ requeueAfterMs: minute });
    expect(first.commitStatuses).toMatchObject([
      {
        spec: {
          sha: commit,
          phase: 'in_progress',
          name: 'timer/dev',
          description:
            'healthy since 2026-03-01T12:00:00Z; 10m0s left of 10m0s: succeeds at 2026-03-01T12:10:00Z if it stays healthy',
        },
      },
    ]);
    expect(soaking.observe(now + 9.5 * minute)).toMatchObject({ requeueAfterMs: minute / 2 });
    expect(soaking.phase(now + 10 * minute - 1)).toBe('in_progress');
    const last = soaking.observe(now + 10 * minute);
    expect(last.commitStatuses).toMatchObject([{ spec: { phase: 'success' } }]);
    expect(last.requeueAfterMs).toBeUndefined();
    expect(TimedCommitStatus.status.safeParse(last.status).error).toBeUndefined();
  });

  it('ends when the success of a CommitStatus ends, although its reporter does not run', () => {
    const soaking = new Soaking();
    soaking.report('success');
    const validUntil = timestampOf(now + 4.5 * minute);
    soaking.statuses = soaking.statuses.map((one) => ({ ...one, spec: { ...one.spec, validUntil } }));
    soaking.observe(now);
    expect(soaking.observe(now + 4 * minute)).toMatchObject({ requeueAfterMs: minute / 2 });
    expect(soaking.phase(now + 4.5 * minute)).toBe('in_progress');
    expect(soaking.phase(now + 10 * minute)).toBe('in_progress');
    soaking.report('success');
    expect(soaking.phase(now + 11 * minute)).toBe('in_progress');
    expect(soaking.phase(now + 21 * minute)).toBe('success');
  });

  it('continues after a restart without changes', () => {
    const soaking = new Soaking();
    soaking.report('success');
    soaking.observe(now);
    expect(soaking.phase(now + 10 * minute)).toBe('success');
  });

  it('continues when only the text of a successful CommitStatus changes', () => {
    const soaking = new Soaking();
    soaking.report('success');
    soaking.observe(now);
    soaking.report('success');
    soaking.observe(now + 5 * minute);
    expect(soaking.phase(now + 10 * minute)).toBe('success');
  });

  it.each<[string, (soaking: Soaking) => void]>([
    [
      'a failure',
      (soaking) => {
        soaking.report('failure');
        soaking.observe(now + 5 * minute);
        soaking.report('success');
      },
    ],
    [
      'an unobserved failure',
      (soaking) => {
        soaking.report('failure');
        soaking.report('success');
      },
    ],
    ['another CommitStatus with the same name', (soaking) => soaking.report('success', { uid: 'two' })],
    [
      'a temporary absence of the CommitStatus',
      (soaking) => {
        soaking.statuses = [];
        soaking.observe(now + 5 * minute);
        soaking.report('success');
      },
    ],
    [
      'another commit',
      (soaking) => {
        soaking.of = strategy({ dev: other }, keys);
        soaking.report('success', { of: other });
      },
    ],
    [
      'the requirement of another check',
      (soaking) => {
        soaking.of = strategy(
          { dev: commit },
          { activeCommitStatuses: [{ key: 'health' }, { key: 'smoke' }] },
        );
        soaking.statuses = [...soaking.statuses, commitStatus('s', 'smoke', commit, 'success')];
      },
    ],
  ])('starts again after %s', (_case, happen) => {
    const soaking = new Soaking();
    soaking.report('success');
    soaking.observe(now);
    happen(soaking);
    soaking.observe(now + 5 * minute);
    expect(soaking.phase(now + 15 * minute - 1)).toBe('in_progress');
    expect(soaking.phase(now + 15 * minute)).toBe('success');
  });

  it('that was successful restarts after a degraded phase', () => {
    const soaking = new Soaking();
    soaking.report('success');
    soaking.observe(now);
    expect(soaking.phase(now + 10 * minute)).toBe('success');
    soaking.report('failure');
    expect(soaking.phase(now + 11 * minute)).toBe('in_progress');
    soaking.report('success');
    expect(soaking.phase(now + 12 * minute)).toBe('in_progress');
    expect(soaking.phase(now + 22 * minute)).toBe('success');
  });

  it('ignores proposed commits', () => {
    const soaking = new Soaking();
    soaking.report('success');
    soaking.observe(now);
    soaking.of = strategy({ dev: commit }, keys);
    Object.assign(soaking.of.status?.environments?.[0] ?? {}, { proposed: { hydratedSHA: other } });
    expect(soaking.phase(now + 10 * minute)).toBe('success');
  });

  it.each<[string, CommitStatus[], string]>([
    ['nothing is reported', [], 'waits for a CommitStatus with key health for abc1234'],
    [
      'a check is in progress',
      [commitStatus('h', 'health', commit, 'in_progress')],
      'waits for health, which is in_progress',
    ],
    [
      'a check failed',
      [commitStatus('h', 'health', commit, 'failure')],
      'waits for health, which is failure',
    ],
    [
      'a check is of another commit',
      [commitStatus('h', 'health', other, 'success')],
      'waits for a CommitStatus',
    ],
    [
      'two CommitStatuses report the same key',
      [commitStatus('a', 'health', commit, 'success'), commitStatus('b', 'health', commit, 'success')],
      'a and b both have key health',
    ],
  ])('does not begin while %s', (_case, statuses, message) => {
    const soaking = new Soaking();
    soaking.statuses = statuses;
    const { status, requeueAfterMs } = soaking.observe(now);
    expect(status.environments).toMatchObject([
      { phase: 'in_progress', message: expect.stringContaining(message) },
    ]);
    expect(status.environments?.[0]).not.toHaveProperty('healthySince');
    expect(requeueAfterMs).toBeUndefined();
  });

  it('does not wait for another timer', () => {
    const soaking = new Soaking();
    soaking.of = strategy({ dev: commit }, { activeCommitStatuses: [{ key: 'timer' }, { key: 'night' }] });
    soaking.timerKeys = new Set(['timer', 'night']);
    soaking.observe(now);
    expect(soaking.phase(now + 10 * minute)).toBe('success');
  });

  /* A model that observes every change: the soak may be longer than the last healthy period, never shorter. */
  it('is never successful before the commit was healthy for the whole time, whenever it is observed', () => {
    const step = fc.record({
      seconds: fc.integer({ min: 1, max: 400 }),
      phase: fc.option(fc.constantFrom<CommitStatusPhase>('success', 'success', 'failure', 'in_progress')),
      look: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        const soaking = new Soaking();
        let at = now;
        let healthySince: number | undefined;
        for (const { seconds, phase, look: observe } of steps) {
          at += seconds * 1000;
          if (phase !== null) {
            soaking.report(phase);
            healthySince = phase === 'success' ? (healthySince ?? at) : undefined;
          }
          if (!observe) continue;
          const success = soaking.phase(at) === 'success';
          if (success) expect(at - (healthySince ?? Infinity)).toBeGreaterThanOrEqual(10 * minute);
        }
      }),
    );
  });
});

describe('an environment', () => {
  it('that waits for the timer but is not listed is successful immediately', () => {
    const soaking = new Soaking();
    soaking.of = strategy({ dev: commit, prod: other }, keys);
    expect(phases(soaking.observe(now).status)).toEqual({ dev: 'in_progress', prod: 'success' });
  });

  it('that is not listed waits while a listed one does not exist, because it may be misspelt', () => {
    const soaking = new Soaking();
    soaking.of = strategy({ dev: commit, prod: other }, keys);
    soaking.source = timed([...dev, { branch: 'prd', duration: '1h' }]);
    const { status } = soaking.observe(now);
    expect(phases(status)).toEqual({ dev: 'in_progress', prod: 'in_progress' });
    expect(status.conditions).toContainEqual(
      expect.objectContaining({ type: 'Ready', status: 'False', reason: 'UnknownEnvironment' }),
    );
    soaking.report('success');
    soaking.observe(now);
    expect(phases(soaking.observe(now + 10 * minute).status)).toEqual({
      dev: 'success',
      prod: 'in_progress',
    });
  });

  it('that neither is listed nor waits for the timer is not reported', () => {
    const soaking = new Soaking();
    soaking.of = strategy({ dev: commit, prod: other });
    expect(phases(soaking.observe(now).status)).toEqual({ dev: 'in_progress' });
  });

  it('of which nothing is known waits without a CommitStatus', () => {
    const soaking = new Soaking();
    soaking.of = strategy({ dev: undefined }, keys);
    const { commitStatuses, status } = soaking.observe(now);
    expect(commitStatuses).toEqual([]);
    expect(phases(status)).toEqual({ dev: 'in_progress' });
  });

  it('without a strategy is not reported', () => {
    const soaking = new Soaking();
    soaking.of = undefined;
    const { commitStatuses, status } = soaking.observe(now);
    expect(commitStatuses).toEqual([]);
    expect(status).toMatchObject({ phase: 'in_progress', environments: [] });
  });
});
