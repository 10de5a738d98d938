import type { JobConclusion } from '@interlock/broker';
import { LRUCache } from 'lru-cache';

const maxJobs = 10_000;
/** How long an ended job is remembered: the service itself ends a delivery that does not start within 15 minutes. */
const rememberMs = 20 * 60_000;

/** Remembers how jobs ended, so that a late delivery is concluded like its job, and not run. */
export class EndedJobs {
  readonly #ended = new LRUCache<string, JobConclusion>({ max: maxJobs, ttl: rememberMs });

  add(planId: string, conclusion: JobConclusion): void {
    this.#ended.set(planId, conclusion);
  }

  conclusionOf(planId: string): JobConclusion | undefined {
    return this.#ended.get(planId);
  }
}
