import { cut, linkTo, type Page } from '../rest/pages.js';

const defaultSize = 20;

/**
 * Returns a page of a list (GitLab, "REST API: offset-based pagination"): `per_page` up to 100, `page` from 1, `x-…`
 * headers and `Link`.
 */
export function pageOf<T>(all: readonly T[], query: URLSearchParams, url: string): Page<T> {
  const { items, page, size, last } = cut(all, query, defaultSize);
  const next = page < last ? page + 1 : undefined;
  const previous = page > 1 ? page - 1 : undefined;
  const sized = new URLSearchParams(query);
  sized.set('per_page', String(size));
  const links = Object.entries({ prev: previous, next, first: 1, last }).flatMap(([rel, number]) =>
    number === undefined ? [] : [linkTo(url, sized, number, rel)],
  );
  return {
    items,
    headers: {
      link: links.join(', '),
      'x-next-page': String(next ?? ''),
      'x-page': String(page),
      'x-per-page': String(size),
      'x-prev-page': String(previous ?? ''),
      'x-total': String(all.length),
      'x-total-pages': String(last),
    },
  };
}

/**
 * Returns a page of a list (GitLab, "REST API: keyset-based pagination"). The response contains only the next page, by
 * a token that names the last item of the current page.
 *
 * @param nameOf returns the unique name of an item.
 */
export function keysetPageOf<T>(
  all: readonly T[],
  query: URLSearchParams,
  url: string,
  nameOf: (item: T) => string,
): Page<T> {
  const token = query.get('page_token');
  const from = token === null ? 0 : all.findIndex((item) => tokenOf(nameOf(item)) === token) + 1;
  const rest = token !== null && from === 0 ? [] : all.slice(from);
  const sized = new URLSearchParams(query);
  sized.set('page', '1');
  const { items, size } = cut(rest, sized, defaultSize);
  const last = items.at(-1);
  if (last === undefined || rest.length <= size) return { items, headers: {} };
  sized.set('page_token', tokenOf(nameOf(last)));
  return { items, headers: { link: linkTo(url, sized, 1, 'next') } };
}

function tokenOf(name: string): string {
  return Buffer.from(JSON.stringify({ file_name: name })).toString('base64');
}
