import { isTyped, type CommitStatusPhase } from '@interlock/api';
import { truncate } from '@interlock/base';
import type { CallOptions } from '../call-options.js';
import type { Call } from '../http/call.js';
import { readableUrl } from '../http/text.js';
import type { CommitStatusIds, CommitStatusInfo, CommitStatusRequest } from '../scm.js';
import type { RepositoryClient } from './client.js';
import type { Data } from './transport.js';

type CheckRun = Data<'GET /repos/{owner}/{repo}/check-runs/{check_run_id}'>;

const maxSummaryLength = 65_535;

/** Commit statuses as check runs, which only a GitHub App may write (REST API, "Check runs"). */
export class CheckRuns {
  constructor(
    readonly client: RepositoryClient,
    readonly appId: number,
  ) {}

  /**
   * Ensures a status. Reads before it writes, so that a lost response does not cause a second run. A completed run is
   * final: another phase is a new run, which replaces the old one on the commit.
   */
  async ensure(desired: CommitStatusRequest, options?: CallOptions): Promise<CommitStatusIds> {
    const run = await this.#current(desired, options);
    if (run === undefined || (run.status === 'completed' && phaseOf(run) !== desired.phase)) {
      return this.#create(desired, options);
    }
    if (isSame(run, desired)) return { checkRunId: run.id };
    try {
      await this.client.send(
        'PATCH /repos/{owner}/{repo}/check-runs/{check_run_id}',
        { ...this.#path(), check_run_id: run.id, ...content(desired) },
        call('update', 'status', options, desired.name),
      );
      return { checkRunId: run.id };
    } catch (error) {
      if (!isTyped(error, 'NotFound')) throw error;
      return this.#create(desired, options);
    }
  }

  async list(sha: string, options?: CallOptions): Promise<CommitStatusInfo[]> {
    const runs = await this.#latest(sha, undefined, 'read', options);
    return runs.map((run) => ({
      name: run.name,
      phase: phaseOf(run),
      description: run.output.summary ?? '',
      url: run.details_url ?? undefined,
    }));
  }

  /** Returns the newest run of that name. The list may be stale; then the id of the last call identifies it. */
  async #current(desired: CommitStatusRequest, options?: CallOptions): Promise<CheckRun | undefined> {
    const runs = await this.#latest(desired.sha, desired.name, 'status', options);
    const newest = runs.reduce<CheckRun | undefined>(
      (a, b) => (a !== undefined && a.id > b.id ? a : b),
      undefined,
    );
    const previous = desired.previous?.['checkRunId'];
    if (previous === undefined || (newest !== undefined && newest.id >= previous)) return newest;
    try {
      const run = await this.client.read(
        'GET /repos/{owner}/{repo}/check-runs/{check_run_id}',
        { ...this.#path(), check_run_id: previous },
        call('get', 'status', options, desired.name),
        (data) => data,
      );
      return run.head_sha === desired.sha && run.name === desired.name ? run : newest;
    } catch (error) {
      if (!isTyped(error, 'NotFound')) throw error;
      return newest;
    }
  }

  #latest(
    sha: string,
    name: string | undefined,
    priority: Call['priority'],
    options?: CallOptions,
  ): Promise<CheckRun[]> {
    return this.client.list(
      'GET /repos/{owner}/{repo}/commits/{ref}/check-runs',
      {
        ...this.#path(),
        ref: sha,
        filter: 'latest',
        app_id: this.appId,
        ...(name === undefined ? {} : { check_name: name }),
      },
      call('list', priority, options, `at ${sha}`),
      ({ check_runs: runs }) => runs,
      // An old server may not support these filters.
      (runs) => runs.filter((run) => run.app?.id === this.appId && (name === undefined || run.name === name)),
    );
  }

  async #create(desired: CommitStatusRequest, options?: CallOptions): Promise<CommitStatusIds> {
    const { id } = await this.client.send(
      'POST /repos/{owner}/{repo}/check-runs',
      { ...this.#path(), name: desired.name, head_sha: desired.sha, ...content(desired) },
      call('create', 'status', options, desired.name),
    );
    return { checkRunId: id };
  }

  #path(): { owner: string; repo: string } {
    const { owner, name } = this.client.repository;
    return { owner, repo: name };
  }
}

function call(
  operation: string,
  priority: Call['priority'],
  options: CallOptions | undefined,
  what: string,
): Call {
  return { api: 'CommitStatus', operation, priority, options, object: `check run ${what}` };
}

function content(desired: CommitStatusRequest) {
  const url = readableUrl(desired.url);
  return {
    ...statusOf(desired.phase),
    output: { title: desired.name, summary: summaryOf(desired) },
    ...(url === undefined ? {} : { details_url: url }),
  };
}

/** Returns the summary of a check run, which is never empty: GitHub refuses an empty one. */
function summaryOf({ description, phase }: CommitStatusRequest): string {
  return truncate(description === undefined || description === '' ? phase : description, maxSummaryLength);
}

function statusOf(phase: CommitStatusPhase) {
  switch (phase) {
    case 'queued':
    case 'in_progress':
      return { status: phase };
    case 'success':
    case 'failure':
    case 'cancelled':
      return { status: 'completed' as const, conclusion: phase };
  }
}

function phaseOf(run: CheckRun): CommitStatusPhase {
  if (run.status !== 'completed') return run.status === 'in_progress' ? 'in_progress' : 'queued';
  switch (run.conclusion) {
    case 'success':
    case 'neutral':
    case 'skipped':
      return 'success';
    case 'cancelled':
      return 'cancelled';
    default:
      return 'failure';
  }
}

function isSame(run: CheckRun, desired: CommitStatusRequest): boolean {
  const url = readableUrl(desired.url);
  return (
    phaseOf(run) === desired.phase &&
    run.output.title === desired.name &&
    run.output.summary === summaryOf(desired) &&
    (url === undefined || run.details_url === url)
  );
}
