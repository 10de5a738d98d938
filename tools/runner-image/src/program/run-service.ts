import { setTimeout } from 'node:timers/promises';
import { EnvHttpProxyAgent, request } from 'undici';
import type { Job } from './job.js';

const timeoutMs = 10_000;
const attempts = 5;
const betweenAttemptsMs = 500;
/** Statuses of responses that another attempt would not change. */
const finalStatuses = new Set([401, 404]);

/** The calls of a worker to its services. They use the proxy of the environment, like the calls of the runner. */
export class RunService {
  readonly #job: Job;
  readonly #dispatcher = new EnvHttpProxyAgent();

  constructor(job: Job) {
    this.#job = job;
  }

  /**
   * Reports that a worker has begun. Only the local service has this call; the responses of other services are ignored.
   */
  async started(workerId: string): Promise<void> {
    const { planId, jobId, resultsUrl } = this.#job;
    if (resultsUrl === undefined) return;
    const status = await this.#post(new URL('started', resultsUrl), { planId, jobId, workerId });
    process.stdout.write(`reported the start: ${status}\n`);
  }

  /** Reports the end of the job, and returns whether the service accepted it. */
  async complete(conclusion: string): Promise<boolean> {
    const { planId, jobId, runUrl } = this.#job;
    const lists = { outputs: {}, stepResults: [], annotations: [], telemetry: [] };
    for (let attempt = 1; attempt <= attempts; attempt++) {
      const status = await this.#post(new URL('completejob', runUrl), {
        planId,
        jobId,
        conclusion,
        ...lists,
      });
      process.stdout.write(`completed the job as ${conclusion}: ${status}\n`);
      if (typeof status === 'number' && status < 300) return true;
      if (typeof status === 'number' && finalStatuses.has(status)) return false;
      if (attempt < attempts) await setTimeout(betweenAttemptsMs);
    }
    return false;
  }

  /** Returns the status of the answer, or the code of the error. */
  async #post(url: URL, body: object): Promise<number | string> {
    try {
      const { statusCode, body: answer } = await request(url, {
        method: 'POST',
        dispatcher: this.#dispatcher,
        headers: { authorization: `Bearer ${this.#job.token}`, 'content-type': 'application/json' },
        body: JSON.stringify(body),
        signal: AbortSignal.timeout(timeoutMs),
      });
      await answer.dump({ limit: 65_536 });
      return statusCode;
    } catch (error) {
      return error instanceof Error && 'code' in error ? String(error.code) : 'no answer';
    }
  }
}
