import { expect, it } from '@jest/globals';
import { TypedError } from '@interlock/api';
import { silentLog } from '@interlock/base';
import { FakeClock } from '@interlock/base/testing';
import type { Claim, JobSource } from '@interlock/broker';
import { trace } from '@opentelemetry/api';
import { group } from '../job/testing/builders.js';
import { Claims } from './claims.js';
import { EndedJobs } from './ended-jobs.js';

const identity = { planId: 'plan-1', jobId: 'request-2' };
const claim: Claim = {
  ...{ mode: 'payload', key: 'request-2', identity, runnerName: 'linux-0a1b', run: undefined },
  payload: Buffer.from('{}'),
  lock: { ...identity, url: 'http://run/1/', token: 'token' },
};

/** Claims a delivery of a job that has ended, of which each conclusion is answered with one of the errors, then accepted. */
async function claimLate(errors: Error[]): Promise<string[]> {
  const clock = new FakeClock();
  const steps: string[] = [];
  const ended = new EndedJobs();
  ended.add('plan-1', 'succeeded');
  const source: Partial<JobSource> = {
    claim: () => Promise.resolve(claim),
    settled: () => Promise.resolve(),
    release: () => Promise.resolve('expires' as const).finally(() => steps.push('released')),
    lock: () => ({
      renew: () => Promise.reject(new Error('not expected')),
      complete(conclusion) {
        const error = errors.shift();
        steps.push(error === undefined ? conclusion : 'failure');
        return error === undefined ? Promise.resolve('concluded') : Promise.reject(error);
      },
    }),
  };
  const claims = new Claims({
    ...{ group: 'linux', namespace: 'team-a', groups: { get: () => group }, source, ended },
    ...{ clock, random: () => 0, log: silentLog, tracer: trace.getTracer('test') },
    ...{ metrics: { count: () => undefined }, warn: (reason: string) => void steps.push(reason) },
    deliveries: { get: () => undefined, delete: () => undefined },
    locks: { view: () => ({ isRenewed: false, lostAt: undefined }) },
  } as unknown as ConstructorParameters<typeof Claims>[0]);
  claims.take('request-2', AbortSignal.timeout(60_000));
  await clock.run(claims.settled());
  return steps;
}

it('concludes a late delivery of an ended job again when the service does not answer', async () => {
  const errors = [new TypedError('Transient', 'HTTP 503'), new TypedError('RateLimited', 'HTTP 429')];
  expect(await claimLate(errors)).toEqual(['failure', 'failure', 'succeeded', 'released']);
});

it('releases a late delivery whose conclusion the service refuses', async () => {
  expect(await claimLate([new TypedError('Unauthorized', 'HTTP 401')])).toEqual(['failure', 'released']);
});
