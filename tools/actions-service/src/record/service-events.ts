import type { Clock } from '@interlock/base';
import { Ring } from './ring.js';

type ServiceEventType =
  | 'runner-registered'
  | 'runner-consumed'
  | 'runner-deleted'
  | 'session-created'
  | 'session-deleted'
  | 'session-expired'
  | 'job-queued'
  | 'job-offered'
  | 'job-redelivered'
  | 'job-withdrawn'
  | 'job-acknowledged'
  | 'job-acquired'
  | 'job-started'
  | 'job-renewed'
  | 'lock-expired'
  | 'delivery-concluded'
  | 'job-completed'
  | 'cancel-requested'
  | 'cancellation-delivered'
  | 'run-completed'
  | 'run-rerun'
  | 'partition-started'
  | 'partition-ended';

/** An event of a runner, a session, a job or a run. */
export interface ServiceEvent {
  /** Counts up from 1. */
  seq: number;
  /** Milliseconds since the epoch. */
  at: number;
  type: ServiceEventType;
  runner?: number | undefined;
  session?: string | undefined;
  /** Id of the run, in decimal. */
  run?: string | undefined;
  attempt?: number | undefined;
  /** REST id of the job, in decimal. */
  job?: string | undefined;
  /** `runner_request_id` of the delivery. */
  delivery?: string | undefined;
  worker?: string | undefined;
  conclusion?: string | undefined;
  reason?: string | undefined;
}

type ServiceEventFilter = Partial<Omit<ServiceEvent, 'seq' | 'at'>> & { since?: number | undefined };

/** The events of the service: the newest in full, all of them as counts by type. */
export class ServiceEvents {
  readonly #ring: Ring<ServiceEvent>;
  readonly #counts = new Map<string, number>();

  constructor(
    readonly clock: Clock,
    limit: number,
  ) {
    this.#ring = new Ring(limit);
  }

  record(type: ServiceEventType, details: Omit<ServiceEvent, 'seq' | 'at' | 'type'> = {}): void {
    this.#ring.add({ seq: this.#ring.total + 1, at: this.clock.now(), type, ...details });
    this.#counts.set(type, (this.#counts.get(type) ?? 0) + 1);
  }

  /** Returns copies of the events that match, oldest first. */
  entries({ since = 0, ...exact }: ServiceEventFilter = {}): ServiceEvent[] {
    const fields = Object.entries(exact) as [keyof typeof exact, unknown][];
    return this.#ring
      .toArray()
      .filter(
        (event) =>
          event.seq > since && fields.every(([key, value]) => value === undefined || event[key] === value),
      )
      .map((event) => ({ ...event }));
  }

  /** Returns how many events of each type there were. */
  counts(): Record<string, number> {
    return Object.fromEntries(this.#counts);
  }
}
