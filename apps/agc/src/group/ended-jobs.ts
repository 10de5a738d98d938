import type { JobConclusion } from '@interlock/broker';
import { LRUCache } from 'lru-cache';

const maxJobs = 10_000;
/** The service ends a delivery by itself that did not start in 15 minutes. */
const rememberMs = 20 * 60_000;

/** How jobs ended, so that a late delivery of one is concluded as the job was, and not run. */
export class EndedJobs {
  readonly #ended = new LRUCache<string, JobConclusion>({ max: maxJobs, ttl: rememberMs });

  add(planId: string, conclusion: JobConclusion): void {
    this.#ended.set(planId, conclusion);
  }

  conclusionOf(planId: string): JobConclusion | undefined {
    return this.#ended.get(planId);
  }
}
