import * as z from 'zod';
import { readQuery } from '../http/json.js';
import type { Call } from '../http/message.js';

const pageShape = z.object({
  per_page: z.coerce.number().int().min(1).max(100).default(30),
  page: z.coerce.number().int().min(1).default(1),
});

/** Returns the page of a list that a call requests, and the header that links to the next page. */
export function pageOf<T>(
  call: Call,
  url: string,
  elements: readonly T[],
): { page: T[]; headers: Record<string, string> } {
  const { per_page: size, page } = readQuery(call, pageShape);
  const headers: Record<string, string> = {};
  if (page * size < elements.length) {
    const query = new URLSearchParams(call.query);
    query.set('page', String(page + 1));
    headers['link'] = `<${url}?${query.toString()}>; rel="next"`;
  }
  return { page: elements.slice((page - 1) * size, page * size), headers };
}
