import { deliveryFields, type DomainContext } from './context.js';
import type { Dispatcher } from './dispatcher.js';
import { invariantsAfterAcquire } from './invariants.js';
import type { Delivery, JobConclusion, Runner } from './model.js';
import type { Runs } from './runs.js';
import { Refused } from '../record/refused.js';

export const reportedConclusions = [
  'succeeded',
  'succeededWithIssues',
  'failed',
  'canceled',
  'skipped',
  'abandoned',
] as const;

type ReportedConclusion = (typeof reportedConclusions)[number];

const jobConclusions: Record<ReportedConclusion, JobConclusion> = {
  succeeded: 'success',
  succeededWithIssues: 'success',
  failed: 'failure',
  canceled: 'cancelled',
  skipped: 'skipped',
  abandoned: 'failure',
};

/** The acquired jobs: their locks, their workers, and the reports that conclude them. */
export class JobLocks {
  readonly #context: DomainContext;
  readonly #dispatcher: Dispatcher;
  readonly #runs: Runs;

  constructor(context: DomainContext, dispatcher: Dispatcher, runs: Runs) {
    this.#context = context;
    this.#dispatcher = dispatcher;
    this.#runs = runs;
  }

  /**
   * Acquires an offered job for a runner.
   *
   * @throws Refused 404 when the offer is gone, 409 when the job was acquired before, 422 when it was offered to
   * another runner.
   */
  acquire(runner: Runner, id: string, shard: string): Delivery {
    const delivery = this.#context.state.deliveries.get(id);
    if (delivery === undefined) {
      throw new Refused(404, `Job message not found: ${id}`, { violation: 'acquire-not-offered' });
    }
    this.checkShard(delivery, shard);
    if (delivery.runner !== runner) {
      throw new Refused(422, 'The job was offered to another runner.', {
        violation: 'acquire-by-other-runner',
      });
    }
    if (delivery.state === 'acquired' && this.#context.settings.acquireRepeat === 'same') return delivery;
    this.#checkOpen(delivery);
    if (this.#context.settings.dialect === 'live' && runner.held.size > 0) {
      throw new Refused(409, 'The runner has a job.', { violation: 'acquire-while-busy' });
    }
    this.#take(delivery);
    return delivery;
  }

  /**
   * Extends the lock of a job. Returns the time in milliseconds since the epoch at which it ends.
   *
   * @throws Refused 404 when the lock is gone.
   */
  renew(delivery: Delivery): number {
    const { clock, settings, events, violations } = this.#context;
    if (delivery.state !== 'acquired') {
      if (++delivery.renewedAfterGone > renewalsAfterGone) {
        violations.record('renew-after-gone', `delivery ${delivery.id} is renewed though it is gone`);
      }
      const late =
        delivery.state === 'lapsed' && clock.now() > delivery.lockedUntil + settings.timings.renewalRace;
      throw new Refused(
        404,
        `Job not found: ${delivery.id}`,
        late ? { violation: 'renew-after-expiry' } : {},
      );
    }
    this.#lock(delivery);
    if (settings.renewalsKeepUnstarted) this.#awaitStart(delivery);
    events.record('job-renewed', deliveryFields(delivery));
    return delivery.lockedUntil;
  }

  /**
   * Records the worker that runs a job.
   *
   * @throws Refused 404 when the job is no longer acquired.
   */
  start(delivery: Delivery, worker: string): void {
    const { events, tally, violations } = this.#context;
    const { job } = delivery;
    if (delivery.state !== 'acquired' || job.status === 'completed') {
      throw new Refused(404, `Job not found: ${delivery.id}`, { violation: 'start-without-job' });
    }
    delivery.unstartedTimer?.cancel();
    delivery.started = true;
    if (job.workers.has(worker)) return;
    job.workers.add(worker);
    events.record('job-started', { ...deliveryFields(delivery), worker });
    if (job.workers.size < 2) return;
    tally.ranTwice(job);
    violations.record(
      'run-twice',
      `attempt ${String(job.attempt)} of job ${String(job.id)} has ${String(job.workers.size)} workers`,
    );
  }

  /**
   * Concludes a delivery, and its job unless another delivery of the job decides.
   *
   * @throws Refused 404 when it is concluded or gone; live dialect: 401 for a failure of a job that was never started.
   */
  complete(delivery: Delivery, reported: ReportedConclusion): void {
    const { job } = delivery;
    if (delivery.state !== 'acquired') throw new Refused(404, `Job not found: ${delivery.id}`);
    const others = job.deliveries.filter((other) => other !== delivery && other.state === 'acquired');
    if (job.status === 'completed' || (others.length > 0 && !delivery.started)) {
      this.#finish(delivery, reported);
      this.#runs.settle(job.run);
      return;
    }
    if (job.workers.size === 0 && this.#context.settings.dialect === 'live')
      return this.#completeNeverRun(delivery, reported);
    this.#finish(delivery, reported);
    /* The time to conclude siblings starts now. */
    for (const other of others) this.#awaitStart(other);
    this.#runs.conclude(
      job,
      jobConclusions[reported],
      job.run.cancelRequested && reported === 'canceled' ? 'cancelled' : 'reported',
    );
    this.#runs.settle(job.run);
  }

  /** @throws Refused 404, as a violation, when the delivery has another run service. */
  checkShard(delivery: Delivery, shard: string): void {
    if (String(delivery.shard) === shard) return;
    throw new Refused(404, 'The job belongs to another run service.', { violation: 'run-service-url' });
  }

  #checkOpen({ id, state, job }: Delivery): void {
    if (state === 'offered' && !job.run.cancelRequested) return;
    const isTaken =
      state === 'acquired' ||
      state === 'concluded' ||
      (state === 'withdrawn' && job.status === 'in_progress');
    throw isTaken
      ? new Refused(409, `Job ${id} has already been acquired.`)
      : new Refused(404, `Job message not found: ${id}`);
  }

  #take(delivery: Delivery): void {
    const { clock, settings, events, credentials } = this.#context;
    const { job, runner } = delivery;
    this.#dispatcher.settle(delivery, 'acquired');
    delivery.token = credentials.issue('job', delivery.id, settings.timings.jobToken, {
      orchid: `${job.planId}.${job.name}.__default`,
      scp: 'Actions.Results',
    }).token;
    job.status = 'in_progress';
    job.startedAt ??= clock.now();
    job.run.status = 'in_progress';
    job.queueTimer?.cancel();
    job.runner ??= { id: runner.id, name: runner.name, groupId: runner.groupId };
    runner.held.add(delivery);
    runner.used = settings.dialect === 'live' && runner.ephemeral;
    if (runner.used && !settings.busyPolls) {
      runner.consumed = 'empty';
      this.#remember(runner);
      events.record('runner-consumed', { runner: runner.id });
    }
    this.#lock(delivery);
    this.#awaitStart(delivery);
    events.record('job-acquired', deliveryFields(delivery));
    invariantsAfterAcquire(this.#context, delivery);
  }

  #remember(runner: Runner): void {
    const { consumed } = this.#context.state;
    consumed.add(runner.id);
    const [oldest] = consumed.size > mostConsumed ? consumed : [];
    if (oldest !== undefined) consumed.delete(oldest);
  }

  #lock(delivery: Delivery): void {
    const { clock, settings, violations } = this.#context;
    const until = clock.now() + settings.timings.lock;
    if (until < delivery.lockedUntil) violations.record('invariant', 'I6: a renewal shortens a lock');
    delivery.lockedUntil = until;
    delivery.lockTimer?.cancel();
    delivery.lockTimer = clock.setTimeout(() => this.#expire(delivery), settings.timings.lock);
  }

  /**
   * Handles the expiry of a lock. A job that ran has lost its runner; a job that was never started ends later, with
   * its run.
   */
  #expire(delivery: Delivery): void {
    const { settings, events, tally } = this.#context;
    const { job } = delivery;
    if (delivery.state !== 'acquired') return;
    events.record('lock-expired', deliveryFields(delivery));
    tally.lockExpired();
    if (settings.dialect === 'live' && !delivery.started) {
      /* The lock is gone; the runner stays pinned until the run ends. A further delivery waits for the job that another one runs. */
      if (job.workers.size === 0) delivery.state = 'lapsed';
      return;
    }
    this.#runs.release(delivery, 'lapsed');
    const conclusion = settings.dialect === 'live' ? 'failure' : 'cancelled';
    this.#runs.conclude(job, conclusion, 'lost-communication');
    this.#runs.settle(job.run);
  }

  /** Starts the time within which the job has to be started, or a further delivery of the job has to be concluded. */
  #awaitStart(delivery: Delivery): void {
    const { clock, settings } = this.#context;
    if (settings.dialect === 'seed' || delivery.started) return;
    delivery.unstartedTimer?.cancel();
    delivery.unstartedTimer = clock.setTimeout(
      () => this.#endUnstarted(delivery),
      settings.timings.unstartedJob,
    );
  }

  #endUnstarted(delivery: Delivery): void {
    const { job } = delivery;
    if (delivery.state !== 'acquired' && delivery.state !== 'lapsed') return;
    /* A further delivery waits for the job that another one runs. */
    if (job.status === 'in_progress' && job.workers.size > 0) return this.#awaitStart(delivery);
    this.#runs.release(delivery, 'gone');
    this.#runs.end(job.run, 'unstarted');
  }

  #completeNeverRun(delivery: Delivery, reported: ReportedConclusion): void {
    const { violations } = this.#context;
    const { job } = delivery;
    if (reported === 'failed') throw new Refused(401, 'Not authorized for this job');
    this.#finish(delivery, reported);
    if (job.run.cancelRequested && reported === 'canceled') {
      this.#runs.conclude(job, 'cancelled', 'cancelled');
    } else {
      violations.record(
        'complete-never-run',
        `job ${String(job.id)} never ran, and is completed as ${reported}`,
      );
      this.#runs.conclude(job, 'success', 'never-run');
    }
    this.#runs.settle(job.run);
  }

  #finish(delivery: Delivery, reported: ReportedConclusion): void {
    this.#runs.release(delivery, 'concluded');
    this.#context.events.record('delivery-concluded', { ...deliveryFields(delivery), conclusion: reported });
    /* A runner that takes one job after another waits for the next one. */
    const { session } = delivery.runner;
    if (session !== undefined) this.#dispatcher.serve(session);
  }
}

const renewalsAfterGone = 2;
const mostConsumed = 100_000;
