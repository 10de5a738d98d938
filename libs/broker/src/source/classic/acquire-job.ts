import { abortReason, delay, type Clock } from '@interlock/base';
import { isTyped, messageOf } from '@interlock/api';
import type { AcquiredJob, RunService } from '../../run-service/run-service.js';
import type { RunnerToken } from '../../token/runner-token.js';
import { isRefusal } from '../../wire/refusal.js';
import type { Delivery } from '../agent-store.js';
import type { Refused } from '../job-source.js';

interface AcquireOptions {
  delivery: Delivery;
  runnerName: string;
  token: RunnerToken;
  runService: RunService;
  clock: Clock;
  random: () => number;
  /** Milliseconds of the monotonic clock after which no attempt begins. */
  deadline: number;
  /** Whether an earlier attempt may have succeeded. */
  isAmbiguous: boolean;
  /** Called when an attempt may have succeeded. */
  onAmbiguous: () => void;
}

type Acquisition = { type: 'acquired'; job: AcquiredJob } | { type: 'refused'; refused: Refused };

const retry = { baseMs: 1_000, maxMs: 10_000 };
/** How many answers without a readable job are received before the job is lost, as by GitHub's own runner (`RunServer.cs`). */
const maxUnreadable = 5;

/**
 * Acquires a job. Until the deadline, repeats attempts with a transient failure, and attempts that may have succeeded, to learn their
 * outcome. A job that may have been acquired, and whose outcome is not known at the deadline, is refused as lost, and so is a job
 * whose answers cannot be read.
 *
 * @throws TypedError of the last attempt at the deadline, when nothing has changed. Rejects with the signal's reason
 */
export async function acquireJob(options: AcquireOptions, signal: AbortSignal): Promise<Acquisition> {
  const { delivery, token, runService, clock, random, deadline } = options;
  let isAmbiguous = options.isAmbiguous;
  let hasNewToken = false;
  let unreadable = 0;
  for (let attempt = 1; ; attempt++) {
    const bearer = await token.get(signal).catch((error: unknown) => error);
    /* Without a token, nothing is sent. */
    const isSent = typeof bearer === 'string';
    let failure = bearer;
    if (isSent) {
      try {
        return { type: 'acquired', job: await runService.acquire(delivery, bearer, signal) };
      } catch (error) {
        failure = error;
      }
    }
    if (isSent && mayHaveSucceeded(failure)) {
      isAmbiguous = true;
      options.onAmbiguous();
    }
    if (signal.aborted) throw abortReason(signal);
    if (isSent && !hasNewToken && isRefusal(failure) && failure.status === 401) {
      hasNewToken = true;
      token.invalidate(bearer);
      continue;
    }
    if (isSent && isUnreadable(failure)) unreadable += 1;
    const reason = unreadable < maxUnreadable ? refusalReason(failure, isAmbiguous) : 'lost';
    if (reason !== undefined) return { type: 'refused', refused: refusedOf(options, reason, failure) };
    const waitMs = waitOf(failure) + Math.min(retry.maxMs, retry.baseMs * 2 ** (attempt - 1)) * random();
    if (clock.monotonic() + waitMs >= deadline) {
      /* The service may hold the job for this runner, which would never start it. */
      if (isAmbiguous) return { type: 'refused', refused: refusedOf(options, 'lost', failure) };
      throw failure;
    }
    await delay(clock, waitMs, signal);
  }
}

/** Returns false for a call that was refused, or that never reached the service: it has changed nothing. */
function mayHaveSucceeded(error: unknown): boolean {
  if (!isTyped(error)) return true;
  /* The service may have acted before a proxy replaced its answer by a page. */
  if (isRefusal(error)) return error.status >= 500 || error.status < 300;
  return error.reason !== 'ConnectFailed' && error.type !== 'Permanent' && error.type !== 'Unauthorized';
}

/** Returns whether an answer claims success but has no readable job. */
function isUnreadable(error: unknown): boolean {
  return isTyped(error, 'Invalid') && error.reason === 'MalformedAnswer';
}

function refusalReason(error: unknown, isAmbiguous: boolean): Refused['reason'] | undefined {
  if (!isTyped(error)) return undefined;
  if (error.type === 'Transient' || error.type === 'RateLimited') return undefined;
  /* The service sent the job, which is not smaller in the next answer. */
  if (error.reason === 'AnswerTooLarge') return 'lost';
  /* The service may not have sent it: a proxy may replace an answer, and its body may be lost. */
  if (isUnreadable(error)) return undefined;
  /* A job that an earlier attempt may have acquired may have ended in the meantime, with its lock. */
  if (error.type === 'NotFound') return isAmbiguous ? 'lost' : 'gone';
  if (error.type === 'Conflict') return isAmbiguous ? 'lost' : 'taken';
  /* A single-use runner is no longer registered after it has acquired its job. */
  if (error.type === 'Unauthorized' && isAmbiguous) return 'lost';
  return 'unclaimable';
}

function refusedOf(
  { delivery, runnerName }: AcquireOptions,
  reason: Refused['reason'],
  error: unknown,
): Refused {
  const lost = reason === 'lost' ? { runnerName } : {};
  return { mode: 'refused', key: delivery.requestId, reason, message: messageOf(error), ...lost };
}

function waitOf(error: unknown): number {
  return isTyped(error, 'Transient', 'RateLimited') ? (error.retryAfterMs ?? 0) : 0;
}
