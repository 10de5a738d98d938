import { Readable } from 'node:stream';
import { LineDecoder, type HttpRequest, type Transport } from '@interlock/kube';
import type { Body } from './body.js';

const maxEventBytes = 16 * 1024 * 1024;

export interface WatchEvent {
  type: string;
  object: Body;
}

/** An open watch whose events are read in their order. */
export interface Watch {
  /** The HTTP status. If it is not 200, there are no events, and `refusal` is set. */
  readonly status: number;
  /** The Status with which the server refused the watch. */
  readonly refusal: Body | undefined;
  /** Returns the next event; undefined when the server has ended the watch. Rejects at the deadline of the case. */
  next(): Promise<WatchEvent | undefined>;
  /** Returns the next events up to and including the first that passes. @throws Error when the watch ends earlier. */
  until(test: (event: WatchEvent) => boolean): Promise<WatchEvent[]>;
  /** Returns the next `count` events. @throws Error when the watch ends earlier. */
  take(count: number): Promise<WatchEvent[]>;
  close(): void;
}

/** Opens a watch. It ends with the signal at the latest. */
export async function openWatch(
  transport: Transport,
  request: HttpRequest,
  signal: AbortSignal,
): Promise<Watch> {
  const closing = new AbortController();
  const ends = AbortSignal.any([signal, closing.signal]);
  const { statusCode: status, body } = await transport.send('watch', request, ends);
  if (status !== 200) {
    const refusal = JSON.parse(await body.text()) as Body;
    return watchOf(status, refusal, eventsOf(Readable.from([])), closing);
  }
  return watchOf(status, undefined, eventsOf(body), closing);
}

async function* eventsOf(body: AsyncIterable<Uint8Array>): AsyncGenerator<WatchEvent, void> {
  const decoder = new LineDecoder(maxEventBytes);
  for await (const chunk of body) {
    for (const line of decoder.push(chunk)) yield JSON.parse(line) as WatchEvent;
  }
}

function watchOf(
  status: number,
  refusal: Body | undefined,
  events: AsyncGenerator<WatchEvent, void>,
  closing: AbortController,
): Watch {
  const next = async (): Promise<WatchEvent | undefined> => (await events.next()).value ?? undefined;
  const collect = async (enough: (events: WatchEvent[]) => boolean): Promise<WatchEvent[]> => {
    const seen: WatchEvent[] = [];
    while (!enough(seen)) {
      const event = await next();
      if (event === undefined) throw new Error(`the watch ended after ${describe(seen)}`);
      seen.push(event);
    }
    return seen;
  };
  return {
    status,
    refusal,
    next,
    until: (test) => collect((seen) => seen.some((event) => test(event))),
    take: (count) => collect((seen) => seen.length >= count),
    close: () => closing.abort(),
  };
}

function describe(events: readonly WatchEvent[]): string {
  return events.map(({ type, object }) => `${type} ${object.metadata.name}`).join(', ') || 'no event';
}
