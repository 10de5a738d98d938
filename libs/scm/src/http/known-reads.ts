import { LRUCache } from 'lru-cache';
import type { Headers } from './errors.js';
import { bodyOf, type Answer } from './governed.js';

/** What earlier reads gave, by who read and what; the value is what was made of the body, not the body. */
export type KnownReads = LRUCache<string, { etag: string; value: unknown }>;

const maxKnownReads = 10_000;
const maxKnownSize = 32 * 1024 * 1024;
/** Bounds the number of reads by their size: with `max`, the cache would allocate the space of all of them at once. */
const minSize = Math.ceil(maxKnownSize / maxKnownReads);

/** Returns an empty memory of reads, bounded in number and in size. */
export function createKnownReads(): KnownReads {
  return new LRUCache({
    maxSize: maxKnownSize,
    sizeCalculation: ({ value }) => Math.max(minSize, JSON.stringify(value ?? null).length),
  });
}

/**
 * A read of what can never change, such as what an id of git names: the server is asked once.
 *
 * @param key as in {@link readThrough}.
 */
export async function readOnce<D, T>(
  known: KnownReads,
  key: string,
  send: () => Promise<Answer<D>>,
  parse: (data: D) => T,
): Promise<T> {
  const entry = known.get(key);
  if (entry !== undefined) return entry.value as T;
  const value = parse(bodyOf(await send()));
  known.set(key, { etag: '', value });
  return value;
}

/**
 * A conditional GET (RFC 9110, 13.1.2): the server says by the ETag whether what is known still holds.
 *
 * @param key who reads, and what: other credentials may see something else.
 * @param send makes the request, with that ETag where there is one.
 * @returns what `parse` makes, or made, of the body.
 */
export async function readThrough<D, T>(
  known: KnownReads,
  key: string,
  send: (etag: string | undefined) => Promise<Answer<D>>,
  parse: (data: D, headers: Headers) => T,
): Promise<T> {
  const entry = known.get(key);
  const answer = await send(entry?.etag);
  if (answer.unchanged) {
    if (entry === undefined) throw new RangeError('an unconditional request was answered as unchanged');
    return entry.value as T;
  }
  const value = parse(answer.data, answer.headers);
  const { etag } = answer.headers;
  if (typeof etag === 'string') known.set(key, { etag, value });
  return value;
}
