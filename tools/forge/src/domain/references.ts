import { noCommit } from '../git/bare-repository.js';
import { GitError } from '../git/run.js';
import type { Core } from './core.js';
import type { PushEvent } from './events.js';
import type { Account, Repository } from './model.js';
import type { PullRequests } from './pulls.js';

interface RefMove {
  ref: string;
  /** Object before and after the change; all zeros if the reference did not exist, or does not exist any more. */
  before: string;
  after: string;
}

const maxCommits = 100;

/**
 * Detects changes to the references of a repository, whatever caused them: a push, an API call, or git on the bare
 * repository itself.
 */
export class References {
  constructor(
    readonly core: Core,
    readonly pulls: PullRequests,
  ) {}

  /**
   * Compares the references with the references at the last read, and updates the pull requests. The caller must have
   * exclusive access to the repository.
   *
   * @param sender the account that changed them; if absent, the owner.
   * @returns the changed references.
   */
  async sync(repository: Repository, sender?: Account): Promise<RefMove[]> {
    const refs = Object.fromEntries(this.core.git(repository).refs());
    const moves = differences(repository.refs, refs);
    repository.refs = refs;
    if (moves.length === 0) return moves;
    const by = sender ?? this.core.owner(repository);
    repository.pushedAt = this.core.now();
    for (const move of moves) {
      if (/^refs\/(heads|tags)\//.test(move.ref)) {
        this.core.publish({ type: 'push', repository, sender: by, ...(await this.#push(repository, move)) });
      }
    }
    for (const { ref, ...move } of moves) {
      if (!ref.startsWith('refs/heads/')) continue;
      const branch = ref.slice('refs/heads/'.length);
      const [before, after] = [move.before, move.after].map((sha) => (sha === noCommit ? undefined : sha));
      await this.pulls.branchMoved(repository, by, branch, { before, after });
    }
    return moves;
  }

  async #push(repository: Repository, move: RefMove): Promise<Omit<PushEvent, 'type'>> {
    const { before, after } = move;
    const nothing = { ...move, forced: false, commits: [] };
    if (after === noCommit) return nothing;
    const git = this.core.git(repository);
    try {
      const commit = await git.commit(after);
      const [parent = noCommit, ...others] = commit.parents;
      const isAlone = before === noCommit || (before === parent && others.length === 0);
      if (isAlone) return { ...move, forced: false, commits: [commit] };
      const forced = !(await git.isAncestor(before, after));
      return { ...move, forced, commits: await git.between(before, after, { max: maxCommits }) };
    } catch (error) {
      // A tag can refer to a file or a folder, which has no history.
      if (error instanceof GitError) return nothing;
      throw error;
    }
  }
}

/**
 * Returns the references that differ. The forge itself writes the references below `refs/pull/`, so they do not cause
 * events.
 */
function differences(before: Record<string, string>, after: Record<string, string>): RefMove[] {
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...names]
    .filter((ref) => before[ref] !== after[ref] && !ref.startsWith('refs/pull/'))
    .map((ref) => ({ ref, before: before[ref] ?? noCommit, after: after[ref] ?? noCommit }));
}
