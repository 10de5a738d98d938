import type { Condition, Kind, PullRequest } from '@interlock/api';
import { Problem } from '@interlock/base';
import { getCondition, type ApplyConfiguration } from '@interlock/kube';

/** The decision of the owner of a pull request. */
interface OwnerDecision {
  status: { conditions?: Condition[] | undefined };
  /** The pull request to apply. */
  pullRequest?: ApplyConfiguration | undefined;
}

/**
 * Returns why the owner of a pull request does not require the merge of a commit; undefined when it does. Pure.
 *
 * @param type of the condition that states what the merge waits for
 */
export function mergeRefusal(
  { pullRequest, status: { conditions } }: OwnerDecision,
  sha: string,
  type: string,
): Problem | undefined {
  const spec = pullRequest?.['spec'] as PullRequest['spec'] | undefined;
  if (spec?.merge?.sha === sha) return undefined;
  const condition = getCondition(conditions, type) ?? getCondition(conditions, 'Ready');
  return new Problem(condition?.reason ?? 'NotReady', condition?.message ?? 'the checks no longer pass');
}

/** Returns the problem of a pull request whose owner no longer exists, or is being deleted. */
export function gone({ kind }: Kind): Problem {
  return new Problem('Withdrawn', `the ${kind} no longer exists, or is being deleted`);
}
