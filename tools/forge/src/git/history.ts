import type { Commit } from './commit.js';

/** An answer; it is absent where a history is too long to be read here, or not complete. */
export interface Known<T> {
  value: T;
}

/* Commits of one side. For longer histories a process of git costs less. */
const maxCommits = 100;

/** Answers questions about the history of commits, without a process where it is short. */
export class History {
  readonly #read: (sha: string) => Promise<Commit | undefined>;

  /** @param read returns a commit by its id, or undefined for one that is missing, as below the end of a shallow history. */
  constructor(read: (sha: string) => Promise<Commit | undefined>) {
    this.#read = read;
  }

  /** Returns the best common ancestor, as git-merge-base(1); undefined where several are as good as each other. */
  async mergeBase(a: string, b: string): Promise<Known<string | undefined> | undefined> {
    if (a === b) return { value: a };
    const [ofA, ofB] = [await this.#ancestors(a), await this.#ancestors(b)];
    if (ofA === undefined || ofB === undefined) return undefined;
    const common = [...ofA.values()].filter(({ sha }) => ofB.has(sha));
    const below = new Set(common.flatMap(({ parents }) => parents));
    const best = common.filter(({ sha }) => !below.has(sha));
    return best.length > 1 ? undefined : { value: best[0]?.sha };
  }

  /** Returns the commits that the second one reaches and the first one does not, in the order of `git log`: newest first. */
  async between(base: string, head: string): Promise<Known<Commit[]> | undefined> {
    const excluded = await this.#ancestors(base);
    const reached = await this.#ancestors(head);
    if (excluded === undefined || reached === undefined) return undefined;
    return { value: byDate(head, new Map([...reached].filter(([sha]) => !excluded.has(sha)))) };
  }

  /** Returns a commit with all that it reaches, or undefined when they are many or one is missing. */
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

/** Returns whether each of the commits has one parent at most, so that all orders of git are the same. */
export function isLinear(commits: readonly Commit[]): boolean {
  return commits.every(
    ({ parents }, index) =>
      parents.length <= 1 && (index === commits.length - 1 || parents[0] === commits[index + 1]?.sha),
  );
}

/** Orders commits as a walk of git from the head does: of those in view the newest one is next, and the first of equals. */
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
