import { LRUCache } from 'lru-cache';
import type { Headers } from './errors.js';
import { bodyOf, type Answer } from './governed.js';

/** Results of earlier reads, by credential and URL; the value is the parsed body. */
export type KnownReads = LRUCache<string, { etag: string; value: unknown }>;

const maxKnownReads = 10_000;
const maxKnownSize = 32 * 1024 * 1024;
/** Bounds the number of reads by size: with `max`, the cache would allocate the space of all of them at once. */
const minSize = Math.ceil(maxKnownSize / maxKnownReads);

/** Returns an empty cache of reads, bounded in number and in size. */
export function createKnownReads(): KnownReads {
  return new LRUCache({
    maxSize: maxKnownSize,
    sizeCalculation: ({ value }) => Math.max(minSize, JSON.stringify(value ?? null).length),
  });
}

/**
 * Reads an immutable object, such as an object that a git id names, only once.
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
 * Sends a conditional GET (RFC 9110, 13.1.2): the server decides by the ETag whether the known value is current.
 *
 * @param key the credential and the URL: other credentials may see another result.
 * @param send sends the request, with that ETag if there is one.
 * @returns the parsed body, new or cached.
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
