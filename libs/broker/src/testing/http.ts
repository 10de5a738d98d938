import type { StopSignal } from '@interlock/base';
import { Exchange, type HttpAnswer, type HttpCall } from '../http/exchange.js';
import type { HttpClient } from '../http/http-client.js';
import { Timeouts } from '../http/timeouts.js';

type Send = (call: HttpCall, signal?: StopSignal) => Promise<HttpAnswer>;

/** Makes a call. Returns its answer, or rejects with its error. */
export function send(http: HttpClient, call: HttpCall, signal?: StopSignal): Promise<HttpAnswer> {
  return new Promise((answered, failed) => http.start(call, { answered, failed }, signal));
}

/** Returns a client whose calls are answered by a function. */
export function clientOf(answer: Send, close = (): Promise<void> => Promise.resolve()): HttpClient {
  return {
    start: (call, handler, signal) =>
      void answer(call, signal).then(
        (one) => handler.answered(one),
        (error: unknown) => handler.failed(error),
      ),
    close,
  };
}

/** Starts a call at a part of the client. Returns its answer or its error. */
export function exchange(call: HttpCall, start: (exchange: Exchange) => void): Promise<HttpAnswer | Error> {
  return new Promise((resolve) => {
    const handler = { answered: resolve, failed: (error: unknown) => resolve(error as Error) };
    start(new Exchange(call, handler, new Timeouts(), undefined));
  });
}
