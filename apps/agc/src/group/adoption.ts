import { isTyped, runnerLabels, messageOf } from '@interlock/api';
import type { Logger } from '@interlock/base';
import type { JobLock, JobSource } from '@interlock/broker';
import { Secret, type Client } from '@interlock/kube';
import { jobSelector, recordOf, type JobStore } from '../job/store.js';
import type { JobRecord } from '../job/record.js';
import type { JobLocks } from '../lock/job-locks.js';
import type { LockKeeping } from '../lock/keeping.js';
import type { DeliveryNames, OtherGroups } from './delivery-names.js';

/** A held job, in the form that its source needs after a restart. */
type HeldJob = Parameters<JobSource['open']>[0][number];

interface AdoptionParts {
  group: string;
  led: OtherGroups;
  namespace: string;
  client: Client;
  source: Pick<JobSource, 'lock'>;
  jobs: JobStore;
  locks: JobLocks;
  keeping: LockKeeping;
  deliveries: DeliveryNames;
  /** Returns whether the runner of a job has reported its result, so that the service no longer has a lock for the job. */
  isReported: (record: JobRecord) => boolean;
  log: Logger;
}

const atATime = 16;

/** Takes over the jobs that an earlier leader of the group has recorded. */
export class Adoption {
  readonly #parts: AdoptionParts;

  constructor(parts: AdoptionParts) {
    this.#parts = parts;
  }

  /**
   * Starts to renew the lock of every recorded job, unless its runner has reported the result of the job, and returns the held
   * deliveries. Reads the API server, not a cache, so that no job is missed.
   *
   * @throws ApiError
   */
  async adopt(signal: AbortSignal): Promise<HeldJob[]> {
    const { client, namespace, group } = this.#parts;
    const labelSelector = `${jobSelector},${runnerLabels.runnerGroup}=${group}`;
    const { items } = await client.list(Secret, { namespace, labelSelector, metadataOnly: true, signal });
    const held: HeldJob[] = [];
    const rest = items.flatMap((secret) => {
      const record = recordOf(secret);
      return record === undefined ? [] : [{ name: secret.metadata.name, record }];
    });
    const worker = async (): Promise<void> => {
      for (let next = rest.pop(); next !== undefined; next = rest.pop()) {
        held.push(...(await this.#adoptOne(next.name, next.record, signal)));
      }
    };
    await Promise.all(Array.from({ length: atATime }, worker));
    return held;
  }

  /** Starts to renew the lock of a job that another replica has recorded after {@link adopt}. @throws ApiError */
  async adoptLate(name: string, record: JobRecord, signal: AbortSignal): Promise<void> {
    await this.#adoptOne(name, record, signal);
  }

  /** Stops renewing the locks of all jobs, except those that `successor` has adopted, or that another group has as well. */
  abandon(successor?: DeliveryNames): void {
    const { deliveries, locks, led, group } = this.#parts;
    const kept = new Set(successor?.names());
    for (const name of deliveries.names()) {
      if (!kept.has(name) && !led.isHeldElsewhere(name, group)) locks.drop(name);
    }
  }

  async #adoptOne(name: string, record: JobRecord, signal: AbortSignal): Promise<HeldJob[]> {
    const { jobs, namespace, source, keeping, deliveries, isReported, log, locks, led, group } = this.#parts;
    const { key, siblings, planId, jobId, runnerName } = record;
    for (const one of [key, ...siblings]) deliveries.set(one, name);
    const held = [key, ...siblings].map((one) => ({ key: one, identity: { planId, jobId }, runnerName }));
    /* The job has ended, so renewing its lock would be a needless call by each new leader. */
    if (isReported(record)) return held;
    try {
      const references = await jobs.locks({ name, namespace }, siblings, signal);
      /* While another replica had this record, only the lock of the other group's own delivery was renewed here. */
      if (led.isHeldElsewhere(name, group)) locks.drop(name);
      keeping.keep(
        name,
        references.map((reference) => source.lock(reference)),
      );
    } catch (error) {
      /* A permission may be granted later, and all recorded jobs need it. */
      if (isTyped(error, 'Transient', 'RateLimited', 'Unauthorized')) throw error;
      if (isTyped(error, 'NotFound')) {
        /* It was removed after it was listed: nothing would free its place later. */
        for (const one of [key, ...siblings]) deliveries.delete(one);
        return [];
      }
      /* A broken Secret affects only its own job, which is given up when its lock has expired. */
      log.error({ job: name, error: messageOf(error) }, 'cannot renew the lock of a recorded job');
      keeping.keep(
        name,
        held.map(() => unusableLock(error)),
      );
    }
    return held;
  }
}

function unusableLock(error: unknown): JobLock {
  const fail = (): Promise<never> => Promise.reject(error);
  return { renew: fail, complete: fail };
}
