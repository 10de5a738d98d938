import type { LocalGit } from './git.js';
import { isAncestor, mergeOf } from './history.js';
import type { GitObject } from './objects.js';
import type { PullRecord } from './record.js';

/** The branches and references that show what users did to a pull request that is recorded as open. */
interface Surroundings {
  /** Tips of the branches of the pull request; absent if there is no such branch. */
  head: string | undefined;
  base: string | undefined;
  /** The target of the reference with which a user closes the pull request. */
  close: GitObject | undefined;
}

/**
 * Returns the updated record: a head that the base contains was merged; a pull request is closed by its reference, by the
 * deletion of one of its branches, and by a head without new commits. Returns the same object while it is open.
 */
export async function settle(
  git: LocalGit,
  record: PullRecord,
  { head, base, close }: Surroundings,
  signal?: AbortSignal,
): Promise<PullRecord> {
  if (record.state !== 'open') return record;
  if (close !== undefined) {
    const { commit, tagger } = readTag(close);
    const rejected =
      commit !== undefined && head !== undefined && (await isAncestor(git, commit, head, signal));
    return { ...record, state: 'closed', headSha: rejected ? commit : head, closedBy: tagger };
  }
  if (head === undefined || base === undefined) return { ...record, state: 'closed', headSha: head };
  if (head !== base && !(await isAncestor(git, head, base, signal))) return record;
  const { baseSha } = record;
  const nothingNew = baseSha !== undefined && (await isAncestor(git, head, baseSha, signal));
  if (nothingNew) return { ...record, state: 'closed', headSha: head };
  const { sha, committer } = await mergeOf(git, head, base, signal);
  return { ...record, state: 'merged', headSha: head, mergeSha: sha, mergedBy: committer };
}

/** Returns the commit of a tag or of a reference to a commit, and the tagger. */
function readTag({ id, type, content }: GitObject): {
  commit: string | undefined;
  tagger: string | undefined;
} {
  if (type !== 'tag') return { commit: type === 'commit' ? id : undefined, tagger: undefined };
  const [head = ''] = content.split('\n\n');
  return {
    commit: /^object ([0-9a-f]{40})$/m.exec(head)?.[1],
    tagger: /^tagger ([^<\n]*) <[^>\n]*> \d+ [-+]\d{4}$/m.exec(head)?.[1],
  };
}
