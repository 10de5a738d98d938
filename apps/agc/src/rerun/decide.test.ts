import { describe, expect, it } from '@jest/globals';
import type { ConfigMap } from '@interlock/kube';
import { decideRerun, type FoundJob, type ObservedRerun, type RunView } from './decide.js';
import { withRequest, type RerunRecord } from './record.js';

const now = Date.parse('2026-01-01T00:00:00Z');
const minute = 60_000;
const record: RerunRecord = {
  version: 1,
  repository: 'acme/web',
  runId: '42',
  runAttempt: 1,
  cause: 'eviction',
  runners: ['linux-1'],
  restJobIds: ['7'],
  requestedAt: now - minute,
  isCancelled: false,
  made: 0,
};
const completed: RunView = { isCompleted: true, conclusion: 'failure', attempt: 1, othersActive: 0 };
const active: RunView = { isCompleted: false, conclusion: undefined, attempt: 1, othersActive: 0 };
const found: FoundJob = {
  ...{ repository: 'acme/web', runId: '42', runAttempt: 1, restJobId: '7' },
  isCancelledEarly: false,
};
const config: ConfigMap = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'rerun-linux-42' } };

function observed(
  changes: Partial<Omit<ObservedRerun, 'record'>> & { record?: Partial<RerunRecord> },
): ObservedRerun {
  return {
    ...{ config, maxRetries: 2, delayMs: 5_000, madeByOthers: 0, run: completed, found: undefined },
    isShared: false,
    ...changes,
    record: { ...record, ...changes.record },
  };
}

function shown(changes: Parameters<typeof observed>[0]): string {
  const decision = decideRerun(observed(changes), now);
  return decision.type === 'end' ? `end: ${decision.result}` : decision.type;
}

describe('decideRerun', () => {
  it.each<[title: string, observed: Parameters<typeof observed>[0], expected: string]>([
    ['reruns a run that GitHub has concluded', {}, 'rerun'],
    ['waits for evictionRetryDelay', { record: { requestedAt: now - 4_000 } }, 'wait'],
    ['waits while the run is active', { run: active }, 'wait'],
    [
      'gives up when GitHub does not conclude the run',
      { run: active, record: { requestedAt: now - 36 * 24 * 60 * minute } },
      'end: tooLate',
    ],
    [
      'waits for hours while another job of the run is active',
      { run: { ...active, othersActive: 1 }, record: { requestedAt: now - 300 * minute } },
      'wait',
    ],
    [
      'does not rerun a run that a user has already rerun',
      { run: { ...active, attempt: 2 } },
      'end: superseded',
    ],
    [
      'does not rerun a run that a user cancelled',
      { run: { ...completed, conclusion: 'cancelled' } },
      'end: withheld',
    ],
    [
      'reruns a run that was cancelled because its lock expired',
      { record: { cause: 'lockLost', isCancelled: true }, run: { ...completed, conclusion: 'cancelled' } },
      'rerun',
    ],
    [
      'does not rerun a run that was cancelled before the lock of its job expired',
      { record: { cause: 'lockLost' }, run: { ...completed, conclusion: 'cancelled' } },
      'end: withheld',
    ],
    [
      'does not rerun a run that has succeeded',
      { run: { ...completed, conclusion: 'success' } },
      'end: withheld',
    ],
    ['does not rerun a run that GitHub no longer has', { run: 'gone' }, 'end: notFound'],
    ['does not exceed the reruns that a run may have', { record: { made: 2 } }, 'end: exhausted'],
    [
      'reruns a run that GitHub cancelled because its job was not started',
      { record: { cause: 'abandoned' }, run: { ...completed, conclusion: 'cancelled' } },
      'rerun',
    ],
    [
      'ends a run that waits for a job that cannot start',
      { record: { cause: 'abandoned' }, run: active },
      'cancel',
    ],
    [
      'does not end a run with other jobs',
      { record: { cause: 'abandoned' }, run: { ...active, othersActive: 1 } },
      'wait',
    ],
    ['ends a run once', { record: { cause: 'abandoned', isCancelled: true }, run: active }, 'wait'],
    ['does not end the run of an eviction', { run: active }, 'wait'],
    [
      'finds the run of a lost claim',
      {
        record: { cause: 'claimLost', runId: undefined, repository: undefined },
        run: undefined,
        found,
      },
      'identify',
    ],
    [
      'does not rerun a run whose job was cancelled after a lost claim',
      {
        record: { cause: 'claimLost', runId: undefined, repository: undefined },
        run: undefined,
        found: { ...found, isCancelledEarly: true },
      },
      'end: withheld',
    ],
    [
      'searches for the run of a lost claim again',
      { record: { cause: 'claimLost', runId: undefined }, run: undefined },
      'wait',
    ],
    [
      'stops the search after a while',
      { record: { cause: 'claimLost', runId: undefined, requestedAt: now - 46 * minute }, run: undefined },
      'end: notFound',
    ],
    [
      'keeps the number of reruns for a day',
      { record: { result: 'made', endedAt: now - 23 * 60 * minute } },
      'wait',
    ],
    [
      'forgets the number of reruns after a day',
      { record: { result: 'made', endedAt: now - 24 * 60 * minute } },
      'remove',
    ],
  ])('%s', (_title, changes, expected) => {
    expect(shown(changes)).toBe(expected);
  });
});

it('reads a run that other jobs keep active less and less often', () => {
  const requestedAt = now;
  let reads = 0;
  for (let at = now + 5_000; at < requestedAt + 45 * minute; reads++) {
    const decision = decideRerun(observed({ run: active, record: { requestedAt } }), at);
    if (decision.type !== 'wait') throw new Error(`it does not wait: ${decision.type}`);
    expect(decision.until - at).toBeLessThanOrEqual(5 * minute);
    at = decision.until;
  }
  expect(reads).toBeLessThan(30);
});

it('reads a run that was cancelled for its rerun every 15 seconds, however long other jobs kept it active', () => {
  const cancelled = { cause: 'abandoned', isCancelled: true, requestedAt: now - 40 * minute } as const;
  expect(decideRerun(observed({ run: active, record: cancelled }), now)).toEqual({
    type: 'wait',
    until: now + 15_000,
  });
});

describe('the search for the run of a lost claim', () => {
  it.each([
    [5_000, 15_000],
    [10 * minute, 10 * minute],
  ])(
    'waits, after %i ms without a result, another %i ms, because each search makes a call for every run',
    (agoMs, inMs) => {
      const record = { cause: 'claimLost', runId: undefined, requestedAt: now - agoMs } as const;
      const decision = decideRerun(observed({ record, run: undefined }), now);
      expect(decision).toEqual({ type: 'wait', until: now + inMs });
    },
  );
});

describe('withRequest', () => {
  const request = {
    repository: 'acme/web',
    runId: '42',
    runAttempt: 1,
    restJobId: '7',
    cause: 'eviction',
    isCancelled: false,
    runnerName: 'linux-1',
  } as const;

  it('adds nothing when a request is repeated', () => {
    const first = withRequest(undefined, request, now);
    expect(withRequest(first, request, now + 1)).toBe(first);
    const made: RerunRecord = { ...first, result: 'made', made: 1, endedAt: now };
    expect(withRequest(made, request, now + 1)).toBe(made);
  });

  it('changes the cause of a waiting request when the service has refused the failure of its job', () => {
    const first = withRequest(undefined, request, now);
    const refused = withRequest(first, { ...request, cause: 'abandoned' }, now + 1);
    expect(refused).toEqual({ ...first, cause: 'abandoned' });
    expect(withRequest(refused, request, now + 2)).toBe(refused);
    const made: RerunRecord = { ...first, result: 'made', made: 1, endedAt: now };
    expect(withRequest(made, { ...request, cause: 'abandoned' }, now + 1)).toBe(made);
  });

  it('joins jobs of a run that are disrupted together', () => {
    const second = withRequest(record, { ...request, runnerName: 'linux-2', restJobId: '8' }, now);
    expect(second).toMatchObject({ restJobIds: ['7', '8'], requestedAt: record.requestedAt, made: 0 });
  });

  it('keeps the budget when a later attempt is disrupted', () => {
    const made: RerunRecord = { ...record, result: 'made', made: 1, endedAt: now };
    const again = withRequest(
      made,
      { ...request, runAttempt: 2, runnerName: 'linux-3', restJobId: '9' },
      now,
    );
    expect(again).toMatchObject({ made: 1, runAttempt: 2, restJobIds: ['9'], requestedAt: now });
    expect(again.result).toBeUndefined();
  });
});
