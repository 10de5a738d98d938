import { timestampOf, type HistoryEntry } from '@interlock/api';
import { prefixOf } from '@interlock/base';
import type { Commit, HistoryReader } from '@interlock/git';
import { readHydration, type Refs } from './hydrated.js';
import {
  dryProposedTrailer,
  hydratedProposedTrailer,
  isPromotion,
  provenBy,
  shaInTrailer,
  trailerOf,
} from './provenance.js';

const historyLength = 5;
/* The limit of the field. */
const maxUrl = 2048;
const noRefs: Refs = new Map();

/**
 * Returns the commits that became active on a branch, newest first: from the trailers of its commits if they are valid, or
 * from the content of merges by users, which have no trailers.
 * @throws TypedError of the git layer.
 */
export async function history(mirror: HistoryReader, tipSHA: string | undefined): Promise<HistoryEntry[]> {
  if (tipSHA === undefined) return [];
  const shas = await mirror.firstParents(tipSHA, historyLength);
  return Promise.all(shas.map(async (sha) => historyEntry(mirror, await mirror.commit(sha))));
}

async function historyEntry(mirror: HistoryReader, commit: Commit): Promise<HistoryEntry> {
  const { sha, author, committer, subject, parents } = commit;
  const proven = await provenBy(mirror, commit);
  const isOwn = proven === commit || (await isPromotion(mirror, commit, undefined));
  const drySHA = (proven && shaInTrailer(proven, dryProposedTrailer)) ?? (await newInFile(mirror, commit));
  const hydratedSHA = isOwn ? shaInTrailer(commit, hydratedProposedTrailer) : parents[1];
  const pullRequest = isOwn ? trailerOf(commit, 'Pull-request-url') : undefined;
  return {
    sha,
    time: timestampOf(Date.parse(committer.date)),
    ...(drySHA !== undefined && { drySHA }),
    ...(hydratedSHA !== undefined && { hydratedSHA }),
    subject: prefixOf(subject, 256),
    author: prefixOf(author.name, 256),
    ...(pullRequest !== undefined && pullRequest.length <= maxUrl && { pullRequest }),
  };
}

/** Returns the dry commit in the file of a commit, unless the commit before it had the same dry commit. */
async function newInFile(
  mirror: HistoryReader,
  { sha, parents: [before] }: Commit,
): Promise<string | undefined> {
  const inFile = async (commit: string) => (await readHydration(mirror, noRefs, commit)).hydration?.drySha;
  const drySHA = await inFile(sha);
  return before !== undefined && (await inFile(before)) === drySHA ? undefined : drySHA;
}
