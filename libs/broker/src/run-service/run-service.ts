import { isTyped, TypedError } from '@interlock/api';
import type { ServiceCaller } from '../governor/service-caller.js';
import type { HostRules } from '../hosts.js';
import type { Delivery } from '../source/agent-store.js';
import type { JobAnnotation, JobConclusion, JobLock, LockReference } from '../source/job-source.js';
import { payloadLimits } from '../wire/json.js';
import { readPayload, type JobPayload } from '../wire/payload.js';
import { isRefusal } from '../wire/refusal.js';
import { readLockedUntil } from './locked-until.js';

/** A job that was acquired. `payload` and `message.service` hold secrets. */
export interface AcquiredJob {
  payload: Buffer;
  message: JobPayload;
}

const acquireTimeoutMs = 30_000;
const lockTimeoutMs = 30_000;

/** Client of the run service. Each job has its own URL of the service, so every call takes one. */
export class RunService {
  readonly #caller: ServiceCaller;
  readonly #hosts: HostRules;
  readonly #runnerOs: string;

  constructor(caller: ServiceCaller, hosts: HostRules, runnerOs: string) {
    this.#caller = caller;
    this.#hosts = hosts;
    this.#runnerOs = runnerOs;
  }

  /**
   * Acquires a job, once.
   *
   * @throws Refusal; TypedError `Permanent` when the host of the job may not receive tokens, `Transient` when the answer is empty
   */
  async acquire(delivery: Delivery, runnerToken: string, signal: AbortSignal): Promise<AcquiredJob> {
    const { requestId, runServiceUrl, billingOwnerId } = delivery;
    const answer = await this.#caller.call(
      {
        endpoint: 'acquire',
        priority: 'acquire',
        what: `acquire job ${requestId}`,
        method: 'POST',
        url: this.#url(runServiceUrl, 'acquirejob'),
        token: runnerToken,
        body: JSON.stringify({ jobMessageId: requestId, runnerOS: this.#runnerOs, billingOwnerId }),
        maxBytes: payloadLimits.maxBytes,
        timeoutMs: acquireTimeoutMs,
      },
      signal,
    );
    /* What stands between may lose the body of an answer. The claim is repeated, as GitHub's own runner does (`RunServer.cs`). */
    if (answer.body.length === 0)
      throw new TypedError('Transient', `the answer to the claim of job ${requestId} has no payload`);
    const planId = answer.headers['x-plan-id'];
    const message = readPayload(answer.body, typeof planId === 'string' ? planId : undefined, requestId);
    return { payload: answer.body, message };
  }

  /** Returns the lock of a job. @throws TypedError `Permanent` when its host may not receive tokens */
  lock(reference: LockReference): JobLock {
    this.#hosts.checkService(reference.url);
    const known = new KnownJob(reference);
    return {
      renew: (signal) => known.call((jobId) => this.#renew({ ...reference, jobId }, signal)),
      complete: (conclusion, signal, annotation) =>
        known
          .call((jobId) => this.#complete({ ...reference, jobId }, conclusion, annotation, signal))
          .catch(endedOrThrow),
    };
  }

  async #renew(reference: LockReference, signal: AbortSignal): Promise<{ lockedUntil: number }> {
    const { planId, jobId, url, token } = reference;
    const answer = await this.#caller.call(
      {
        endpoint: 'renew',
        priority: 'renew',
        what: `renew the lock of job ${jobId}`,
        method: 'POST',
        url: this.#url(url, 'renewjob'),
        token,
        body: JSON.stringify({ planId, jobId }),
        timeoutMs: lockTimeoutMs,
      },
      signal,
    );
    return { lockedUntil: readLockedUntil(answer, this.#caller.clock.now()) };
  }

  async #complete(
    reference: LockReference,
    conclusion: JobConclusion,
    annotation: JobAnnotation | undefined,
    signal: AbortSignal,
  ): Promise<'concluded'> {
    const { planId, jobId, url, token, billingOwnerId } = reference;
    const annotations = annotation === undefined ? [] : [{ level: 'failure', ...annotation }];
    await this.#caller.call(
      {
        endpoint: 'complete',
        priority: 'complete',
        what: `complete job ${jobId}`,
        method: 'POST',
        url: this.#url(url, 'completejob'),
        token,
        body: JSON.stringify({
          ...{ planId, jobId, conclusion, billingOwnerId, annotations },
          ...{ outputs: {}, stepResults: [], telemetry: [] },
        }),
        timeoutMs: lockTimeoutMs,
      },
      signal,
    );
    return 'concluded';
  }

  /** Returns the URL of a call below the base, whose trailing slash is optional. */
  #url(base: string, name: string): URL {
    const url = this.#hosts.checkService(base);
    url.pathname = `${url.pathname.replace(/\/$/, '')}/${name}`;
    return url;
  }
}

/** The id by which the service knows a job: the one in the payload or, if the service does not know that, the id of the delivery. */
class KnownJob {
  #jobId: string;
  #otherId: string | undefined;

  constructor({ jobId, deliveryId }: LockReference) {
    this.#jobId = jobId;
    this.#otherId = deliveryId === jobId ? undefined : deliveryId;
  }

  /** Makes a call with the id; once again with the other id if the service does not know a job with the first. */
  async call<T>(make: (jobId: string) => Promise<T>): Promise<T> {
    const other = this.#otherId;
    try {
      const result = await make(this.#jobId);
      this.#otherId = undefined;
      return result;
    } catch (error) {
      if (other === undefined || !isGone(error)) throw error;
      const result = await make(other).catch((second: unknown) =>
        Promise.reject(isFinal(second) ? error : second),
      );
      this.#jobId = other;
      this.#otherId = undefined;
      return result;
    }
  }
}

/** Returns whether a call was refused, and would be refused again. */
function isFinal(error: unknown): boolean {
  return isRefusal(error) && !isTyped(error, 'Transient', 'RateLimited');
}

function isGone(error: unknown): boolean {
  return isRefusal(error) && (error.status === 404 || error.status === 410);
}

/** Returns the outcome for a job that has already ended. @throws the error if the job has not ended */
function endedOrThrow(error: unknown): 'ended' {
  if (isGone(error)) return 'ended';
  throw error;
}
