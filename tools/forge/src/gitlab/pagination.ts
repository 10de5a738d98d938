import { cut, linkTo, type Page } from '../rest/pages.js';

const defaultSize = 20;

/** GitLab, "REST API: offset-based pagination": `per_page` up to 100, `page` from 1, `x-…` headers and `Link`. */
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
