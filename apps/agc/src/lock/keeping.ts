import { messageOf } from '@interlock/api';
import type { Clock, Logger } from '@interlock/base';
import type { JobLock } from '@interlock/broker';
import type { JobStore } from '../job/store.js';
import type { AgcMetrics } from '../metrics.js';
import type { JobLocks } from './job-locks.js';

interface LockKeepingParts {
  namespace: string;
  clock: Clock;
  random: () => number;
  log: Logger;
  metrics: AgcMetrics;
  jobs: JobStore;
  locks: JobLocks;
}

/** The timeout for recording a renewal; the next renewal replaces it. */
const recordTimeoutMs = 10_000;

/** Renews the locks of jobs, and records and counts each renewal. */
export class LockKeeping {
  readonly #parts: LockKeepingParts;

  constructor(parts: LockKeepingParts) {
    this.#parts = parts;
  }

  /** Starts to renew the locks of a job, unless they are already renewed. */
  keep(name: string, locks: JobLock[]): void {
    const { clock, random, log, metrics } = this.#parts;
    this.#parts.locks.keep(name, locks, {
      clock,
      random,
      log: log.child({ job: name }),
      onRenewed: ({ lockedUntil, marginMs, isFirst }) => {
        metrics.observe('renew_margin_seconds', {}, marginMs / 1000);
        /* The Secret of a newly claimed job already has this time, and its reconciler updates the Secret. */
        if (!isFirst) void this.#record(name, lockedUntil);
      },
      onFailed: () => metrics.count('renew_job_errors_total', {}),
    });
  }

  /** Records the end of the lock in the Secret for operators; no code reads it, because an adopted lock is renewed at once. */
  async #record(name: string, lockedUntil: number): Promise<void> {
    const { jobs, namespace, log } = this.#parts;
    try {
      await jobs.recordLock({ name, namespace }, lockedUntil, AbortSignal.timeout(recordTimeoutMs));
    } catch (error) {
      log.debug({ job: name, error: messageOf(error) }, 'could not record the renewal of a lock');
    }
  }
}
