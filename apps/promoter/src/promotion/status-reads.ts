import { keyOf, keyString, type CommitStatus, type KubeObject, type ObjectKey } from '@interlock/api';
import type { StatusesOfCommit } from './statuses.js';

/**
 * Remembers for which commits the objects of a kind read CommitStatuses when they were last observed. The CommitStatuses of other
 * commits do not concern them: an observation of other branches reads again.
 */
export class StatusReads {
  readonly #commits = new Map<string, Set<string>>();

  /**
   * Returns access to CommitStatuses for one observation of an object, which records the commits. Each commit is recorded when it is
   * read, so that a CommitStatus that changes later, even during the observation, is known to concern the object.
   */
  recorded(object: KubeObject, statusesFor: StatusesOfCommit): StatusesOfCommit {
    const commits = new Set<string>();
    this.#commits.set(keyString(keyOf(object)), commits);
    return (sha) => {
      commits.add(sha);
      return statusesFor(sha);
    };
  }

  /** Returns whether the last observation of an object read the CommitStatuses of the commit of this one. */
  isReader(object: KubeObject, { spec }: CommitStatus): boolean {
    return this.#commits.get(keyString(keyOf(object)))?.has(spec.sha) === true;
  }

  /** Releases what is kept for an object that no longer exists. */
  forget(key: ObjectKey): void {
    this.#commits.delete(keyString(key));
  }
}

/** The reads of the objects of each kind. */
export interface StatusReaders {
  strategies: StatusReads;
  proposedCommits: StatusReads;
  reverts: StatusReads;
}

/** Returns the reads of a process that has not observed anything yet. */
export function createStatusReaders(): StatusReaders {
  return { strategies: new StatusReads(), proposedCommits: new StatusReads(), reverts: new StatusReads() };
}
