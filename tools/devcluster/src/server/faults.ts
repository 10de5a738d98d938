import type { ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import type { User } from '../auth/index.js';
import { ApiError } from '../api/api-error.js';
import type { RequestInfo } from './request-info.js';

/** The part of a request that faults match. */
export interface FaultRequest {
  method: string;
  path: string;
  info: RequestInfo;
  /** undefined when the credential is not valid. */
  user: User | undefined;
}

/** The fault of the requests that `when` selects. */
interface Fault {
  when: (request: FaultRequest) => boolean;
  /** Delay of the response. */
  latencyMs?: number;
  /** Status of the response instead of handling the request: 429, 500, 503, … */
  status?: number;
  /** Value of the header Retry-After, which is sent with the status. */
  retryAfterSeconds?: number;
  /** Number of bytes of the response after which the connection is dropped (0: before any). */
  cutAfterBytes?: number;
  /** Handles the request, and drops the connection instead of sending a response. Not for watches. */
  cutAfterEffect?: boolean;
  /** Called and awaited: with `cutAfterEffect` after the request was handled, otherwise before. */
  onHit?: () => void | Promise<void>;
  /** Number of affected requests; default: all until the fault is removed. */
  times?: number;
}

const reasons: Readonly<Record<number, string>> = {
  429: 'TooManyRequests',
  500: 'InternalError',
  503: 'ServiceUnavailable',
  504: 'Timeout',
};

/** The faults that tests inject into the API server. */
export class Faults {
  readonly #active = new Map<Fault, number>();
  readonly #open = new Map<ServerResponse, FaultRequest>();
  readonly #afterEffect = new WeakMap<ServerResponse, Fault>();

  /** Adds a fault. Returns a function that removes it. */
  inject(fault: Fault): () => void {
    this.#active.set(fault, fault.times ?? Infinity);
    return () => this.#active.delete(fault);
  }

  /** Removes all faults. */
  clear(): void {
    this.#active.clear();
  }

  /** Drops the connections of active requests, such as watches. Returns their number. */
  cut(when: (request: FaultRequest) => boolean = () => true): number {
    const hit = [...this.#open].filter(([, request]) => when(request));
    for (const [response] of hit) response.destroy();
    return hit.length;
  }

  /** Applies the faults that match a request. Returns the error, `cut` if the connection was dropped, or undefined. */
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

  /** Applies the fault at the end of a request, which may drop the connection. */
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

/** Destroys the connection after a number of bytes. */
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
