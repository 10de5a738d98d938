import { messageOf } from '@interlock/api';
import type { GitLogger } from '../options.js';
import { redact } from '../process/failure.js';
import { secretsOf, type RemoteAccess } from '../process/environment.js';
import { outcomeOf, type GitMetrics } from '../process/metrics.js';
import { timeoutError } from '../process/run.js';
import { isHopeless, missesAfter, type Miss } from './direct.js';
import type { HttpClient } from './http-client.js';
import { NotOffered, type Capabilities } from './ls-refs.js';

const OPERATION = 'ls-remote';

export interface DirectRefsOptions {
  client: HttpClient;
  /** Milliseconds for both requests together. */
  timeoutMs: number;
  /** Aborts when nothing is to be asked any more. */
  closed: AbortSignal;
  metrics: GitMetrics;
  log: GitLogger | undefined;
}

/** Asks one remote where its references are, without a process; who gets no answer asks git. */
export class DirectRefs {
  private capabilities: Capabilities | undefined;
  private misses = 0;

  constructor(private readonly options: DirectRefsOptions) {}

  /** Whether there is any use in asking. */
  get isHopeless(): boolean {
    return isHopeless(this.misses);
  }

  /**
   * @returns object ids of those of `names` that the remote has, or in what way it has not answered as it should.
   * @throws TypedError `Transient` (`GitTimeout`, `GitClosed`); the signal's reason after an abort.
   */
  async list(
    remote: RemoteAccess,
    names: ReadonlySet<string>,
    signal?: AbortSignal,
  ): Promise<Map<string, string> | Miss> {
    const { timeoutMs, closed, metrics, log } = this.options;
    const late = new AbortController();
    const timer = setTimeout(() => late.abort(timeoutError(OPERATION, timeoutMs)), timeoutMs);
    const stop = AbortSignal.any([closed, late.signal, ...(signal ? [signal] : [])]);
    const began = performance.now();
    try {
      stop.throwIfAborted();
      const refs = await this.ask(remote, names, stop);
      this.misses = missesAfter(this.misses, undefined);
      metrics.observe(OPERATION, 'success', performance.now() - began);
      return refs;
    } catch (error) {
      if (stop.aborted) {
        metrics.observe(OPERATION, outcomeOf(stop.reason), performance.now() - began);
        throw stop.reason;
      }
      this.capabilities = undefined;
      const reason = redact(messageOf(error), secretsOf(remote.credentials));
      log?.debug({ url: remote.url, reason }, 'a remote was not asked for references without git');
      return error instanceof NotOffered ? 'never' : 'now';
    } finally {
      clearTimeout(timer);
    }
  }

  /** After a miss git has got an answer: it is not the remote that is out of order. */
  gitAnswered(miss: Miss): void {
    this.misses = missesAfter(this.misses, miss);
  }

  private async ask(
    remote: RemoteAccess,
    names: ReadonlySet<string>,
    signal: AbortSignal,
  ): Promise<Map<string, string>> {
    const { client } = this.options;
    this.capabilities ??= await client.capabilities(remote, signal);
    return client.refs(remote, this.capabilities, names, signal);
  }
}
