import type { MergeMethod } from '../scm.js';
import type { LocalGit } from './git.js';

/** The user that merges, and that closes pull requests that are no longer required. */
export const localLogin = 'interlock';
const email = 'interlock@localhost';

interface MergeInput {
  /** Tips of the branches. */
  base: string;
  head: string;
  method: MergeMethod;
  message: string;
  /** Milliseconds since the epoch. */
  now: number;
}

interface Identity {
  name: string;
  email: string;
  /** Date in the format of git: seconds and zone. */
  date: string;
}

/**
 * Merges two commits in the object database, with neither a work tree nor an index; unrelated histories are merged
 * too.
 *
 * @returns the tree, or undefined when they conflict.
 */
export async function mergeTrees(
  git: LocalGit,
  ours: string,
  theirs: string,
  signal?: AbortSignal,
): Promise<string | undefined> {
  const options = ['--write-tree', '--allow-unrelated-histories', '--no-messages'];
  const args = ['merge-tree', ...options, ours, theirs] as const;
  const { code, stdout } = await git.run(args, { accept: [0, 1], signal });
  return code === 0 ? stdout.toString('utf8').trim() : undefined;
}

/** Returns a new commit for the tip of the base, without a reference yet; undefined when the branches conflict. */
export async function buildMerge(
  git: LocalGit,
  input: MergeInput,
  signal?: AbortSignal,
): Promise<string | undefined> {
  const { base, head, method, message, now } = input;
  const us = ourselves(now);
  if (method === 'rebase') return rebase(git, base, head, us, signal);
  const tree = await mergeTrees(git, base, head, signal);
  if (tree === undefined) return undefined;
  const parents = method === 'squash' ? [base] : [base, head];
  return commitTree(git, { tree, parents, message, author: us, committer: us }, signal);
}

/**
 * Returns the identity for commits.
 * @param now milliseconds since the epoch.
 */
export function ourselves(now: number): Identity {
  return { name: localLogin, email, date: `${Math.floor(now / 1000)} +0000` };
}

/** Rebases the commits that the base lacks onto it, oldest first; merges are omitted. */
async function rebase(
  git: LocalGit,
  base: string,
  head: string,
  us: Identity,
  signal?: AbortSignal,
): Promise<string | undefined> {
  const range = ['--reverse', '--topo-order', '--no-merges', `${base}..${head}`];
  const ids = (await git.text(['rev-list', ...range], { signal })).split('\n').filter((id) => id !== '');
  let tip = base;
  for (const id of ids) {
    const format = '--format=%P%x00%an%x00%ae%x00%ad%x00%B';
    const shown = await git.text(['show', '--no-patch', '--date=raw', format, id], { signal });
    const [parents = '', name = '', mail = '', date = '', message = ''] = shown.split('\0');
    // merge-tree finds the ancestor by itself: a commit with our tree and their parent makes that parent the ancestor.
    const mergeBase = await commitTree(
      git,
      {
        tree: `${tip}^{tree}`,
        parents: parents === '' ? [] : [parents],
        message: 'base of a rebase',
        author: us,
        committer: us,
      },
      signal,
    );
    const tree = await mergeTrees(git, mergeBase, id, signal);
    if (tree === undefined) return undefined;
    const author = { name, email: mail, date };
    tip = await commitTree(git, { tree, parents: [tip], message, author, committer: us }, signal);
  }
  return tip;
}

interface CommitInput {
  tree: string;
  parents: readonly string[];
  message: string;
  author: Identity;
  committer: Identity;
}

/** Returns a new commit, without a reference yet. */
export function commitTree(git: LocalGit, commit: CommitInput, signal?: AbortSignal): Promise<string> {
  const { tree, parents, message, author, committer } = commit;
  const env = {
    GIT_AUTHOR_NAME: author.name,
    GIT_AUTHOR_EMAIL: author.email,
    GIT_AUTHOR_DATE: author.date,
    GIT_COMMITTER_NAME: committer.name,
    GIT_COMMITTER_EMAIL: committer.email,
    GIT_COMMITTER_DATE: committer.date,
  };
  const args = ['commit-tree', tree, ...parents.flatMap((parent) => ['-p', parent])] as const;
  return git.text(args, { input: message, env, signal });
}
