import { conditions, type ProposedCommit } from '@interlock/api';
import { getCondition } from '@interlock/kube';
import { isProposing, type CheckLine, type ObservedEnvironment } from '../promotion/model.js';

const reasons: ReadonlySet<string | undefined> = new Set([
  'PullRequestNotOpened',
  'MergeRefused',
  'InMergeQueue',
]);

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
  const sha = child?.status?.proposed?.hydratedSHA;
  const { reason, message } = getCondition(child?.status?.conditions, conditions.promoted) ?? {};
  if (sha !== environment.proposed?.hydratedSHA || reason === undefined || !reasons.has(reason)) {
    return undefined;
  }
  return { name: 'Merge', state: 'pending', reason, message: message ?? reason };
}
