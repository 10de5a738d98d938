import { cut, linkTo, type Page } from '../rest/pages.js';

const defaultSize = 30;

/**
 * Returns a page of a list (GitHub, "Using pagination in the REST API"): `per_page` up to 100, `page` from 1, and a
 * `Link` header.
 *
 * @param unpaged size of a page without `per_page`.
 */
export function pageOf<T>(
  all: readonly T[],
  query: URLSearchParams,
  url: string,
  unpaged = defaultSize,
): Page<T> {
  const { items, page, last } = cut(all, query, unpaged);
  const link = (number: number, rel: string): string => linkTo(url, query, number, rel);
  const links = [
    ...(page > 1 ? [link(Math.min(page - 1, last), 'prev')] : []),
    ...(page < last ? [link(page + 1, 'next'), link(last, 'last')] : []),
    ...(page > 1 ? [link(1, 'first')] : []),
  ];
  return { items, headers: links.length === 0 ? {} : { link: links.join(', ') } };
}
