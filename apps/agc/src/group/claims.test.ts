import { expect, it } from '@jest/globals';
import { TypedError } from '@interlock/api';
import { silentLog } from '@interlock/base';
import { FakeClock } from '@interlock/base/testing';
import type { Claim, JobSource, Refused } from '@interlock/broker';
import { trace } from '@opentelemetry/api';
import { claimOf, group } from '../job/testing/builders.js';
import type { JobStore } from '../job/store.js';
import { Claims } from './claims.js';
import { DeliveryNames } from './delivery-names.js';
import { EndedJobs } from './ended-jobs.js';

const claim = claimOf('request-2');

/** How the API server and the service answer to a claim, and what happens meanwhile. */
interface Answers {
  /** The refusal of the claim. */
  refused?: Refused;
  /** The errors of the conclusions, which are accepted after that. */
  conclusions?: Error[];
  /** Each attempt to record the job. */
  creates?: ((ended: EndedJobs) => 'created' | 'duplicate')[];
  addSibling?: (ended: EndedJobs) => void;
  isLockLost?: boolean;
  /** Whether another group has recorded the job. */
  isHeldElsewhere?: boolean;
}

/** Creates the claims of a group. `steps` fills with what they do. */
function createClaims(
  { refused, conclusions = [], creates = [], addSibling, isLockLost, isHeldElsewhere = false }: Answers,
  isOver = false,
) {
  const clock = new FakeClock();
  const steps: string[] = [];
  const ended = new EndedJobs();
  if (isOver) ended.add('plan-1', 'succeeded');
  const source: Partial<JobSource> = {
    claim: () => Promise.resolve(refused ?? claim),
    settled: () => Promise.resolve(),
    release: () => Promise.resolve('expires' as const).finally(() => steps.push('released')),
    lock: () => ({
      renew: () => Promise.reject(new Error('not expected')),
      complete(conclusion) {
        const error = conclusions.shift();
        steps.push(error === undefined ? conclusion : 'failure');
        return error === undefined ? Promise.resolve('concluded') : Promise.reject(error);
      },
    }),
  };
  const jobs: Partial<JobStore> = {
    create: async () => {
      const stored = creates.shift()?.(ended) ?? 'created';
      steps.push(stored);
      return stored;
    },
    addSibling: async () => addSibling?.(ended),
  };
  const claims = new Claims({
    ...{ group: 'linux', namespace: 'team-a', groups: { get: () => group }, source, ended, jobs },
    ...{ clock, random: () => 0, log: silentLog, tracer: trace.getTracer('test') },
    ...{
      metrics: { count: () => undefined },
      reruns: { scheduleLost: async () => void steps.push('rerun') },
    },
    warn: (reason: string, note: string) => void steps.push(refused === undefined ? reason : note),
    onSettled: () => undefined,
    ...{ deliveries: new DeliveryNames(), keeping: { keep: () => undefined } },
    led: { isHeldElsewhere: () => isHeldElsewhere },
    locks: {
      view: (name: string) => ({ isRenewed: true, lostAt: isLockLost && name !== '' ? 1 : undefined }),
      ...{ drop: () => steps.push('dropped'), addSibling: () => undefined },
    },
  } as unknown as ConstructorParameters<typeof Claims>[0]);
  return { claims, steps, clock };
}

/** Claims a delivery of a job, and returns the steps that follow. */
async function claimWith(answers: Answers, isOver = false): Promise<string[]> {
  const { claims, steps, clock } = createClaims(answers, isOver);
  claims.take('request-2', AbortSignal.timeout(60_000));
  await clock.run(claims.settled());
  return steps;
}

const claimLate = (conclusions: Error[]) => claimWith({ conclusions }, true);

it('concludes a late delivery of an ended job again when the service does not answer', async () => {
  const errors = [new TypedError('Transient', 'HTTP 503'), new TypedError('RateLimited', 'HTTP 429')];
  expect(await claimLate(errors)).toEqual(['failure', 'failure', 'succeeded', 'released']);
});

it('releases a late delivery whose conclusion the service refuses', async () => {
  expect(await claimLate([new TypedError('Unauthorized', 'HTTP 401')])).toEqual(['failure', 'released']);
});

it('records a job whose lock was lost while the API server did not answer, so that its run is run again', async () => {
  const fail = () => {
    throw new TypedError('Transient', 'HTTP 503');
  };
  const steps = await claimWith({ creates: [fail, fail], isLockLost: true });
  expect(steps).toEqual(['created']);
});

it('gives up a job that may not be recorded when its lock is lost', async () => {
  const forbid = () => {
    throw new TypedError('Unauthorized', 'HTTP 403');
  };
  const steps = await claimWith({ creates: [forbid], isLockLost: true });
  expect(steps).toEqual(['dropped', 'JobAcquisitionFailed', 'released']);
});

it('reports a job that no setting permits to claim', () => {
  const { claims, steps } = createClaims({});
  claims.leave('request-2', 'the service names another host');
  expect(steps).toEqual(['JobAcquisitionFailed']);
});

const end = (ended: EndedJobs): void => ended.add('plan-1', 'succeeded');

it('does not record a delivery again whose job ends while the API server does not answer', async () => {
  const fail = (ended: EndedJobs) => {
    end(ended);
    throw new TypedError('Transient', 'HTTP 503');
  };
  expect(await claimWith({ creates: [fail] })).toEqual(['succeeded', 'released']);
});

it('concludes a delivery whose job ends before the delivery is added to it', async () => {
  const addSibling = (ended: EndedJobs) => {
    end(ended);
    throw new TypedError('NotFound', 'HTTP 404');
  };
  const steps = await claimWith({ creates: [() => 'duplicate'], addSibling });
  expect(steps).toEqual(['duplicate', 'succeeded', 'released']);
});

it('does not stop renewing the lock of a job that another group has recorded when its delivery is given up', async () => {
  const addSibling = () => {
    throw new TypedError('Permanent', 'the Secret of the job has no readable record');
  };
  const steps = await claimWith({ creates: [() => 'duplicate'], addSibling, isHeldElsewhere: true });
  expect(steps).toEqual(['duplicate', 'JobAcquisitionFailed', 'released']);
});

it('has an unobserved job from its offer until its record is observed', async () => {
  const deliveries = new DeliveryNames();
  let answer: (claim: Claim) => void = () => undefined;
  const answered = new Promise<Claim>((resolve) => (answer = resolve));
  let settled = 0;
  const claims = new Claims({
    ...{ group: 'linux', deliveries, tracer: trace.getTracer('test'), onSettled: () => (settled += 1) },
    ...{ ended: new EndedJobs(), keeping: { keep: () => undefined }, groups: { get: () => undefined } },
    source: {
      ...{ claim: () => answered, lock: () => undefined, settled: () => Promise.resolve() },
    },
  } as unknown as ConstructorParameters<typeof Claims>[0]);
  claims.take('request-2', AbortSignal.timeout(60_000));
  expect([claims.unobserved(() => true), settled]).toEqual([1, 0]);
  answer(claim);
  await claims.settled();
  expect([claims.unobserved(() => false), settled]).toEqual([1, 1]);
  expect(claims.unobserved((name) => name === deliveries.get('request-2'))).toBe(0);
});

it('reports why a claim is lost, and that the run of its job is run again', async () => {
  const message = 'the payload of job request-2 has no plan id';
  const refused: Refused = {
    ...{ mode: 'refused', key: 'request-2', reason: 'lost', message, runnerName: 'linux-0a1b' },
  };
  expect(await claimWith({ refused })).toEqual([
    `runner linux-0a1b may hold a job that it cannot start; the run of that job is run again: ${message}`,
    'rerun',
    'released',
  ]);
});
