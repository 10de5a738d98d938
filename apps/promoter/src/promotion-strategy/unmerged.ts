import { conditions, type ProposedCommit } from '@interlock/api';
import { getCondition, type ConditionReason } from '@interlock/kube';
import { isProposing, type CheckLine, type ObservedEnvironment } from '../promotion/model.js';

const reasons: ReadonlySet<string | undefined> = new Set([
  'PullRequestNotOpened',
  'MergeRefused',
  'InMergeQueue',
]);

/** Returns why the SCM has not merged a commit that all checks allow, as its ProposedCommit reports it. Pure. */
export function unmergedBecause({ status }: Pick<ProposedCommit, 'status'>): ConditionReason | undefined {
  const promoted = getCondition(status?.conditions, conditions.promoted);
  return reasons.has(promoted?.reason) ? promoted : undefined;
}

/**
 * Returns the line that states why the SCM has not merged a commit that all checks allow, as the child of the environment
 * reports it; undefined otherwise. Pure.
 */
export function unmergedLine(
  children: readonly ProposedCommit[],
  environment: ObservedEnvironment,
): CheckLine | undefined {
  if (!isProposing(environment)) return undefined;
  const child = children.find(({ spec }) => spec.activeBranch === environment.branch);
  const because = child && unmergedBecause(child);
  const sha = child?.status?.proposed?.hydratedSHA;
  if (because === undefined || sha !== environment.proposed?.hydratedSHA) return undefined;
  const { reason, message } = because;
  return { name: 'Merge', state: 'pending', reason, message };
}
