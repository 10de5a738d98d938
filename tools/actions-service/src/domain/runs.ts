import { jobFields, type DomainContext } from './context.js';
import type { Dispatcher } from './dispatcher.js';
import type { Delivery, Job, JobCause, JobConclusion, JobRequest, Run } from './model.js';
import type { Runners } from './runners.js';
import { Refused } from '../record/refused.js';

interface NewRun {
  jobs: readonly JobRequest[];
  /** Default: the next number; may be beyond 2^53. */
  id?: bigint | undefined;
}

/** The workflow runs and the conclusions of their jobs. */
export class Runs {
  readonly #context: DomainContext;
  readonly #dispatcher: Dispatcher;
  readonly #runners: Runners;
  #lastRun = 9_000_000_000n;
  #lastJob = 40_000_000_000n;
  #lastNumber = 0;

  constructor(context: DomainContext, dispatcher: Dispatcher, runners: Runners) {
    this.#context = context;
    this.#dispatcher = dispatcher;
    this.#runners = runners;
  }

  /**
   * Creates a run with its jobs, and queues them. Jobs for a run that exists and is not completed join it.
   *
   * @throws RangeError when the run is completed, belongs to another repository, or has no job.
   */
  create({ jobs, id }: NewRun): Run {
    const { state, clock } = this.#context;
    const [first] = jobs;
    if (first === undefined) throw new RangeError('a run has at least one job');
    if (jobs.some(({ repository }) => repository !== first.repository)) {
      throw new RangeError('the jobs of a run belong to one repository');
    }
    const key = String(id ?? ++this.#lastRun);
    const run: Run = state.runs.get(key) ?? {
      id: BigInt(key),
      repository: first.repository,
      number: ++this.#lastNumber,
      attempt: 1,
      status: 'queued',
      conclusion: undefined,
      cancelRequested: false,
      attempts: new Map(),
      createdAt: clock.now(),
      cancelTimer: undefined,
    };
    if (run.status === 'completed') throw new RangeError(`run ${key} is completed`);
    if (run.repository !== first.repository) throw new RangeError(`run ${key} belongs to ${run.repository}`);
    state.runs.set(key, run);
    for (const request of jobs) this.#queue(run, request);
    return run;
  }

  /** Returns the jobs of an attempt, by default of the current one. */
  jobs(run: Run, attempt = run.attempt): readonly Job[] {
    return run.attempts.get(attempt) ?? [];
  }

  /**
   * Concludes a job. Its run concludes with it unless other jobs, or deliveries that were acquired, are still open.
   */
  conclude(job: Job, conclusion: JobConclusion, cause: JobCause): void {
    if (job.status === 'completed') return;
    const { clock, events, tally, state } = this.#context;
    job.status = 'completed';
    job.conclusion = conclusion;
    job.cause = cause;
    job.completedAt = clock.now();
    job.queueTimer?.cancel();
    state.queue.delete(job);
    for (const delivery of job.deliveries) this.#dispatcher.withdraw(delivery, 'gone', 'job completed');
    tally.ended(job);
    events.record('job-completed', { ...jobFields(job), conclusion, reason: cause });
    this.settle(job.run);
  }

  /** Releases the state of an acquired delivery, and deletes its runner if it is single-use. */
  release(delivery: Delivery, state: 'concluded' | 'lapsed' | 'gone'): void {
    delivery.state = state;
    delivery.lockTimer?.cancel();
    delivery.unstartedTimer?.cancel();
    delivery.runner.held.delete(delivery);
    this.#runners.dispose(delivery.runner);
  }

  /** Completes the run when none of its jobs is open. */
  settle(run: Run): void {
    if (run.status === 'completed') return;
    const jobs = this.jobs(run);
    const deliveries = jobs.flatMap((job) => job.deliveries);
    if (jobs.some(({ status }) => status !== 'completed')) return;
    if (deliveries.some(({ state }) => state === 'acquired')) return;
    run.status = 'completed';
    run.conclusion ??= conclusionOf(jobs);
    run.cancelTimer?.cancel();
    this.#context.events.record('run-completed', {
      run: String(run.id),
      attempt: run.attempt,
      conclusion: run.conclusion,
    });
    this.#forgetOldest();
  }

  /** Requests the cancellation of a run: queued jobs end at once, running jobs may end by themselves within the grace period. */
  cancel(run: Run): void {
    if (run.status === 'completed' || run.cancelRequested) return;
    const { clock, settings, events } = this.#context;
    run.cancelRequested = true;
    events.record('cancel-requested', { run: String(run.id), attempt: run.attempt });
    run.cancelTimer = clock.setTimeout(() => this.end(run, 'cancelled'), settings.timings.cancelGrace);
    for (const job of this.jobs(run))
      if (job.status === 'queued') this.conclude(job, 'cancelled', 'cancelled');
    /* Runners with a job of the run get its cancellation; those with an offer may be offered another job. */
    for (const { deliveries } of this.jobs(run))
      for (const { runner } of deliveries)
        if (runner.session !== undefined) this.#dispatcher.serve(runner.session);
  }

  /** Cancels a run without waiting for its runners. */
  forceCancel(run: Run): void {
    if (run.status === 'completed') return;
    const { clock, settings, events } = this.#context;
    run.cancelRequested = true;
    events.record('cancel-requested', { run: String(run.id), attempt: run.attempt, reason: 'forced' });
    run.cancelTimer?.cancel();
    run.cancelTimer = clock.setTimeout(() => this.end(run, 'cancelled'), settings.timings.forceCancel);
  }

  /** Ends a run at once: cancels all of its jobs, and removes the acquired deliveries. */
  end(run: Run, cause: JobCause): void {
    if (run.status === 'completed') return;
    run.conclusion = 'cancelled';
    run.cancelTimer?.cancel();
    for (const job of this.jobs(run)) {
      for (const delivery of job.deliveries)
        if (delivery.runner.held.has(delivery)) this.release(delivery, 'gone');
    }
    for (const job of this.jobs(run)) this.conclude(job, 'cancelled', cause);
    this.settle(run);
  }

  /**
   * Starts the next attempt of a completed run: the selected jobs are queued anew, the others keep their results.
   *
   * @throws Refused 403 while the run is in progress, or when nothing is selected.
   */
  rerun(run: Run, select: (job: Job) => boolean): void {
    if (run.status !== 'completed') {
      throw new Refused(403, `The workflow run containing this job is already running`);
    }
    const previous = this.jobs(run);
    if (!previous.some(select)) throw new Refused(403, 'This workflow run cannot be retried');
    run.attempt++;
    run.status = 'queued';
    run.conclusion = undefined;
    run.cancelRequested = false;
    run.cancelTimer = undefined;
    this.#context.events.record('run-rerun', { run: String(run.id), attempt: run.attempt });
    for (const job of previous) if (!select(job)) this.#carryOver(run, job);
    for (const job of previous) if (select(job)) this.#queue(run, job.request);
  }

  #queue(run: Run, request: JobRequest): void {
    const { clock, settings, events, tally } = this.#context;
    const job = this.#newJob(run, request);
    job.queueTimer = clock.setTimeout(
      () => job.status === 'queued' && this.conclude(job, 'cancelled', 'queue-timeout'),
      settings.timings.queue,
    );
    tally.queued();
    events.record('job-queued', jobFields(job));
    this.#dispatcher.enqueue(job);
  }

  #carryOver(run: Run, job: Job): void {
    Object.assign(this.#newJob(run, job.request), {
      status: 'completed',
      conclusion: job.conclusion,
      cause: 'carried-over',
      runner: job.runner,
      startedAt: job.startedAt,
      completedAt: job.completedAt,
    });
  }

  #newJob(run: Run, request: JobRequest): Job {
    const { state, random, clock } = this.#context;
    const job: Job = {
      id: ++this.#lastJob,
      run,
      attempt: run.attempt,
      name: request.jobName ?? 'build',
      labels: request.labels,
      planId: random.guid(),
      status: 'queued',
      conclusion: undefined,
      cause: undefined,
      runner: undefined,
      deliveries: [],
      workers: new Set(),
      request,
      queuedAt: clock.now(),
      startedAt: undefined,
      completedAt: undefined,
      queueTimer: undefined,
    };
    state.jobs.set(String(job.id), job);
    run.attempts.set(run.attempt, [...(run.attempts.get(run.attempt) ?? []), job]);
    return job;
  }

  /** Forgets the oldest completed runs beyond a limit, so that a long test does not fill the memory. */
  #forgetOldest(): void {
    const { state, settings } = this.#context;
    for (const [key, run] of state.runs) {
      if (state.runs.size <= settings.retainRuns) return;
      if (run.status !== 'completed') continue;
      state.runs.delete(key);
      for (const job of [...run.attempts.values()].flat()) {
        state.jobs.delete(String(job.id));
        for (const delivery of job.deliveries) state.deliveries.delete(delivery.id);
      }
    }
  }
}

function conclusionOf(jobs: readonly Job[]): JobConclusion {
  if (jobs.some(({ conclusion }) => conclusion === 'failure')) return 'failure';
  if (jobs.some(({ conclusion }) => conclusion === 'cancelled')) return 'cancelled';
  return jobs.every(({ conclusion }) => conclusion === 'skipped') ? 'skipped' : 'success';
}
