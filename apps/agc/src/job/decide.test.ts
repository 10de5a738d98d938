import { describe, expect, it } from '@jest/globals';
import { decideJob, type JobDecision } from './decide.js';
import type { ObservedJob } from './observed.js';
import { ended, now, observedJob, pod } from './testing/builders.js';

const lost = { isRenewed: true, lostAt: now - 1_000 };
const lostLongAgo = { isRenewed: true, lostAt: now - 31_000 };
const running = { ...pod, hasStarted: true };
const stopped = { ...running, isDeletedByUs: true, deletionAt: now - 1_000 };
const endedPod = (changes: Partial<typeof ended>) => ({ ...running, end: { ...ended, ...changes } });

/** Returns the type of the decision, with what it waits for, why it stops the pod, or how the job ended. */
function shown(observed: ObservedJob): string {
  const decision: JobDecision = decideJob(observed, now);
  switch (decision.type) {
    case 'wait':
      return `wait for ${decision.for}`;
    case 'stop':
      return `stop: ${decision.reason}`;
    case 'conclude':
      return `conclude: ${decision.end.ending}`;
    default:
      return decision.type;
  }
}

describe('decideJob without a pod', () => {
  it.each<[title: string, observed: Parameters<typeof observedJob>[0], expected: string]>([
    ['creates the pod once the lock is renewed', {}, 'create'],
    ['waits for the first renewal', { lock: { isRenewed: false, lostAt: undefined } }, 'wait for lock'],
    ['waits for a place below the ceiling', { place: { type: 'full', reason: 'ceiling' } }, 'wait for place'],
    ['waits between refusals', { record: { refusals: 1, refusedAt: now - 10_000 } }, 'wait for quota'],
    ['retries after the delay', { record: { refusals: 1, refusedAt: now - 30_000 } }, 'create'],
    ['gives up after the last refusal', { record: { refusals: 6, refusedAt: now } }, 'conclude: abandoned'],
    ['ends a job that was cancelled early', { record: { cancelledAt: now } }, 'conclude: cancelled'],
    ['ends a job that the service has ended', { lock: lost }, 'conclude: lockLost'],
    ['ends a job whose group is being deleted', { isRetiring: true }, 'conclude: abandoned'],
    ['treats a pod that vanished as disrupted', { record: { phase: 'PodCreated' } }, 'conclude: disrupted'],
    [
      'treats a running pod that vanished as disrupted',
      { record: { phase: 'Running' } },
      'conclude: disrupted',
    ],
    [
      'treats a pod that it deleted because it did not start as one that never ran',
      { record: { phase: 'PodCreated', stop: 'pending_deadline' } },
      'conclude: abandoned',
    ],
    [
      'treats a pod that vanished after its runner had started as disrupted although it announced to delete it',
      { record: { phase: 'Running', stop: 'pending_deadline' } },
      'conclude: disrupted',
    ],
    [
      'treats a pod that an earlier process deleted because its lock was lost as such',
      { record: { phase: 'Running', stop: 'job_abandoned', isRevoked: true } },
      'conclude: lockLost',
    ],
    [
      'treats a pod that it deleted for its user as cancelled',
      { record: { phase: 'Running', stop: 'cancelled', cancelledAt: now } },
      'conclude: cancelled',
    ],
  ])('%s', (_title, changes, expected) => {
    expect(shown(observedJob(changes))).toBe(expected);
  });

  it.each([
    ['by its user soon after the claim', 5, 'Staged', true],
    ['15 minutes after the claim because it has not started', 15.5, 'Staged', undefined],
    ['15 minutes after the claim although it runs', 15.5, 'Running', true],
    ['by its user long after the claim', 30, 'Staged', true],
  ] as const)('records who ended a job that is ended %s', (_title, minutes, phase, isRevoked) => {
    const acquired = { acquiredAt: lost.lostAt - minutes * 60_000, phase };
    const decision = decideJob(observedJob({ lock: { ...lost, isRevoked: true }, record: acquired }), now);
    expect(decision).toMatchObject({ end: { ending: 'lockLost', isRevoked } });
  });

  it('wakes when the refused pod can be retried, or when the creation rate allows another pod', () => {
    const refused = observedJob({ record: { refusals: 1, refusedAt: now - 10_000 } });
    expect(decideJob(refused, now)).toMatchObject({ until: now + 20_000 });
    const place = { type: 'full', reason: 'scaleUp', retryAfterMs: 250 } as const;
    expect(decideJob(observedJob({ place }), now)).toMatchObject({ until: now + 250 });
  });
});

describe('decideJob with a pod that is held until it is recorded', () => {
  const held = { ...pod, isHeld: true };
  it.each<[title: string, observed: Parameters<typeof observedJob>[0], expected: string]>([
    ['records it', { pod: held }, 'create'],
    ['admits it when it is recorded', { pod: held, record: { phase: 'PodCreated' } }, 'admit'],
    [
      'waits for the first renewal',
      { pod: held, record: { phase: 'PodCreated' }, lock: { isRenewed: false, lostAt: undefined } },
      'wait for lock',
    ],
    ['stops it when the service has ended the job', { pod: held, lock: lost }, 'stop: job_abandoned'],
    ['creates it again when it vanished before it was recorded', {}, 'create'],
  ])('%s', (_title, changes, expected) => {
    expect(shown(observedJob(changes))).toBe(expected);
  });
});

describe('decideJob with a pod whose job is cancelled', () => {
  const record = { phase: 'Running', cancelledAt: now } as const;
  const cancelled = { ...stopped, deletionGraceSeconds: 285 };
  const stop = (graceSeconds: number) => ({ type: 'stop', reason: 'cancelled', graceSeconds });
  const wait = { type: 'wait', for: 'workerEnd' };
  it.each<[title: string, observed: Parameters<typeof observedJob>[0], expected: object]>([
    ['gives its runner the time that GitHub gives to a cancelled job', { pod: running }, stop(285)],
    [
      'gives its runner the time that the workflow gives to a cancelled job',
      { pod: running, record: { cancelTimeoutMs: 900_000 } },
      stop(885),
    ],
    ['gives its runner at least 45 seconds', { pod: running, record: { cancelTimeoutMs: 0 } }, stop(45)],
    [
      'gives its runner at most an hour',
      { pod: running, record: { cancelTimeoutMs: 360 * 60_000 } },
      stop(3610),
    ],
    ['keeps a longer time of the template', { pod: { ...running, graceSeconds: 600 } }, stop(600)],
    ['gives no time to a runner that has not started', { pod }, stop(35)],
    ['gives no time when the group is being deleted', { pod: running, isRetiring: true }, stop(35)],
    ['waits for its runner', { pod: cancelled }, wait],
    ['waits for a runner that has just concluded the job', { pod: cancelled, lock: lost }, wait],
    ['shortens the time when the service ended the job', { pod: cancelled, lock: lostLongAgo }, stop(35)],
    ['shortens the time when the group is being deleted', { pod: cancelled, isRetiring: true }, stop(35)],
    [
      'waits when the time was shortened',
      { pod: { ...stopped, deletionGraceSeconds: 35 }, isRetiring: true },
      wait,
    ],
  ])('%s', (_title, changes, expected) => {
    const observed = observedJob({ ...changes, record: { ...record, ...changes?.record } });
    expect(decideJob(observed, now)).toMatchObject(expected);
  });
});

describe('decideJob with a pod that lives', () => {
  const inPod = { phase: 'PodCreated' } as const;
  const inRun = { phase: 'Running' } as const;
  it.each<[title: string, observed: Parameters<typeof observedJob>[0], expected: string]>([
    ['waits for a pod that is pending', { pod, record: inPod }, 'wait for pod'],
    ['records that the runner has started', { pod: running, record: inPod }, 'markStarted'],
    ['waits for the runner', { pod: running, record: inRun }, 'wait for worker'],
    [
      'stops a pod whose job is cancelled',
      { pod: running, record: { ...inRun, cancelledAt: now } },
      'stop: cancelled',
    ],
    [
      'waits for the end of a pod that it stopped',
      { pod: stopped, record: { ...inRun, cancelledAt: now } },
      'wait for workerEnd',
    ],
    [
      'stops a pod again whose deletion was announced and then failed',
      { pod: { ...running, isDeletedByUs: true }, record: { ...inRun, cancelledAt: now } },
      'stop: cancelled',
    ],
    [
      'stops a pending pod again whose deletion was announced and then failed',
      {
        pod: { ...pod, isDeletedByUs: true, createdAt: now - 600_000 },
        record: { ...inPod, stop: 'pending_deadline' },
      },
      'stop: pending_deadline',
    ],
    [
      'gives a runner time to end after its lock is lost',
      { pod: running, lock: lost, record: inRun },
      'wait for workerEnd',
    ],
    [
      'stops a runner whose lock was lost long ago',
      { pod: running, lock: lostLongAgo, record: inRun },
      'stop: job_abandoned',
    ],
    ['stops at once a pod that has not started', { pod, lock: lost, record: inPod }, 'stop: job_abandoned'],
    [
      'stops the pods of a group that is being deleted',
      { pod: running, isRetiring: true, record: inRun },
      'stop: gateway_deleted',
    ],
    [
      'stops a pod that is pending for too long',
      { pod: { ...pod, createdAt: now - 600_000 }, record: inPod },
      'stop: pending_deadline',
    ],
    [
      'does not stop a running pod of the same age',
      { pod: { ...running, createdAt: now - 600_000 }, record: inRun },
      'wait for worker',
    ],
    [
      'waits for the end of a pod that another client deletes',
      { pod: { ...running, deletionAt: now }, record: inRun },
      'wait for workerEnd',
    ],
  ])('%s', (_title, changes, expected) => {
    expect(shown(observedJob(changes))).toBe(expected);
  });
});

describe('decideJob with a pod that has ended', () => {
  const evictedEarly = { mayHaveStarted: false, disruption: 'eviction', exitCode: undefined } as const;
  it.each<[title: string, observed: Parameters<typeof observedJob>[0], expected: string]>([
    [
      'treats exit code 0 as the report of the runner',
      { pod: endedPod({ exitCode: 0 }) },
      'conclude: reported',
    ],
    ['treats 102 as the report of a failure', { pod: endedPod({ exitCode: 102 }) }, 'conclude: reported'],
    [
      'accepts the report of a runner whose pod was evicted afterwards',
      {
        pod: endedPod({ exitCode: 143, disruption: 'eviction', report: { jobSent: true, result: 'failed' } }),
      },
      'conclude: reported',
    ],
    [
      'treats the report of a cancellation by an evicted runner as a disruption',
      { pod: endedPod({ exitCode: 103, disruption: 'eviction' }) },
      'conclude: disrupted',
    ],
    [
      'treats the report of a cancellation by a cancelled runner as its result',
      { pod: endedPod({ exitCode: 103, disruption: 'deletion' }), record: { cancelledAt: now } },
      'conclude: reported',
    ],
    ['treats another exit code as a crash', { pod: endedPod({ exitCode: 134 }) }, 'conclude: crashed'],
    [
      'treats an eviction after the start as a disruption',
      { pod: endedPod({ disruption: 'eviction' }) },
      'conclude: disrupted',
    ],
    ['creates another pod for a job that cannot have started', { pod: endedPod(evictedEarly) }, 'relaunch'],
    [
      'does not replace a pod whose runner was observed running and whose end was not observed',
      { pod: endedPod({ ...evictedEarly, hasEvidence: false }), record: { phase: 'Running' } },
      'conclude: disrupted',
    ],
    [
      'does not replace pods forever',
      { pod: endedPod(evictedEarly), record: { launches: 5 } },
      'conclude: abandoned',
    ],
    [
      'does not replace a pod that it deleted itself',
      { pod: { ...endedPod({ ...evictedEarly, disruption: undefined }), isDeletedByUs: true } },
      'conclude: abandoned',
    ],
    [
      'abandons a job whose pod failed before the runner',
      { pod: endedPod({ mayHaveStarted: false, exitCode: undefined }) },
      'conclude: abandoned',
    ],
    [
      'reports that the maximum lifetime was reached',
      { pod: endedPod({ isDeadline: true, exitCode: 137 }) },
      'conclude: deadline',
    ],
    [
      'abandons a job whose pod reached its maximum lifetime before the runner had started',
      { pod: endedPod({ isDeadline: true, mayHaveStarted: false, disruption: 'nodeLost' }) },
      'conclude: abandoned',
    ],
    [
      'treats a cancelled job that was killed as cancelled',
      { pod: endedPod({ exitCode: 137 }), record: { cancelledAt: now } },
      'conclude: cancelled',
    ],
    [
      'treats a crash without a lock as a lost lock',
      { pod: endedPod({ exitCode: 137 }), lock: lost },
      'conclude: lockLost',
    ],
    [
      'treats a pod that ended after an earlier process had deleted it because its lock was lost as such',
      { pod: endedPod({ exitCode: 137 }), record: { stop: 'job_abandoned' } },
      'conclude: lockLost',
    ],
    [
      'keeps an end that is recorded',
      {
        pod: endedPod({ exitCode: 0 }),
        record: { phase: 'Concluding', end: { ending: 'crashed', at: now } },
      },
      'conclude: crashed',
    ],
  ])('%s', (_title, changes, expected) => {
    expect(shown(observedJob({ ...changes, record: { phase: 'Running', ...changes?.record } }))).toBe(
      expected,
    );
  });
});
