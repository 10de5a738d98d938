import type { CommitStatusPhase } from '@interlock/api';
import { truncate } from '@interlock/base';
import type { CallOptions } from '../call-options.js';
import { commitStatusCall, type Call } from '../http/call.js';
import { readableUrl } from '../http/text.js';
import type { CommitStatusIds, CommitStatusInfo, CommitStatusRequest } from '../scm.js';
import type { RepositoryClient } from './client.js';
import type { Data } from './transport.js';

type Status = Data<'GET /repos/{owner}/{repo}/commits/{ref}/status'>['statuses'][number];
type State = 'pending' | 'success' | 'failure' | 'error';

const maxDescriptionLength = 140;
const states: Record<CommitStatusPhase, State> = {
  queued: 'pending',
  in_progress: 'pending',
  success: 'success',
  failure: 'failure',
  cancelled: 'error',
};
const phases: Record<State, CommitStatusPhase> = {
  pending: 'in_progress',
  success: 'success',
  failure: 'failure',
  error: 'cancelled',
};

/** Commit statuses, which a token may write (REST API, "Commit statuses"). */
export class Statuses {
  constructor(readonly client: RepositoryClient) {}

  /**
   * Ensures a status. Reads before it writes, because GitHub keeps every status that was ever sent, up to 1,000 for a
   * name.
   */
  async ensure(desired: CommitStatusRequest, options?: CallOptions): Promise<CommitStatusIds> {
    const current = (await this.#latest(desired.sha, 'status', options)).find(
      ({ context }) => context === desired.name,
    );
    const { sha, name: context, phase } = desired;
    const state = states[phase];
    const description = truncate(desired.description ?? '', maxDescriptionLength);
    const url = readableUrl(desired.url);
    const same =
      current?.state === state &&
      (current.description ?? '') === description &&
      (current.target_url ?? undefined) === url;
    if (same) return { statusId: current.id };
    const { id } = await this.client.send(
      'POST /repos/{owner}/{repo}/statuses/{sha}',
      {
        ...this.#path(),
        sha,
        state,
        context,
        description,
        ...(url === undefined ? {} : { target_url: url }),
      },
      commitStatusCall('create', 'status', options, `${context} at ${sha}`),
    );
    return { statusId: id };
  }

  async list(sha: string, options?: CallOptions): Promise<CommitStatusInfo[]> {
    const statuses = await this.#latest(sha, 'read', options);
    return statuses.map(({ context, state, description, target_url: url }) => ({
      name: context,
      phase: isState(state) ? phases[state] : 'queued',
      description: description ?? '',
      url: url || undefined,
    }));
  }

  #latest(sha: string, priority: Call['priority'], options?: CallOptions): Promise<Status[]> {
    return this.client.list(
      'GET /repos/{owner}/{repo}/commits/{ref}/status',
      { ...this.#path(), ref: sha },
      commitStatusCall('list', priority, options, `at ${sha}`),
      ({ statuses }) => statuses,
      (statuses) => statuses,
    );
  }

  #path(): { owner: string; repo: string } {
    const { owner, name } = this.client.repository;
    return { owner, repo: name };
  }
}

function isState(state: string): state is State {
  return Object.hasOwn(phases, state);
}
