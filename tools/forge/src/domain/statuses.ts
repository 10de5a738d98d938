import type { Core } from './core.js';
import type { Account, CommitStatus, Repository, StatusState } from './model.js';
import { Refusal } from './refusal.js';

interface NewStatus {
  sha: string;
  context: string;
  state: StatusState;
  description: string | null;
  targetUrl: string | null;
}

/** Maximum number of statuses of one context for one commit at GitHub. */
const maxPerContext = 1000;

/** Commit statuses: a log in which the newest status of each context counts. */
export class Statuses {
  constructor(readonly core: Core) {}

  /** @throws Refusal `CommitMissing`, or `AlreadyExists` beyond 1,000 statuses of one context. */
  async create(repository: Repository, creator: Account, wanted: NewStatus): Promise<CommitStatus> {
    const { sha, context } = wanted;
    if ((await this.core.git(repository).resolve(sha)) !== sha) {
      throw new Refusal({ code: 'CommitMissing', sha });
    }
    const same = repository.statuses.filter((known) => known.sha === sha && known.context === context);
    if (same.length >= maxPerContext) {
      throw new Refusal({ code: 'AlreadyExists', resource: 'Status', field: 'context' });
    }
    const status: CommitStatus = {
      id: this.core.nextId(),
      ...wanted,
      creatorId: creator.id,
      createdAt: this.core.now(),
    };
    repository.statuses.push(status);
    this.core.publish({ type: 'status', repository, sender: creator, status });
    return status;
  }

  /** Changes a status in place, as GitLab does until a status is finished. */
  update(
    repository: Repository,
    sender: Account,
    status: CommitStatus,
    change: Pick<NewStatus, 'state' | 'description' | 'targetUrl'>,
  ): void {
    Object.assign(status, change);
    this.core.publish({ type: 'status', repository, sender, status });
  }
}

/** Returns all statuses of a commit, newest first. */
export function statusesOf(repository: Repository, sha: string): CommitStatus[] {
  return repository.statuses.filter((status) => status.sha === sha).reverse();
}

/** Returns the newest status of each context, in the order in which the contexts appeared. */
export function latestStatuses(repository: Repository, sha: string): CommitStatus[] {
  const latest = new Map<string, CommitStatus>();
  for (const status of repository.statuses) if (status.sha === sha) latest.set(status.context, status);
  return [...latest.values()];
}

/** Returns the state of all statuses (GitHub, "Get the combined status for a specific reference"). */
export function combinedState(statuses: readonly CommitStatus[]): 'failure' | 'pending' | 'success' {
  if (statuses.some(({ state }) => state === 'failure' || state === 'error')) return 'failure';
  return statuses.length > 0 && statuses.every(({ state }) => state === 'success') ? 'success' : 'pending';
}

export function isFinished({ state }: CommitStatus): boolean {
  return state !== 'pending' && state !== 'running';
}

/** Returns the state of the pipeline that GitLab derives from the newest statuses, or undefined if there are none. */
export function pipelineState(statuses: readonly CommitStatus[]): StatusState | undefined {
  const order: StatusState[] = ['failure', 'error', 'running', 'pending', 'success'];
  return order.find((state) => statuses.some((status) => status.state === state));
}
