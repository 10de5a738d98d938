import * as z from 'zod';
import { readQuery } from '../http/json.js';
import type { Call } from '../http/message.js';

const pageShape = z.object({
  per_page: z.coerce.number().int().min(1).max(100).default(30),
  page: z.coerce.number().int().min(1).default(1),
});

/** Returns the page of a list that a call requests, and the header that links to the other pages. */
export function pageOf<T>(
  call: Call,
  url: string,
  elements: readonly T[],
): { page: T[]; headers: Record<string, string> } {
  const { per_page: size, page } = readQuery(call, pageShape);
  const last = Math.ceil(elements.length / size);
  const links = [
    ...(page > 1 ? [['prev', page - 1] as const] : []),
    ...(page < last ? [['next', page + 1] as const, ['last', last] as const] : []),
    ...(page > 1 ? [['first', 1] as const] : []),
  ].map(([rel, number]) => {
    const query = new URLSearchParams(call.query);
    query.set('page', String(number));
    return `<${url}?${query.toString()}>; rel="${rel}"`;
  });
  return {
    page: elements.slice((page - 1) * size, page * size),
    headers: links.length === 0 ? {} : { link: links.join(', ') },
  };
}
