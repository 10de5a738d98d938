import { TypedError } from '@interlock/api';
import type { Headers } from './errors.js';

export interface Page<T> {
  items: T[];
  /** Whether there may be a next page. */
  more: boolean;
}

/** Items on a page; the most that the SCMs give. */
export const pageSize = 100;
const maxPages = 100;

/**
 * Returns the items of all pages.
 * @param what for messages, as in `Exchange`.
 * @param read gives a page; the first is 1.
 * @throws TypedError `Permanent` beyond 10,000 items: a list is complete or it fails.
 */
export async function allPages<T>(what: string, read: (page: number) => Promise<Page<T>>): Promise<T[]> {
  const all: T[] = [];
  for (let page = 1; page <= maxPages; page++) {
    const { items, more } = await read(page);
    all.push(...items);
    if (!more) return all;
  }
  throw new TypedError('Permanent', `${what}: more than ${maxPages * pageSize} items`, { reason: 'TooMany' });
}

/**
 * A full page asks for a next one even without a link to it (RFC 8288): when an item is added behind it, the page
 * itself, and so its ETag, stays the same.
 *
 * @param count of the items of the page, before any is left out.
 */
export function hasNextPage(headers: Headers, count: number): boolean {
  return count >= pageSize || /\brel="?next"?/.test(String(headers['link'] ?? ''));
}
