import type { PullRequest } from '@interlock/api';
import type { HistoryReader } from '@interlock/git';
import { findCommit } from './ancestry.js';
import { originOf } from './provenance.js';

/**
 * Returns the commit of the hydrator that a person rejected by closing its pull request, also where an alignment of it was
 * proposed. Undefined when nothing is rejected: a pull request that the promoter closed itself has no `headSHA`.
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

/** Returns the commit of the hydrator that a commit carries on; itself, when the repository does not have it any more. */
export async function originIfKnown(mirror: HistoryReader, sha: string): Promise<string> {
  return (await findCommit(mirror, sha)) === undefined ? sha : originOf(mirror, sha);
}
