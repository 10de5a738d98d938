import type { CommitablePipelineStatus, CommitStatusSchema } from '@gitbeaker/rest';
import { TypedError, isTyped, type CommitStatusPhase } from '@interlock/api';
import { truncate } from '@interlock/base';
import type { CallOptions } from '../call-options.js';
import { commitStatusCall, type Call } from '../http/call.js';
import { readableUrl } from '../http/text.js';
import type { CommitStatusIds, CommitStatusInfo, CommitStatusRequest } from '../scm.js';
import type { ProjectClient } from './client.js';

/** The desired status, in GitLab's terms. */
interface Desired {
  sha: string;
  name: string;
  state: CommitablePipelineStatus;
  description: string;
  url: string | undefined;
}

type Known = Pick<CommitStatusSchema, 'id' | 'name'> & {
  state: string;
  description: string;
  url: string | undefined;
};

const maxTextLength = 255;
const states: Record<CommitStatusPhase, CommitablePipelineStatus> = {
  queued: 'pending',
  in_progress: 'running',
  success: 'success',
  failure: 'failed',
  cancelled: 'canceled',
};
/** Jobs of GitLab's own pipelines are among the statuses of a commit, and have more states than can be sent. */
const phases: ReadonlyMap<string, CommitStatusPhase> = new Map([
  ['pending', 'queued'],
  ['running', 'in_progress'],
  ['success', 'success'],
  ['failed', 'failure'],
  ['canceled', 'cancelled'],
  ['canceling', 'in_progress'],
  ['skipped', 'cancelled'],
]);

/** Commit statuses, which are jobs of a pipeline that GitLab makes for them (REST API, "Commits: commit status"). */
export class GitlabStatuses {
  constructor(readonly client: ProjectClient) {}

  /**
   * Ensures a status. Reads before it writes, because GitLab refuses a repeated state. An unfinished status keeps its
   * text until its state changes; if only the text differs, or if it has to return to an earlier state, it is
   * cancelled and followed by another.
   */
  async ensure(request: CommitStatusRequest, options?: CallOptions): Promise<CommitStatusIds> {
    const desired = desiredOf(request);
    const current = await this.#current(desired, options);
    if (current !== undefined && isSame(current, desired)) return { id: current.id };
    if (current !== undefined && mustBeReplaced(current.state, desired.state)) {
      await this.#post({ ...desired, state: 'canceled' }, options);
    }
    try {
      return { id: await this.#post(desired, options) };
    } catch (error) {
      if (!isTyped(error, 'Invalid') || !/cannot transition status/i.test(error.message)) throw error;
      // Another client has changed it since it was read, possibly to the desired state.
      const now = await this.#current(desired, options);
      if (now !== undefined && isSame(now, desired)) return { id: now.id };
      throw new TypedError('Transient', error.message, { reason: 'StatusChanged' });
    }
  }

  async list(sha: string, options?: CallOptions): Promise<CommitStatusInfo[]> {
    const statuses = await this.#latest(sha, 'read', options);
    return statuses.map(({ name, state, description, url }) => ({
      name,
      phase: phases.get(state) ?? 'queued',
      description,
      url,
    }));
  }

  async #current({ sha, name }: Desired, options?: CallOptions): Promise<Known | undefined> {
    return (await this.#latest(sha, 'status', options)).find((status) => status.name === name);
  }

  /** Returns the newest status of each name; a commit on several branches may have several statuses of one name. */
  async #latest(sha: string, priority: Call['priority'], options?: CallOptions): Promise<Known[]> {
    const all = await this.client.list(
      (paging) => {
        const current = { all: false, ...paging };
        return (api) => api.Commits.allStatuses(this.client.id, sha, current);
      },
      commitStatusCall('list', priority, options, `at ${sha}`),
      (statuses) => statuses.map(knownOf),
    );
    const newest = new Map<string, Known>();
    for (const status of all) {
      if ((newest.get(status.name)?.id ?? 0) < status.id) newest.set(status.name, status);
    }
    return [...newest.values()];
  }

  async #post({ sha, name, state, description, url }: Desired, options?: CallOptions): Promise<number> {
    const text = { name, description, ...(url === undefined ? {} : { targetUrl: url }) };
    try {
      const { id } = await this.client.send(
        (api) => api.Commits.editStatus(this.client.id, sha, state, text),
        commitStatusCall('create', 'status', options, `${name} at ${sha}`),
      );
      return id;
    } catch (error) {
      // GitLab: another update of the statuses of this commit is in progress.
      throw isTyped(error, 'Conflict') ? new TypedError('Transient', error.message) : error;
    }
  }
}

function desiredOf({ sha, name, phase, description = '', url }: CommitStatusRequest): Desired {
  const link = readableUrl(url);
  return {
    sha,
    name,
    state: states[phase],
    description: truncate(description, maxTextLength),
    // A truncated link would be useless.
    url: link !== undefined && link.length <= maxTextLength ? link : undefined,
  };
}

function knownOf({ id, name, status, description, target_url: url }: CommitStatusSchema): Known {
  return { id, name, state: status, description: description ?? '', url: readableUrl(url) };
}

function isSame(known: Known, desired: Desired): boolean {
  return (
    known.state === desired.state && known.description === desired.description && known.url === desired.url
  );
}

/**
 * Returns whether a new status is needed: a running status never becomes pending again, and a state cannot be repeated
 * (GitLab, state machine of commit statuses).
 */
function mustBeReplaced(from: string, to: CommitablePipelineStatus): boolean {
  return (
    (from === 'running' && (to === 'running' || to === 'pending')) || (from === 'pending' && to === 'pending')
  );
}
