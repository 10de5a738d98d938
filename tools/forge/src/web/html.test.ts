import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { html, webUrl } from './html.js';

const entities: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" };

test('any text is escaped in elements and attributes', () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom('&', '<', '>', '"', "'", 'a', ';', '#') }), (text) => {
      const [, attribute = '', inner = ''] = /^<a title="([^"]*)">([^<]*)<\/a>$/.exec(
        html`<a title="${text}">${text}</a>`.text,
      )!;
      for (const shown of [attribute, inner]) {
        expect(shown.replace(/&([^;]+);/g, (_, name: string) => entities[name] ?? '?')).toBe(text);
      }
    }),
  );
});

test('HTML is inserted into HTML without changes, alone or as a list', () => {
  const items = ['<1>', '2'].map((text) => html`<b>${text}</b>`);
  expect(html`${items}${items[1]}${undefined}`.text).toBe('<b>&lt;1&gt;</b>\n<b>2</b><b>2</b>');
});

test.each([
  ['https://example.com/x', true],
  ['HTTP://example.com', true],
  ['javascript:alert(1)', false],
  [' https://example.com', false],
  ['/path', false],
  [null, false],
  [undefined, false],
])('webUrl accepts %j as a link: %s', (url, link) => {
  expect(webUrl(url)).toBe(link ? url : undefined);
});
