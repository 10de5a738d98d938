import type { CommitStatusPhase } from '@interlock/api';
import type { CallOptions } from '../call-options.js';
import { commitStatusCall, type Call } from '../http/call.js';
import { readableUrl } from '../http/text.js';
import type { CommitStatusIds, CommitStatusInfo, CommitStatusRequest } from '../scm.js';
import type { GiteaClient } from './client.js';

interface Status {
  id: number;
  context: string;
  /** The state; only responses use this name. */
  status: string;
  description: string | null;
  target_url: string | null;
}

const states: Record<CommitStatusPhase, string> = {
  queued: 'pending',
  in_progress: 'pending',
  success: 'success',
  failure: 'failure',
  cancelled: 'error',
};
const phases: ReadonlyMap<string, CommitStatusPhase> = new Map([
  ['pending', 'in_progress'],
  ['success', 'success'],
  ['warning', 'success'],
  ['skipped', 'success'],
  ['failure', 'failure'],
  ['error', 'cancelled'],
]);

/** Commit statuses (REST API, "repository": statuses). */
export class GiteaStatuses {
  readonly #client: GiteaClient;

  constructor(client: GiteaClient) {
    this.#client = client;
  }

  /** Ensures a status. Reads before it writes, because the server keeps every status that was ever sent. */
  async ensure(desired: CommitStatusRequest, options?: CallOptions): Promise<CommitStatusIds> {
    const { sha, name: context, phase, description = '' } = desired;
    const current = (await this.#latest(sha, 'status', options)).find((status) => status.context === context);
    const state = states[phase];
    const url = readableUrl(desired.url) ?? '';
    const same =
      current?.status === state &&
      (current.description ?? '') === description &&
      (current.target_url ?? '') === url;
    if (same) return { statusId: current.id };
    const call = commitStatusCall('create', 'status', options, `${context} at ${sha}`);
    const body = { state, context, description, target_url: url };
    const { id } = await this.#client.send<Status>('POST', this.#client.path('statuses', sha), call, body);
    return { statusId: id };
  }

  async list(sha: string, options?: CallOptions): Promise<CommitStatusInfo[]> {
    const statuses = await this.#latest(sha, 'read', options);
    return statuses.map(({ context, status, description, target_url: url }) => ({
      name: context,
      phase: phases.get(status) ?? 'queued',
      description: description ?? '',
      url: url || undefined,
    }));
  }

  /** Returns the newest status of each context. The combined status contains them, or null if there are none. */
  #latest(sha: string, priority: Call['priority'], options?: CallOptions): Promise<Status[]> {
    return this.#client.list<{ statuses: Status[] | null }, Status>(
      this.#client.path('commits', sha, 'status'),
      {},
      commitStatusCall('list', priority, options, `at ${sha}`),
      ({ statuses }) => statuses,
    );
  }
}
