import { delay, type Clock, type StopSignal } from '@interlock/base';
import type { RunnerToken } from '../token/runner-token.js';
import type { Fields } from '../wire/fields.js';
import { isRefusal, type Refusal } from '../wire/refusal.js';
import type { BrokerCalls } from './broker-calls.js';

interface CreateSessionOptions {
  runnerName: string;
  runnerId: string;
  brokerUrl: string;
  token: RunnerToken;
  calls: BrokerCalls;
  clock: Clock;
  previousId?: string | undefined;
  onFailure: (error: unknown) => void;
}

const conflictWaitMs = 30_000;
const maxConflictMs = 4 * 60_000;

/**
 * Creates the session of a runner. If the runner has another session, that session is deleted and the creation is
 * repeated, every 30 s for up to 4 min.
 *
 * @returns the fields of the answer
 * @throws Refusal `Conflict` with the reason `SessionConflict` when the other session remains
 */
export async function createSession(options: CreateSessionOptions, signal: StopSignal): Promise<Fields> {
  const { runnerName, runnerId, brokerUrl, calls, token, clock } = options;
  const startedAt = clock.monotonic();
  for (let conflicts = 0; ;) {
    try {
      return await calls.create({ brokerUrl, runnerName, token: await token.get(signal) }, runnerId, signal);
    } catch (error) {
      if (!isRefusal(error) || error.type !== 'Conflict') throw explained(error);
      conflicts += 1;
      if (clock.monotonic() - startedAt >= maxConflictMs) throw heldElsewhere(error, runnerName);
      /* The session of an earlier process is deleted below: only a session that remains is a failure. */
      if (conflicts > 1) options.onFailure(heldElsewhere(error, runnerName));
      await removeOther(options, signal);
      /* The deletion of the other session takes effect at once. */
      if (conflicts > 1) await delay(clock, conflictWaitMs, signal);
      if (signal.aborted) throw error;
    }
  }
}

async function removeOther(options: CreateSessionOptions, signal: StopSignal): Promise<void> {
  const { runnerName, brokerUrl, calls, token, previousId } = options;
  try {
    const session = { brokerUrl, runnerName, token: await token.get(signal), sessionId: previousId };
    await calls.remove(session, signal);
  } catch {
    /* The next creation shows whether the failure matters. */
  }
}

/** Returns the error for status 400: the service refuses the version of the runner, because no other field can be invalid. */
function explained(error: unknown): unknown {
  if (!isRefusal(error, 'Invalid') || error.status !== 400) return error;
  return error.as('Permanent', error.message, 'RunnerVersionTooOld');
}

function heldElsewhere(error: Refusal, runnerName: string): Refusal {
  const message = `runner ${runnerName} already has another session; wait until that session is deleted or expires`;
  return error.as('Conflict', message, 'SessionConflict');
}
