import { linkTo, type Page } from '../rest/pages.js';

const defaultSize = 30;
/** Gitea, `MAX_RESPONSE_ITEMS`: larger limits are reduced to this value. */
const maxSize = 50;

/**
 * Returns the requested page (Gitea, "Pagination"): `page` from 1, `limit`, and the headers `Link` and
 * `X-Total-Count`.
 */
export function pageOf<T>(all: readonly T[], query: URLSearchParams, url: string): Page<T> {
  const size = Math.min(maxSize, positive(query.get('limit')) ?? defaultSize);
  const page = positive(query.get('page')) ?? 1;
  const last = Math.max(1, Math.ceil(all.length / size));
  const link = (number: number, rel: string): string => linkTo(url, query, number, rel);
  const links = [
    ...(page < last ? [link(page + 1, 'next'), link(last, 'last')] : []),
    ...(page > 1 ? [link(1, 'first'), link(page - 1, 'prev')] : []),
  ];
  return {
    items: all.slice((page - 1) * size, page * size),
    headers: {
      'x-total-count': String(all.length),
      ...(links.length === 0 ? {} : { link: links.join(',') }),
    },
  };
}

function positive(text: string | null): number | undefined {
  const value = Number(text);
  return Number.isInteger(value) && value > 0 ? value : undefined;
}
