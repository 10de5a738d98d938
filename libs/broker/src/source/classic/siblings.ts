import { isTyped, messageOf } from '@interlock/api';
import { backoffMs, delay } from '@interlock/base';
import type { Broker } from '../../broker.js';
import type { RunService } from '../../run-service/run-service.js';
import type { LockReference } from '../job-source.js';

const retry = { baseMs: 2_000, maxMs: 60_000 };
const maxAttempts = 8;

/** Concludes a delivery of a job that already runs through another delivery, so that the service does not wait for its start. */
export async function concludeSibling(options: {
  lock: LockReference;
  runService: RunService;
  broker: Broker;
  life: AbortSignal;
}): Promise<void> {
  const { lock, runService, broker, life } = options;
  for (let attempt = 1; attempt <= maxAttempts && !life.aborted; attempt++) {
    try {
      await runService.lock(lock).complete('skipped', life);
      return;
    } catch (error) {
      if (!isTyped(error, 'Transient', 'RateLimited')) {
        broker.log.warn(
          { job: lock.jobId, reason: messageOf(error) },
          'a second delivery of a job was not concluded',
        );
        return;
      }
    }
    await delay(broker.clock, backoffMs(attempt, retry, broker.random), life);
  }
}
