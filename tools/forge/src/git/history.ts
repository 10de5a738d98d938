import type { Commit } from './commit.js';

/** A result; undefined if a history is too long to be read here, or incomplete. */
export interface Known<T> {
  value: T;
}

/* Maximum number of commits of one side. For longer histories, a git process is cheaper. */
const maxCommits = 100;

/** Reads short histories of commits without a git process. */
export class History {
  readonly #read: (sha: string) => Promise<Commit | undefined>;

  /** @param read returns a commit by its id, or undefined if it is missing, as beyond the end of a shallow history. */
  constructor(read: (sha: string) => Promise<Commit | undefined>) {
    this.#read = read;
  }

  /** Returns the best common ancestor as git-merge-base(1) does, or undefined if several are equally good. */
  async mergeBase(a: string, b: string): Promise<Known<string | undefined> | undefined> {
    if (a === b) return { value: a };
    const [ofA, ofB] = [await this.#ancestors(a), await this.#ancestors(b)];
    if (ofA === undefined || ofB === undefined) return undefined;
    const common = [...ofA.values()].filter(({ sha }) => ofB.has(sha));
    const below = new Set(common.flatMap(({ parents }) => parents));
    const best = common.filter(({ sha }) => !below.has(sha));
    return best.length > 1 ? undefined : { value: best[0]?.sha };
  }

  /**
   * Returns the commits that are reachable from the second commit but not from the first one, in the order of `git
   * log`: newest first.
   */
  async between(base: string, head: string): Promise<Known<Commit[]> | undefined> {
    const excluded = await this.#ancestors(base);
    const reached = await this.#ancestors(head);
    if (excluded === undefined || reached === undefined) return undefined;
    return { value: byDate(head, new Map([...reached].filter(([sha]) => !excluded.has(sha)))) };
  }

  /** Returns a commit with all reachable commits, or undefined if there are too many or one is missing. */
  async #ancestors(tip: string): Promise<ReadonlyMap<string, Commit> | undefined> {
    const found = new Map<string, Commit>();
    const ahead = [tip];
    for (let sha = ahead.pop(); sha !== undefined; sha = ahead.pop()) {
      if (found.has(sha)) continue;
      if (found.size === maxCommits) return undefined;
      const commit = await this.#read(sha);
      if (commit === undefined) return undefined;
      found.set(sha, commit);
      ahead.push(...commit.parents);
    }
    return found;
  }
}

/** Returns whether each commit has at most one parent, so that all orders of git are equal. */
export function isLinear(commits: readonly Commit[]): boolean {
  return commits.every(
    ({ parents }, index) =>
      parents.length <= 1 && (index === commits.length - 1 || parents[0] === commits[index + 1]?.sha),
  );
}

/**
 * Orders commits as a walk of git from the head does: the newest known commit is next, and the first one among equals.
 */
function byDate(head: string, commits: ReadonlyMap<string, Commit>): Commit[] {
  const ordered: Commit[] = [];
  const inView: Commit[] = [];
  const seen = new Set<string>();
  const show = (sha: string): void => {
    const commit = commits.get(sha);
    if (commit === undefined || seen.has(sha)) return;
    seen.add(sha);
    const place = inView.findIndex((other) => timeOf(other) < timeOf(commit));
    inView.splice(place === -1 ? inView.length : place, 0, commit);
  };
  show(head);
  for (let commit = inView.shift(); commit !== undefined; commit = inView.shift()) {
    ordered.push(commit);
    commit.parents.forEach(show);
  }
  return ordered;
}

function timeOf({ committer }: Commit): number {
  return Date.parse(committer.date);
}
