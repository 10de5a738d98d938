import { conditions, type ProposedCommit } from '@interlock/api';
import { getCondition } from '@interlock/kube';

const doneByUser: ReadonlySet<string | undefined> = new Set(['Rejected', 'SetBack']);

type KnownStatus = Pick<ProposedCommit, 'status'>;

/**
 * Returns whether a decision reports for the first time that a user rejected the commit, or reset the branch. The state of a
 * pull request may be newer than the branches that were read before. Pure.
 */
export function isCausedByUser(
  decision: KnownStatus,
  { proposedCommit }: { proposedCommit: KnownStatus },
): boolean {
  const [before, after] = [proposedCommit, decision].map(
    ({ status }) => getCondition(status?.conditions, conditions.promoted)?.reason,
  );
  return doneByUser.has(after) && before !== after;
}
