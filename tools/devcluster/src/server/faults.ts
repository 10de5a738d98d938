import type { ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import type { User } from '../auth/index.js';
import { ApiError } from '../api/api-error.js';
import type { RequestInfo } from './request-info.js';

/** A request as faults see it. */
export interface FaultRequest {
  method: string;
  path: string;
  info: RequestInfo;
  /** undefined when the credential is not valid. */
  user: User | undefined;
}

/** What goes wrong with the requests that `when` picks. */
interface Fault {
  when: (request: FaultRequest) => boolean;
  /** Answered only after this long. */
  latencyMs?: number;
  /** Answered with this status instead of being handled: 429, 500, 503, … */
  status?: number;
  /** Sent with the status. */
  retryAfterSeconds?: number;
  /** The connection is dropped after so many bytes of the answer (0: before any). */
  cutAfterBytes?: number;
  /** The request is handled, but the connection is dropped instead of an answer. Not for watches. */
  cutAfterEffect?: boolean;
  /** Called and waited for: with `cutAfterEffect` after the request was handled, otherwise before. */
  onHit?: () => void | Promise<void>;
  /** How many requests it happens to; default: all until removed. */
  times?: number;
}

const reasons: Readonly<Record<number, string>> = {
  429: 'TooManyRequests',
  500: 'InternalError',
  503: 'ServiceUnavailable',
  504: 'Timeout',
};

/** Faults that tests put into the API server. */
export class Faults {
  readonly #active = new Map<Fault, number>();
  readonly #open = new Map<ServerResponse, FaultRequest>();
  readonly #afterEffect = new WeakMap<ServerResponse, Fault>();

  /** From now on the fault happens; returns what ends it. */
  inject(fault: Fault): () => void {
    this.#active.set(fault, fault.times ?? Infinity);
    return () => this.#active.delete(fault);
  }

  /** Ends all faults. */
  clear(): void {
    this.#active.clear();
  }

  /** Drops the connections of requests that are being answered, watches above all; returns how many. */
  cut(when: (request: FaultRequest) => boolean = () => true): number {
    const hit = [...this.#open].filter(([, request]) => when(request));
    for (const [response] of hit) response.destroy();
    return hit.length;
  }

  /** Applies the faults that fit a request: the error to answer, `cut` when the connection is gone, or nothing. */
  async meet(
    request: FaultRequest,
    response: ServerResponse,
    signal: AbortSignal,
  ): Promise<ApiError | 'cut' | undefined> {
    this.#open.set(response, request);
    response.once('close', () => this.#open.delete(response));
    for (const [fault, left] of this.#active) {
      if (!fault.when(request)) continue;
      if (left <= 1) this.#active.delete(fault);
      else this.#active.set(fault, left - 1);
      if (fault.cutAfterEffect === true) this.#afterEffect.set(response, fault);
      else await fault.onHit?.();
      if (fault.latencyMs !== undefined)
        await delay(fault.latencyMs, undefined, { signal }).catch(() => undefined);
      if (fault.cutAfterBytes !== undefined) cutAfter(response, fault.cutAfterBytes);
      if (response.destroyed) return 'cut';
      if (fault.status !== undefined) return injected(fault.status, fault.retryAfterSeconds);
    }
    return undefined;
  }

  /** Applies the fault that waits for the end of a request: the connection may be gone then. */
  async afterHandling(response: ServerResponse): Promise<void> {
    const fault = this.#afterEffect.get(response);
    if (fault === undefined) return;
    this.#afterEffect.delete(response);
    await fault.onHit?.();
    response.destroy();
  }
}

function injected(status: number, retryAfterSeconds: number | undefined): ApiError {
  const details = retryAfterSeconds === undefined ? {} : { details: { retryAfterSeconds } };
  return new ApiError(status, reasons[status] ?? 'Unknown', 'injected fault', details.details);
}

/** Lets so many bytes pass, then destroys the connection. */
function cutAfter(response: ServerResponse, bytes: number): void {
  if (bytes === 0) {
    response.destroy();
    return;
  }
  const timer = setInterval(() => {
    if ((response.socket?.bytesWritten ?? 0) - start >= bytes) response.destroy();
  }, 5).unref();
  const start = response.socket?.bytesWritten ?? 0;
  response.once('close', () => {
    clearInterval(timer);
  });
}
