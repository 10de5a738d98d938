import { ProposedCommit, PullRequest, RevertCommit } from '@interlock/api';
import { Problem } from '@interlock/base';
import type { Client } from '@interlock/kube';
import type { ScmRegistry } from '@interlock/scm';
import type { RepositoryView } from '../repository/repositories.js';
import { promotionRefusal } from './confirm-promotion.js';
import { revertRefusal } from './confirm-revert.js';
import type { Confirmation } from './confirmation.js';
import { FreshReader, isOf } from './fresh.js';
import { isDeleted } from './state.js';

interface ConfirmReads {
  client: Pick<Client, 'get' | 'list'>;
  registry: Pick<ScmRegistry, 'remoteOf'>;
}

/**
 * Decides once more, immediately before a merge, whether the owner of a pull request requires it: with objects read from the
 * API server, not from a cache, and with refs read from the remote just now. Returns what blocks the merge, or undefined. A
 * pull request without an owner is subject to the rules of the SCM only.
 *
 * @throws TypedError of the git layer, ApiError
 */
export async function confirmMerge(
  { client, registry }: ConfirmReads,
  view: RepositoryView,
  { metadata }: PullRequest,
  sha: string,
  now: number,
): Promise<Problem | undefined> {
  const reader = new FreshReader(client, metadata);
  const pullRequest = await reader.get(PullRequest, metadata.name);
  if (pullRequest?.spec.merge?.sha !== sha || isDeleted(pullRequest))
    return new Problem('Withdrawn', 'the merge is no longer required');
  const confirmation: Confirmation = { reader, registry, view, pullRequest, sha, now };
  if (isOf(ProposedCommit, pullRequest)) return promotionRefusal(confirmation);
  if (isOf(RevertCommit, pullRequest)) return revertRefusal(confirmation);
  return undefined;
}
