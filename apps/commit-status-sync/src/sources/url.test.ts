import { expect, it } from '@jest/globals';
import { renderUrl } from './url.js';

const render = (template: string): string => renderUrl(template, undefined, { branch: 'dev' }, undefined);

it('renders the address of an environment', () => {
  expect(render('https://ci.example.com/{{ environment.branch }}')).toBe('https://ci.example.com/dev');
});

it.each([
  ['no address', '/runs', 'template: "/runs" is not an address; write one that begins with https://'],
  ['a long address', `https://x/${'a'.repeat(2_048)}`, 'has 2058 characters; shorten it to 2048'],
])('refuses a template that renders to %s, and states the correction', (_, template, message) => {
  expect(() => render(template)).toThrow(message);
});
