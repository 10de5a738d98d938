import { isTyped, type AnyScmProvider, type Condition, type TypedError } from '@interlock/api';
import { markFailed, markReady } from '@interlock/kube';
import type { AccountProblem } from '@interlock/scm';

/** What a decision about a provider depends on. */
export interface ObservedProvider {
  provider: AnyScmProvider;
  /** Why the provider cannot be used: a problem with its section, its server or its Secret. */
  problem?: TypedError | undefined;
  /** Why its calls fail. */
  accountProblem?: AccountProblem | undefined;
}

export interface ProviderDecision {
  conditions: Condition[];
  /** Milliseconds until a problem with calls becomes a condition, or the SCM may be called again; absent if nothing is due. */
  dueInMs?: number | undefined;
}

/**
 * How long a problem must last to become a condition, including the time that the SCM asks to wait; in milliseconds.
 */
const lastingMs = 60_000;

const usable = {
  reason: 'Usable',
  message: 'the server is allowed, and the Secret has the required keys',
};

/** Decides the conditions of a provider. Pure; `now` in milliseconds since the epoch. */
export function decideProvider(
  { provider, problem, accountProblem }: ObservedProvider,
  now: number,
): ProviderDecision {
  const { generation } = provider.metadata;
  const known = provider.status?.conditions;
  if (problem !== undefined) return { conditions: markFailed(known, problem, generation, now) };
  const waitMs = accountProblem === undefined ? 0 : untilCondition(accountProblem, now);
  if (accountProblem === undefined || waitMs > 0) {
    return { conditions: markReady(known, usable, generation, now), ...(waitMs > 0 && { dueInMs: waitMs }) };
  }
  const { error, until = now } = accountProblem;
  return {
    conditions: markFailed(known, error, generation, now),
    ...(until > now && { dueInMs: until - now }),
  };
}

/**
 * Returns the milliseconds until a problem becomes a condition. A refused credential, which is not transient, becomes one at
 * once.
 */
function untilCondition({ error, since, until = 0 }: AccountProblem, now: number): number {
  if (isTyped(error, 'Unauthorized')) return 0;
  return Math.max(0, lastingMs - (Math.max(until, now) - since));
}
