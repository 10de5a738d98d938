import { keyString, type ObjectKey } from '@interlock/api';

interface Wait {
  /** The proposed commit. */
  sha: string;
  /** Milliseconds since the epoch. */
  since: number;
}

/** Records since when ProposedCommits wait for the rules of their strategy. After a restart the waits start again. */
export class Evaluations {
  readonly #waits = new Map<string, Wait>();

  /** Returns since when the rules for a commit are awaited, in milliseconds since the epoch; undefined when they are not. */
  awaitedSince(key: ObjectKey, sha: string | undefined): number | undefined {
    const wait = this.#waits.get(keyString(key));
    return wait !== undefined && wait.sha === sha ? wait.since : undefined;
  }

  /** Records that the rules for a commit are awaited, at `now` in milliseconds since the epoch. */
  begin(key: ObjectKey, sha: string, now: number): void {
    if (this.awaitedSince(key, sha) === undefined) this.#waits.set(keyString(key), { sha, since: now });
  }

  /** Records that the rules are evaluated, or that the ProposedCommit was deleted. */
  forget(key: ObjectKey): void {
    this.#waits.delete(keyString(key));
  }
}
