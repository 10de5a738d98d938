import type { GitRepository, ObjectKey, PullRequest } from '@interlock/api';
import type { WebhookEvent } from '@interlock/scm';
import { idOf } from '../pull-request/state.js';

/** The reads that an event requests. */
interface Concerned {
  /** Repositories whose remote is read again. */
  repositories: GitRepository[];
  /** PullRequests to read again at the SCM. */
  pullRequests: PullRequest[];
}

export interface ConcernedReader {
  /** Returns whether anything depends on a ref of a repository. */
  isRequiredRef(repository: ObjectKey, ref: string): boolean;
  /** Returns the PullRequests that refer to a repository. */
  pullRequestsOf(repository: GitRepository): readonly PullRequest[];
}

/**
 * Returns what has to be read again in the repositories that an event is about. Most events have no effect: pushes
 * to branches on which nothing depends, and events about statuses and pull requests that the promoter itself wrote.
 *
 * @param plugin name of the SCM plugin
 */
export function concernedBy(
  event: WebhookEvent,
  plugin: string,
  repositories: readonly GitRepository[],
  reader: ConcernedReader,
): Concerned {
  const pullRequests = repositories.flatMap((repository) => reader.pullRequestsOf(repository));
  switch (event.kind) {
    case 'push':
      return {
        repositories: repositories.filter(({ metadata }) =>
          event.refs.some(({ ref }) => reader.isRequiredRef(metadata, ref)),
        ),
        pullRequests: [],
      };
    case 'pullRequest':
      return { repositories: [], pullRequests: pullRequests.filter((one) => isAbout(event, plugin, one)) };
    case 'commitStatus':
      return { repositories: [], pullRequests: pullRequests.filter((one) => waitsForChecks(event, one)) };
    default:
      return { repositories: [], pullRequests: [] };
  }
}

/**
 * Returns whether an event may be about a pull request; an event without a number may be about any that is not merged.
 */
function isAbout({ pullRequest: number }: WebhookEvent, plugin: string, { status }: PullRequest): boolean {
  if (status?.state === 'merged') return false;
  return number === undefined || idOf(status, plugin) === number;
}

/** Returns whether the rules allow the merge and the SCM has not made it: the SCM may have waited for this check. */
function waitsForChecks({ sha }: WebhookEvent, { spec, status }: PullRequest): boolean {
  if (spec.merge === undefined || status?.state !== 'open') return false;
  return sha === undefined || sha === spec.merge.sha;
}
