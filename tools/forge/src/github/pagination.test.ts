import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { pageOf } from './pagination.js';

const url = 'http://127.0.0.1/api/v3/items';

function linkTo(rel: string, headers: Record<string, string>): URLSearchParams | undefined {
  const [, found] = new RegExp(`<([^>]+)>; rel="${rel}"`).exec(headers['link'] ?? '') ?? [];
  return found === undefined ? undefined : new URL(found).searchParams;
}

test('following the links in both directions returns every item once', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 350 }), fc.integer({ min: 1, max: 150 }), (count, size) => {
      const items = Array.from({ length: count }, (_, index) => index);
      const first = new URLSearchParams({ state: 'a&b', per_page: String(size) });
      const collect = (start: URLSearchParams, rel: string): number[][] => {
        const pages: number[][] = [];
        for (let query: URLSearchParams | undefined = start; query !== undefined;) {
          const page = pageOf(items, query, url);
          pages.push(page.items);
          expect(query.get('state')).toBe('a&b');
          query = linkTo(rel, page.headers);
        }
        return pages;
      };
      const forward = collect(first, 'next');
      expect(forward.flat()).toEqual(items);
      expect(forward.every((page) => page.length <= Math.min(100, size))).toBe(true);
      const last = linkTo('last', pageOf(items, first, url).headers) ?? first;
      expect(collect(last, 'prev').reverse()).toEqual(forward);
    }),
  );
});

test.each(['0', '-1', 'x', '1.5', ''])('the page number %j selects the first page', (page) => {
  expect(pageOf([1, 2], new URLSearchParams({ page, per_page: '1' }), url).items).toEqual([1]);
});

test('a page beyond the end is empty', () => {
  expect(pageOf([1, 2], new URLSearchParams({ page: '9' }), url).items).toEqual([]);
});
