import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { isRefused } from '../refusal.js';
import { HeadBuffer } from './head-buffer.js';
import { parseHead } from './request.js';

describe('the head of a request', () => {
  test.each([
    ['CONNECT github.com:443 HTTP/1.1', { host: 'github.com', port: 443 }],
    ['CONNECT GitHub.COM.:443 HTTP/1.0\r\nHost: github.com:443', { host: 'github.com', port: 443 }],
    ['CONNECT [2606:50C0::1]:443 HTTP/1.1\r\nUser-Agent: x y\t\xe9', { host: '2606:50c0::1', port: 443 }],
    ['\r\nCONNECT github.com:443 HTTP/1.1\r\nHost: github.com', { host: 'github.com', port: 443 }],
    ['CONNECT github.com:443 HTTP/1.1\r\nHost:', { host: 'github.com', port: 443 }],
    ['CONNECT github.com:443 HTTP/1.1\r\nHOST: [2606:50c0::1]:443 ', { host: 'github.com', port: 443 }],
    ['CONNECT 140.82.121.4:8443 HTTP/1.1\r\nContent-Length: 0', { host: '140.82.121.4', port: 8443 }],
  ])('%j is parsed', (head, request) => expect(parseHead(head)).toEqual(request));

  test.each([
    ['GET http://github.com/ HTTP/1.1', 405, 'MethodNotAllowed'],
    ['connect github.com:443 HTTP/1.1', 405, 'MethodNotAllowed'],
    ['CONNECT github.com:443 HTTP/2.0', 505, 'VersionNotSupported'],
    ['CONNECT github.com:443', 400, 'MalformedRequest'],
    ['CONNECT  github.com:443 HTTP/1.1', 400, 'MalformedRequest'],
    ['CONNECT github.com:443 HTTP/1.1 ', 400, 'MalformedRequest'],
    ['CONNECT github.com HTTP/1.1', 400, 'MalformedRequest'],
    ['CONNECT github.com:0 HTTP/1.1', 400, 'MalformedRequest'],
    ['CONNECT github.com:65536 HTTP/1.1', 400, 'MalformedRequest'],
    ['CONNECT github.com:+443 HTTP/1.1', 400, 'MalformedRequest'],
    ['CONNECT user@github.com:443 HTTP/1.1', 400, 'MalformedRequest'],
    ['CONNECT git\0hub.com:443 HTTP/1.1', 400, 'MalformedRequest'],
    ['CONNECT github..com:443 HTTP/1.1', 400, 'MalformedRequest'],
    ['CONNECT ::1:443 HTTP/1.1', 400, 'MalformedRequest'],
    ['CONNECT [fe80::1%25eth0]:443 HTTP/1.1', 400, 'MalformedRequest'],
    ['CONNECT [127.0.0.1]:443 HTTP/1.1', 400, 'MalformedRequest'],
    ['CONNECT https://github.com:443 HTTP/1.1', 400, 'MalformedRequest'],
    ['CONNECT github.com:443 HTTP/1.1\r\nTransfer-Encoding: chunked', 400, 'MalformedRequest'],
    ['CONNECT github.com:443 HTTP/1.1\r\nContent-Length: 5', 400, 'MalformedRequest'],
    ['\r\n\r\nCONNECT github.com:443 HTTP/1.1', 400, 'MalformedRequest'],
    ['CONNECT github.com:443 HTTP/1.1\r\nHost: github.com\r\nhost: github.com', 400, 'MalformedRequest'],
    ['CONNECT github.com:443 HTTP/1.1\r\nHost: github.com x', 400, 'MalformedRequest'],
    ['CONNECT github.com:443 HTTP/1.1\r\nHost: user@github.com', 400, 'MalformedRequest'],
    ['CONNECT github.com:443 HTTP/1.1\r\nHost: github.com/x', 400, 'MalformedRequest'],
    ['CONNECT github.com:443 HTTP/1.1\r\nHost : x', 400, 'MalformedRequest'],
    ['CONNECT github.com:443 HTTP/1.1\r\n folded', 400, 'MalformedRequest'],
    ['CONNECT github.com:443 HTTP/1.1\nHost: x', 400, 'MalformedRequest'],
    ['CONNECT github.com:443 HTTP/1.1\r\nA: x\ny', 400, 'MalformedRequest'],
    ['CONNECT github.com:443 HTTP/1.1\r\nA: x\ry', 400, 'MalformedRequest'],
    ['', 400, 'MalformedRequest'],
  ])('%j is refused with %i', (head, status, reason) => {
    expect(parseHead(head)).toMatchObject({ status, reason });
  });

  test('is never parsed as two requests, for any bytes', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (text) => {
        const result = parseHead(`CONNECT ${text}`);
        if (!isRefused(result)) expect(result.host).toMatch(/^[a-z0-9_.:-]+$/);
      }),
    );
  });
});

describe('the buffer of a head', () => {
  test('finds the end and the early data, however the bytes are divided into chunks', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 1500 }),
        fc.uint8Array({ maxLength: 50 }),
        fc.array(fc.integer({ min: 1, max: 400 })),
        (length, early, cuts) => {
          const head = 'x'.repeat(length);
          const all = Buffer.concat([Buffer.from(`${head}\r\n\r\n`), early]);
          const buffer = new HeadBuffer(2048);
          let at = 0;
          for (const cut of [...cuts, all.length]) {
            const result = buffer.push(all.subarray(at, at + cut));
            at = Math.min(all.length, at + cut);
            if (result === 'incomplete') continue;
            if (result === 'too-large') throw new Error('there is room');
            expect(result.head).toBe(head);
            expect(Buffer.concat([result.early, all.subarray(at)])).toEqual(Buffer.from(early));
            return;
          }
          throw new Error('the end was not found');
        },
      ),
    );
  });

  test.each([1, 7, 300, 4096])('refuses a head without an end, in chunks of %i bytes', (size) => {
    const buffer = new HeadBuffer(1024);
    let pushed = 0;
    let result = buffer.push(Buffer.alloc(size, 'a'));
    for (pushed = size; result === 'incomplete'; pushed += size)
      result = buffer.push(Buffer.alloc(size, 'a'));
    expect(result).toBe('too-large');
    expect(pushed).toBeLessThanOrEqual(1024 + size);
  });

  test('refuses a head whose end is beyond the limit, even in one chunk', () => {
    const bytes = Buffer.from(`${'a'.repeat(1022)}\r\n\r\n`);
    expect(new HeadBuffer(1024).push(bytes)).toBe('too-large');
    expect(new HeadBuffer(1026).push(bytes)).toMatchObject({ head: 'a'.repeat(1022) });
  });
});
