import type { EnvironmentStatus, HistoryEntry } from '@interlock/api';
import type { Mirror } from '@interlock/git';
import { findCommit, isAncestor } from './ancestry.js';

/** A dry commit that replaced another one as the active commit of an environment. */
export interface Deployment {
  /** The commit on the environment branch. */
  sha: string;
  /** The dry commit that ran before. */
  replaced?: string | undefined;
  /** Milliseconds since the epoch; absent when git does not record it, because the branch was reset. */
  activeAt?: number | undefined;
  /** When the dry commit was committed, in milliseconds since the epoch; absent when the repository does not have it. */
  committedAt?: number | undefined;
  /** Whether the dry commit is older than the one that ran before, by git ancestry. */
  rollback: boolean;
}

/**
 * Returns the deployments since the previous status, oldest first. Commits without a new dry commit are not deployments.
 * @param history commits that became active, newest first; they are not read when the branch has not moved.
 * @param before the previous status of the environment; without an active commit in it, counting starts with the current
 *   one.
 * @throws TypedError of the git layer.
 */
export async function deploymentsSince(
  mirror: Mirror,
  history: readonly HistoryEntry[],
  before: EnvironmentStatus | undefined,
): Promise<Deployment[]> {
  const [tip] = history;
  const known = before?.active?.hydratedSHA;
  if (tip === undefined || known === undefined || tip.sha === known) return [];
  if (!(await isAncestor(mirror, known, tip.sha))) {
    return present([await deployment(mirror, { sha: tip.sha, drySHA: tip.drySHA }, ranBefore(before))]);
  }
  const position = history.findIndex(({ sha }) => sha === known);
  const fresh = position < 0 ? history : history.slice(0, position);
  const found = fresh.map((entry, index) => {
    const replaced = lastDeployment(history.slice(index + 1)) ?? ranBefore(before);
    return deployment(mirror, entry, replaced);
  });
  return present(await Promise.all(found)).reverse();
}

/** Returns the newest entry with a dry commit. */
export function lastDeployment(history: readonly HistoryEntry[] | undefined): HistoryEntry | undefined {
  return history?.find(({ drySHA }) => drySHA !== undefined);
}

interface Ran {
  sha: string;
  drySHA?: string | undefined;
}

function ranBefore(before: EnvironmentStatus | undefined): Ran | undefined {
  const { hydratedSHA: sha, drySHA } = before?.active ?? {};
  return lastDeployment(before?.history) ?? (sha === undefined ? undefined : { sha, drySHA });
}

async function deployment(
  mirror: Mirror,
  { sha, drySHA, time }: Ran & { time?: string },
  replaced: Ran | undefined,
): Promise<Deployment | undefined> {
  if (drySHA === undefined || drySHA === replaced?.drySHA) return undefined;
  const committedAt = await committedAtOf(mirror, drySHA);
  const rollback =
    replaced?.drySHA !== undefined && (await isAncestor(mirror, drySHA, replaced.drySHA)) === true;
  return {
    sha,
    replaced: replaced?.sha,
    activeAt: time === undefined ? undefined : Date.parse(time),
    committedAt,
    rollback,
  };
}

async function committedAtOf(mirror: Mirror, drySHA: string): Promise<number | undefined> {
  const commit = await findCommit(mirror, drySHA);
  return commit && Date.parse(commit.committer.date);
}

function present(deployments: readonly (Deployment | undefined)[]): Deployment[] {
  return deployments.filter((one) => one !== undefined);
}
