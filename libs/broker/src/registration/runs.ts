import { parseTimestamp, TypedError } from '@interlock/api';
import { Fields } from '../wire/fields.js';
import { isRefusal } from '../wire/refusal.js';
import type { GithubApi } from './github-api.js';

/** A run of a workflow, as the REST API reports it. Ids are decimal text. */
interface WorkflowRun {
  id: string;
  attempt: number;
  status: string;
  conclusion: string | undefined;
  /** Milliseconds since the epoch. */
  updatedAt: number | undefined;
}

/** A job of a run, as the REST API reports it. */
export interface WorkflowJob {
  id: string;
  runId: string;
  runAttempt: number;
  status: string;
  conclusion: string | undefined;
  runnerName: string | undefined;
  /** Milliseconds since the epoch, by GitHub's clock. */
  startedAt: number | undefined;
  completedAt: number | undefined;
}

/** A search for the job of a runner, which reads the jobs of one run after another. */
interface RunnerSearch {
  runnerName: string;
  /** Returns whether the search may read the jobs of another run. */
  mayContinue: () => boolean;
}

/** The reason of `Conflict` when a run, or a job of it, is still in progress. */
const stillRunning = 'StillRunning';

const maxJobPages = 10;
const maxRunPages = 3;
const maxEndedRuns = 50;
/** The statuses of ended runs whose job may not have been started. */
const endedStatuses = ['cancelled', 'failure'] as const;
const repositoryName = /^[A-Za-z0-9_.-]{1,100}\/[A-Za-z0-9_.-]{1,100}$/;

/** Runs and jobs of repositories that the App may see. */
export class Runs {
  readonly #api: GithubApi;

  constructor(api: GithubApi) {
    this.#api = api;
  }

  /** Returns a run. @throws Refusal `NotFound` */
  async get(repository: string, runId: string, signal: AbortSignal): Promise<WorkflowRun> {
    const what = `read run ${runId} of ${repository}`;
    return runOf(new Fields(await this.#read(what, runPath(repository, runId), signal)), what);
  }

  /**
   * Returns the jobs of a run, up to 1,000.
   *
   * @param attempt counts from 1; undefined: the latest
   */
  async jobs(
    repository: string,
    runId: string,
    attempt: number | undefined,
    signal: AbortSignal,
  ): Promise<WorkflowJob[]> {
    const what = `list the jobs of run ${runId} of ${repository}`;
    const part = attempt === undefined ? '' : `/attempts/${attempt}`;
    const path = `${runPath(repository, runId)}${part}/jobs?`;
    const items = await this.#list(what, path, 'jobs', maxJobPages, signal);
    return items.map((item) => jobOf(item, what));
  }

  /** Returns the job that a runner runs, among the newest 300 runs of a repository that are in progress. */
  async findByRunner(
    repository: string,
    search: RunnerSearch,
    signal: AbortSignal,
  ): Promise<WorkflowJob | undefined> {
    const runs = await this.#runs(repository, 'in_progress', maxRunPages, signal);
    const latest = runs.map(({ id }) => ({ id, attempt: undefined }));
    return this.#findIn(repository, latest, search, signal);
  }

  /**
   * Returns the job that a runner had, among the newest runs of a repository that have ended without success.
   *
   * @param since milliseconds since the epoch; runs that have not changed since then are omitted
   */
  async findEndedByRunner(
    repository: string,
    search: RunnerSearch,
    since: number,
    signal: AbortSignal,
  ): Promise<WorkflowJob | undefined> {
    for (const status of endedStatuses) {
      const runs = await this.#runs(repository, status, 1, signal);
      const recent = runs.filter(({ updatedAt = since }) => updatedAt >= since);
      const found = await this.#findIn(repository, recent.slice(0, maxEndedRuns), search, signal);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  /** Returns the runs of a repository with a status, newest first. */
  async #runs(
    repository: string,
    status: string,
    maxPages: number,
    signal: AbortSignal,
  ): Promise<WorkflowRun[]> {
    const what = `list the runs of ${repository}`;
    const path = `${actionsPath(repository)}/runs?status=${status}&`;
    const items = await this.#list(what, path, 'workflow_runs', maxPages, signal);
    return items.map((item) => runOf(item, what));
  }

  async #findIn(
    repository: string,
    runs: readonly { id: string; attempt: number | undefined }[],
    { runnerName, mayContinue }: RunnerSearch,
    signal: AbortSignal,
  ): Promise<WorkflowJob | undefined> {
    for (const { id, attempt } of runs) {
      if (!mayContinue()) return undefined;
      const jobs = await this.jobs(repository, id, attempt, signal);
      const found = jobs.find((job) => job.runnerName === runnerName);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  /** Runs a job again, with the jobs that depend on it. @throws TypedError `Conflict` with the reason `StillRunning` */
  async rerunJob(repository: string, jobId: string, signal: AbortSignal): Promise<void> {
    const path = `${actionsPath(repository)}/jobs/${decimal(jobId)}/rerun`;
    await this.#rerun(`rerun job ${jobId} of ${repository}`, path, signal);
  }

  /** Runs the failed jobs of a run again. @throws TypedError `Conflict` with the reason `StillRunning` */
  async rerunFailedJobs(repository: string, runId: string, signal: AbortSignal): Promise<void> {
    const path = `${runPath(repository, runId)}/rerun-failed-jobs`;
    await this.#rerun(`rerun the failed jobs of run ${runId} of ${repository}`, path, signal);
  }

  /** Ends a run at once, with all of its jobs. A run that has already ended is not an error. */
  async forceCancel(repository: string, runId: string, signal: AbortSignal): Promise<void> {
    const what = `force the cancellation of run ${runId} of ${repository}`;
    const path = `${runPath(repository, runId)}/force-cancel`;
    try {
      await this.#api.send({ endpoint: 'runs', priority: 'session', what, method: 'POST', path }, signal);
    } catch (error) {
      if (!isRefusal(error) || error.status !== 409) throw error;
    }
  }

  async #rerun(what: string, path: string, signal: AbortSignal): Promise<void> {
    try {
      await this.#api.send(
        { endpoint: 'runs', priority: 'session', what, method: 'POST', path, body: {} },
        signal,
      );
    } catch (error) {
      if (!isRefusal(error, 'AccessDenied') || !saysRunning(error.message)) throw error;
      throw new TypedError('Conflict', error.message, { reason: stillRunning, cause: error });
    }
  }

  #read(what: string, path: string, signal: AbortSignal): Promise<unknown> {
    return this.#api.read({ endpoint: 'runs', priority: 'poll', what, method: 'GET', path }, signal);
  }

  #list(what: string, path: string, field: string, maxPages: number, signal: AbortSignal): Promise<Fields[]> {
    return this.#api.list(
      { endpoint: 'runs', priority: 'poll', what, method: 'GET', path },
      field,
      maxPages,
      signal,
    );
  }
}

function actionsPath(repository: string): string {
  if (!repositoryName.test(repository) || repository.includes('/..') || repository.startsWith('..')) {
    throw new TypedError('Invalid', 'the name of the repository is not owner/name', {
      reason: 'InvalidRepository',
    });
  }
  return `/repos/${repository}/actions`;
}

function runPath(repository: string, runId: string): string {
  return `${actionsPath(repository)}/runs/${decimal(runId)}`;
}

function decimal(id: string): string {
  if (!/^\d{1,20}$/.test(id))
    throw new TypedError('Invalid', 'the id is not a decimal number', { reason: 'InvalidId' });
  return id;
}

function saysRunning(message: string): boolean {
  const words = message.toLowerCase();
  return ['already running', 'in progress', 'still running', 'not completed', 'has not concluded'].some(
    (phrase) => words.includes(phrase),
  );
}

function runOf(fields: Fields, what: string): WorkflowRun {
  return {
    id: fields.id('id') ?? unreadable(what),
    attempt: fields.ordinal('run_attempt') ?? 1,
    status: fields.text('status') ?? unreadable(what),
    conclusion: fields.text('conclusion'),
    updatedAt: parseTimestamp(fields.text('updated_at')),
  };
}

function jobOf(fields: Fields, what: string): WorkflowJob {
  return {
    id: fields.id('id') ?? unreadable(what),
    runId: fields.id('run_id') ?? unreadable(what),
    runAttempt: fields.ordinal('run_attempt') ?? 1,
    status: fields.text('status') ?? unreadable(what),
    conclusion: fields.text('conclusion'),
    runnerName: fields.text('runner_name'),
    startedAt: parseTimestamp(fields.text('started_at')),
    completedAt: parseTimestamp(fields.text('completed_at')),
  };
}

function unreadable(what: string): never {
  throw new TypedError('Transient', `${what}: the answer lacks an id or a status`);
}
