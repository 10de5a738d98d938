import { expect, test } from '@jest/globals';
import { parseHead } from './head/request.js';
import { isRefused, responseTo } from './refusal.js';

test.each([
  ['GET', /\r\n\r\nMethodNotAllowed: .*\n$/],
  ['HEAD', /Connection: close\r\n\r\n$/],
])('the response to a %s request has a body only if clients expect one', (method, ending) => {
  const result = parseHead(`${method} http://github.com/ HTTP/1.1\r\nHost: github.com`);
  expect(isRefused(result) && responseTo(result)).toMatch(ending);
});
