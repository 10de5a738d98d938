import type { PullRequest } from '@interlock/api';
import type { HistoryReader } from '@interlock/git';
import { findCommit } from './ancestry.js';
import { originOf } from './provenance.js';

/**
 * Returns the commit of the hydrator that a user rejected by closing its pull request, or the pull request of an alignment
 * of it. Undefined when nothing is rejected: a pull request that the promoter closed itself has no `headSHA`.
 * @throws TypedError of the git layer.
 */
export async function rejectedOrigin(
  mirror: HistoryReader,
  pullRequest: PullRequest | undefined,
): Promise<string | undefined> {
  const { state, headSHA } = pullRequest?.status ?? {};
  if (state !== 'closed' || headSHA === undefined) return undefined;
  return originIfKnown(mirror, headSHA);
}

/** Returns the commit of the hydrator that a commit carries; the commit itself if the repository no longer has it. */
export async function originIfKnown(mirror: HistoryReader, sha: string): Promise<string> {
  return (await findCommit(mirror, sha)) === undefined ? sha : originOf(mirror, sha);
}
