import { CommitStatus, commitStatusAt, conditions, PromotionStrategy, RevertCommit } from '@interlock/api';
import type { Problem } from '@interlock/base';
import { byCommit } from '../promotion/statuses.js';
import { decideRevert } from '../revert-commit/decide.js';
import { observeRevert } from '../revert-commit/observe.js';
import type { Confirmation } from './confirmation.js';
import { ofRepository } from './fresh.js';
import { gone, mergeRefusal } from './refusal.js';

/** Returns why a RevertCommit does not require a merge now; undefined when it does. */
export async function revertRefusal(confirmation: Confirmation): Promise<Problem | undefined> {
  const { reader, view, pullRequest, sha, now } = confirmation;
  const revertCommit = await reader.controllerOf(RevertCommit, pullRequest);
  if (revertCommit === undefined) return gone(RevertCommit);
  const resources = {
    revertCommit,
    pullRequest,
    statusesFor: byCommit((await reader.list(CommitStatus)).map((status) => commitStatusAt(status, now))),
    strategies: ofRepository(await reader.list(PromotionStrategy), revertCommit),
    reverts: ofRepository(await reader.list(RevertCommit), revertCommit),
  };
  return mergeRefusal(decideRevert(await observeRevert(resources, view), now), sha, conditions.reverted);
}
