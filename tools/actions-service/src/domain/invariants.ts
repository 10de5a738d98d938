import type { DomainContext } from './context.js';
import type { Delivery } from './model.js';

/** Checks what must hold after the acquisition of a job, and records failures as violations of the service itself. */
export function invariantsAfterAcquire(context: DomainContext, delivery: Delivery): void {
  const { settings, violations, state } = context;
  const { runner, job } = delivery;
  const fail = (text: string): void => violations.record('invariant', text);
  if (settings.dialect === 'live' && runner.held.size > 1) fail('I2: a runner holds two jobs');
  if (!runner.held.has(delivery)) fail('I2: a runner does not hold what it acquired');
  if (state.queue.has(job)) fail('I4: an acquired job is queued');
  if (job.status === 'completed') fail('I7: a completed job is acquired');
}
