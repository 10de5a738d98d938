import { setTimeout as sleep } from 'node:timers/promises';
import type { ActionsService, JobHandle } from '@interlock/actions-service';
import { waitFor } from '../wait-for.js';
import { runnerLabels, type PlannedTenant } from './plan.js';

const pollMs = 100;

/** Queues the jobs of a tenant. */
export class JobQueue {
  readonly #service: ActionsService;
  readonly #tenant: PlannedTenant;
  #count = 0;

  constructor(service: ActionsService, tenant: PlannedTenant) {
    this.#service = service;
    this.#tenant = tenant;
  }

  /** Queues the next job in a separate run. */
  add(): JobHandle {
    const { repository, durations } = this.#tenant;
    const durationHint = durations[this.#count % durations.length] ?? durations[0];
    this.#count += 1;
    const jobName = `${repository.slice(repository.indexOf('/') + 1)}-${String(this.#count).padStart(2, '0')}`;
    return this.#service.enqueue({ repository, labels: runnerLabels, jobName, durationHint });
  }

  /** Returns the jobs that have not ended. */
  open(): JobHandle[] {
    return this.jobs().filter(({ status }) => status !== 'completed');
  }

  /** Returns the jobs that a worker has started and that have not ended. */
  running(): JobHandle[] {
    return this.open().filter(({ workers }) => workers.length > 0);
  }

  /** Waits until a job runs. Returns the running jobs. */
  untilRunning(signal: AbortSignal): Promise<readonly JobHandle[]> {
    const running = (): JobHandle[] | false => {
      const jobs = this.running();
      return jobs.length > 0 && jobs;
    };
    return waitFor(`a job of ${this.#tenant.repository} runs`, () => Promise.resolve(running()), signal);
  }

  jobs(): JobHandle[] {
    return this.#service.jobs().filter(({ repository }) => repository === this.#tenant.repository);
  }

  /** Keeps a number of jobs open until the signal aborts. */
  async keepOpen(count: number, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      while (this.open().length < count) this.add();
      await sleep(pollMs, undefined, { signal }).catch(() => undefined);
    }
  }
}
