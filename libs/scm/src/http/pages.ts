import { TypedError } from '@interlock/api';
import type { Headers } from './errors.js';

export interface Page<T> {
  items: T[];
  /** Whether there may be a next page. */
  more: boolean;
}

/** Items on a page; the maximum of the SCMs. */
export const pageSize = 100;
const maxPages = 100;

/**
 * Returns the items of all pages.
 * @param what for messages, as in `Exchange`.
 * @param read returns a page; the first is 1.
 * @throws TypedError `Permanent` beyond 100 pages: a list is complete or it fails.
 */
export async function allPages<T>(what: string, read: (page: number) => Promise<Page<T>>): Promise<T[]> {
  const all: T[] = [];
  for (let page = 1; page <= maxPages; page++) {
    const { items, more } = await read(page);
    all.push(...items);
    if (!more) return all;
  }
  throw new TypedError('Permanent', `${what}: more than ${maxPages} pages (${all.length} items)`, {
    reason: 'TooMany',
  });
}

/**
 * Returns whether there may be a next page: after a full page even without a link to it (RFC 8288), because the page and its
 * ETag do not change when an item is added after it.
 *
 * @param count number of items of the page, before filtering.
 */
export function hasNextPage(headers: Headers, count: number): boolean {
  return count >= pageSize || /\brel="?next"?/.test(String(headers['link'] ?? ''));
}
