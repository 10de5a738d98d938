import type { Job } from './model.js';

/** The number of jobs by outcome. An attempt of a job counts as a job. */
export interface Verdict {
  jobs: number;
  /** Jobs that a report of their worker or gateway concluded, after a worker had started. */
  completed: number;
  /** Jobs without a conclusion by a client: the lock expired, or they were not started or acquired in time. */
  lost: number;
  /** Attempts that two workers started. */
  runTwice: number;
  lockExpired: number;
  /** Jobs that a user cancelled, or that the controller cancelled because it could not start them. */
  cancelled: number;
  /** Jobs that were concluded without having run. */
  neverRun: number;
  open: number;
  violations: number;
}

/** Counts the outcomes of jobs, because not all jobs are kept. */
export class Tally {
  #jobs = 0;
  #completed = 0;
  #lost = 0;
  #runTwice = 0;
  #lockExpired = 0;
  #cancelled = 0;
  #neverRun = 0;

  queued(): void {
    this.#jobs++;
  }

  lockExpired(): void {
    this.#lockExpired++;
  }

  /** Counts a worker that is not the first of its attempt. */
  ranTwice(job: Job): void {
    if (job.workers.size === 2) this.#runTwice++;
  }

  ended(job: Job): void {
    switch (job.cause) {
      case 'reported':
        this.#completed++;
        break;
      case 'cancelled':
        this.#cancelled++;
        break;
      case 'never-run':
        this.#neverRun++;
        break;
      case 'carried-over':
      case undefined:
        break;
      case 'lost-communication':
      case 'unstarted':
      case 'queue-timeout':
        this.#lost++;
    }
  }

  verdict(violations: number): Verdict {
    const ended = this.#completed + this.#lost + this.#cancelled + this.#neverRun;
    return {
      jobs: this.#jobs,
      completed: this.#completed,
      lost: this.#lost,
      runTwice: this.#runTwice,
      lockExpired: this.#lockExpired,
      cancelled: this.#cancelled,
      neverRun: this.#neverRun,
      open: this.#jobs - ended,
      violations,
    };
  }
}
