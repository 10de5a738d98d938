import { setTimeout } from 'node:timers/promises';
import { timeLimit } from '@interlock/base';
import { request } from 'undici';
import { parseJob, type Job } from '../program/job.js';

const retryMs = 50;
const timeoutMs = 10_000;

/** The calls of a worker to the services that its payload names, repeated like the runner's until their answer is final. */
export class JobCalls {
  readonly #job: Job;

  /** @throws Error when the payload lacks a field; the message does not contain any value of the payload */
  constructor(payload: string) {
    this.#job = parseJob(payload);
  }

  /** Duration in milliseconds that the job requests from the simulated runner. */
  get durationMs(): number {
    return this.#job.durationMs;
  }

  /** Reports that a worker has begun. */
  async start(workerId: string, signal: AbortSignal): Promise<void> {
    const { planId, jobId, resultsUrl } = this.#job;
    if (resultsUrl === undefined) return;
    await this.#post(new URL('started', resultsUrl), { planId, jobId, workerId }, signal);
  }

  /** Reports the end of the job. */
  async complete(conclusion: string, signal: AbortSignal): Promise<void> {
    const { planId, jobId, runUrl } = this.#job;
    const lists = { outputs: {}, stepResults: [], annotations: [], telemetry: [] };
    await this.#post(new URL('completejob', runUrl), { planId, jobId, conclusion, ...lists }, signal);
  }

  /** Rejects with the reason of `signal` when it aborts. */
  async #post(url: URL, body: object, signal: AbortSignal): Promise<void> {
    for (;;) {
      signal.throwIfAborted();
      try {
        const { statusCode, body: answer } = await request(url, {
          method: 'POST',
          headers: { authorization: `Bearer ${this.#job.token}`, 'content-type': 'application/json' },
          body: JSON.stringify(body),
          signal: timeLimit(timeoutMs, signal),
        });
        await answer.dump({ limit: 65_536 });
        if (statusCode < 500 && statusCode !== 429) return;
      } catch {
        signal.throwIfAborted();
      }
      await setTimeout(retryMs, undefined, { signal });
    }
  }
}
