import {
  annotations,
  keyOf,
  timestampOf,
  type CommitStatus,
  type KubeObject,
  type ObjectKey,
  type PromotionStrategy,
  type ProposedCommit,
} from '@interlock/api';

/** What the collection of one repository's CommitStatuses depends on. */
export interface ObservedGarbage {
  /** CommitStatuses about the repository. */
  commitStatuses: readonly CommitStatus[];
  /** The strategies that work with the repository. */
  strategies: readonly PromotionStrategy[];
  proposedCommits: readonly ProposedCommit[];
  /** Other objects of the namespace that may name a commit in use. */
  others: readonly KubeObject[];
  /** Returns the commits that an object names. */
  commitsIn: (object: KubeObject) => readonly string[];
}

/** A CommitStatus, exactly as it was observed. */
export interface Version {
  key: ObjectKey;
  uid: string;
  resourceVersion: string;
}

export interface GarbageDecision {
  /** Values of the annotation {@link annotations.unusedSince}; `null` removes it. */
  marks: { target: Version; value: string | null }[];
  removals: Version[];
  /** Milliseconds until the next removal is due. */
  requeueAfterMs?: number;
}

/**
 * Marks a CommitStatus whose commit is no longer named by any object, and removes it when the mark is `ttlMs` old. It
 * decides nothing for a repository without a strategy or a proposed commit, or while one of them does not report its
 * branches yet: the commits in use are unknown then.
 * @returns what to do. Pure; `now` in milliseconds since the epoch.
 */
export function decideGarbage(observed: ObservedGarbage, ttlMs: number, now: number): GarbageDecision {
  const used = usedCommits(observed);
  const decision: GarbageDecision = { marks: [], removals: [] };
  if (used === undefined) return decision;
  let next = Infinity;
  for (const status of observed.commitStatuses) {
    const { metadata, spec } = status;
    if (metadata.deletionTimestamp !== undefined) continue;
    const mark = metadata.annotations?.[annotations.unusedSince];
    if (used.has(spec.sha)) {
      if (mark !== undefined) decision.marks.push({ target: versionOf(status), value: null });
      continue;
    }
    const since = markedSince(mark, spec.sha, now);
    if (since === undefined) {
      decision.marks.push({ target: versionOf(status), value: `${spec.sha} ${timestampOf(now)}` });
      next = Math.min(next, ttlMs);
      continue;
    }
    /* A manifest may contain an old mark. */
    const createdAt = Date.parse(metadata.creationTimestamp ?? '');
    const dueInMs = Math.max(since, Number.isNaN(createdAt) ? now : createdAt) + ttlMs - now;
    if (dueInMs <= 0) decision.removals.push(versionOf(status));
    else next = Math.min(next, dueInMs);
  }
  return { ...decision, ...(Number.isFinite(next) && { requeueAfterMs: next }) };
}

/** Returns every commit that a strategy, a proposed commit or another object names; undefined when they are not all known. */
function usedCommits(observed: ObservedGarbage): Set<string> | undefined {
  const { strategies, proposedCommits, others, commitsIn } = observed;
  const users = [...strategies, ...proposedCommits];
  const known =
    strategies.every(({ status }) => status?.environments !== undefined) &&
    proposedCommits.every(({ status }) => status?.active !== undefined);
  if (users.length === 0 || !known) return undefined;
  const found = new Set<string>();
  for (const user of [...users, ...others]) for (const commit of commitsIn(user)) found.add(commit);
  return found;
}

/**
 * Returns when a commit was marked. A mark applies to one commit, so a CommitStatus that changed to another commit is
 * newer than its mark.
 */
function markedSince(mark: string | undefined, sha: string, now: number): number | undefined {
  const [of, time = ''] = mark?.split(' ') ?? [];
  const since = Date.parse(time);
  return of === sha && since <= now ? since : undefined;
}

function versionOf(status: CommitStatus): Version {
  const { uid = '', resourceVersion = '' } = status.metadata;
  return { key: keyOf(status), uid, resourceVersion };
}
