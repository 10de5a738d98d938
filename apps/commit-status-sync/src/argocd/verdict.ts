import { parseTimestamp, shortSHA } from '@interlock/api';
import type { Verdict } from '../sources/model.js';
import { branchOf, repositoryOfUrl } from '../sources/repository.js';
import type { Application, ApplicationSpec } from './application.js';

/** A source of an Application that follows a branch of the repository. */
interface FollowedSource {
  branch: string;
  /** The index in `spec.sources`; absent if the Application has one source. */
  index?: number | undefined;
}

/**
 * Returns the sources of an Application that follow a branch of the repository: what the source hydrator syncs from, or else
 * each source.
 * @param repository `host/owner/name`.
 */
export function followedSources({ spec }: Application, repository: string): FollowedSource[] {
  const candidates = sourcesOf(spec);
  return candidates.flatMap(({ repoURL, revision, index }) =>
    repoURL !== undefined && revision !== undefined && repositoryOfUrl(repoURL) === repository
      ? [{ branch: branchOf(revision), index }]
      : [],
  );
}

interface Candidate {
  repoURL: string | undefined;
  revision: string | undefined;
  index?: number;
}

function sourcesOf({ source, sources, sourceHydrator }: ApplicationSpec): Candidate[] {
  if (sourceHydrator !== undefined) {
    const { drySource, syncSource } = sourceHydrator;
    return [{ repoURL: syncSource?.repoURL ?? drySource?.repoURL, revision: syncSource?.targetBranch }];
  }
  if (sources !== undefined && sources.length > 0) {
    return sources.map(({ repoURL, targetRevision }, index) => ({
      repoURL,
      revision: targetRevision,
      index,
    }));
  }
  return source === undefined ? [] : [{ repoURL: source.repoURL, revision: source.targetRevision }];
}

/**
 * Judges an Application for one commit. Its state for another commit does not count: an environment that was degraded before
 * must not fail the commit that fixes it.
 *
 * - failure: Degraded since the commit was deployed, or the sync to the commit failed.
 * - success: Healthy, and Synced to the commit.
 * - in progress: everything else.
 * @param sha the commit that is active in its environment.
 * @param tip a later commit of the branch with the same content for the environment.
 */
export function judgeApplication(
  { status }: Application,
  { index }: FollowedSource,
  sha: string,
  tip?: string,
): Verdict {
  const { health, sync, operationState: operation } = status;
  const changedAt = parseTimestamp(health?.lastTransitionTime);
  const verdict = (phase: Verdict['phase'], message: string): Verdict => ({
    phase,
    message: withDetail(message, phase === 'failure' ? detailOf(status, message) : undefined),
    changedAt,
  });
  const compared = revisionOf(sync, index);
  const synced = revisionOf(operation?.syncResult, index);
  const isAt = (revision: string | undefined) =>
    revision !== undefined && (revision === sha || revision === tip);
  const running = operation?.phase === 'Running' || operation?.phase === 'Terminating';
  if (isAt(synced) && (operation?.phase === 'Failed' || operation?.phase === 'Error')) {
    return verdict('failure', `could not be synced to ${shortSHA(sha)}`);
  }
  if (!isAt(compared)) {
    return verdict(
      'in_progress',
      `is at ${compared === undefined ? 'no revision' : shortSHA(compared)}, not ${shortSHA(sha)}`,
    );
  }
  if (status.conditions?.some(({ type }) => type === 'SyncError')) {
    return verdict('failure', `could not be synced to ${shortSHA(sha)}`);
  }
  const isSynced = sync?.status === 'Synced';
  const deployed = isSynced || (isAt(synced) && !running);
  if (health?.status === 'Degraded' && deployed) return verdict('failure', 'is Degraded');
  if (health?.status === 'Healthy' && isSynced) return verdict('success', 'is Healthy and Synced');
  return verdict(
    'in_progress',
    `is ${health?.status ?? 'of unknown health'} and ${sync?.status ?? 'not compared'}${deployed ? '' : `, not synced to ${shortSHA(sha)} yet`}`,
  );
}

function revisionOf(
  from: { revision?: string | undefined; revisions?: string[] | undefined } | undefined,
  index: number | undefined,
): string | undefined {
  const revision = index === undefined ? from?.revision : from?.revisions?.[index];
  return revision === '' ? undefined : revision;
}

function detailOf({ health, operationState, conditions }: Application['status'], message: string) {
  if (!message.startsWith('could not')) return health?.message;
  return conditions?.find(({ type }) => type === 'SyncError')?.message ?? operationState?.message;
}

function withDetail(message: string, detail: string | undefined): string {
  return detail === undefined || detail === '' ? message : `${message}: ${detail}`;
}
