import { createHttpClient, type HttpClient } from '../http/http-client.js';
import type { HttpAnswer, HttpCall } from '../http/exchange.js';
import { clientOf, send } from './http.js';

type Json = Record<string, unknown>;

/** The differences of a service from the local double of the Actions service. */
export interface Variation {
  /** Changes a call on its way to the double. */
  call?: ((call: HttpCall) => HttpCall) | undefined;
  /** Changes an answer of the double. */
  answer?: ((call: HttpCall, answer: HttpAnswer) => HttpAnswer) | undefined;
}

/** Returns a client of a service that differs from the double by a variation. */
export function variedHttp({ call = (one) => one, answer = (_call, one) => one }: Variation): HttpClient {
  const http = createHttpClient();
  return clientOf(
    async (original, signal) => answer(original, await send(http, call(original), signal)),
    () => http.close(),
  );
}

/**
 * Returns a variation that changes the JSON of successful answers at paths that end with `end`. Numbers beyond 2^53
 * lose digits.
 */
export function changedJson(end: string, change: (value: Json) => unknown): NonNullable<Variation['answer']> {
  return (call, answer) => {
    const isMeant = call.url.pathname.endsWith(end) && answer.status < 300 && answer.body.length > 0;
    if (!isMeant) return answer;
    const value = change(JSON.parse(answer.body.toString()) as Json);
    return { ...answer, body: Buffer.from(value === undefined ? '' : JSON.stringify(value)) };
  };
}

/** Returns a change that makes all changes, one after another. */
export function allChanges(...changes: NonNullable<Variation['answer']>[]): NonNullable<Variation['answer']> {
  return (call, answer) => changes.reduce((changed, change) => change(call, changed), answer);
}
