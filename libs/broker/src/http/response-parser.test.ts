import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { AnswerHeaders } from './exchange.js';
import { ResponseParser } from './response-parser.js';

function parse(parts: readonly Buffer[], isClosed = false) {
  const seen = { status: 0, headers: {} as AnswerHeaders };
  const chunks: Buffer[] = [];
  const parser = new ResponseParser({
    head: (status, headers) => Object.assign(seen, { status, headers }),
    data: (chunk) => chunks.push(chunk),
  });
  for (const part of parts) {
    parser.write(part);
    /* The bytes of the next connection overwrite the buffer. */
    part.fill('?');
  }
  if (isClosed) parser.end();
  const body = Buffer.concat(chunks).toString();
  return { ...seen, body, isDone: parser.isDone, reusableMs: parser.reusableMs };
}

const whole = (text: string, isClosed = false) => parse([Buffer.from(text)], isClosed);
const chunked =
  'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5;x=1\r\nhello\r\n6\r\n again\r\n0\r\nA: b\r\n\r\n';
const sized =
  'HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 201\r\nContent-Length: 11\r\nX-A: 1\r\nx-a: 2\r\n\r\nhello again';

describe('ResponseParser', () => {
  test.each([
    ['a sized answer after an interim one', sized, 201],
    ['a chunked answer', chunked, 200],
  ])('reads %s independently of how it is split', (_name, text, status) => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1 }), (sizes) => {
        const parts: Buffer[] = [];
        for (let at = 0, n = 0; at < text.length; n++) {
          const size = sizes[n % sizes.length]!;
          parts.push(Buffer.from(text.slice(at, at + size)));
          at += size;
        }
        expect(parse(parts)).toMatchObject({ status, body: 'hello again', isDone: true, reusableMs: 4_000 });
      }),
      { numRuns: 50 },
    );
  });

  test('reads an answer without a length until the connection is closed, and does not reuse the connection', () => {
    expect(whole('HTTP/1.1 200 OK\r\n\r\nhello')).toMatchObject({ isDone: false });
    expect(whole('HTTP/1.1 200 OK\r\n\r\nhello', true)).toMatchObject({
      body: 'hello',
      isDone: true,
      reusableMs: 0,
    });
  });

  test('keeps each value of a repeated header, and does not let a name change a prototype', () => {
    expect(whole(sized).headers['x-a']).toEqual(['1', '2']);
    expect(whole('HTTP/1.1 204\r\n__proto__: x\r\n\r\n').headers['__proto__']).toBe('x');
  });

  test.each([
    ['HTTP/1.1 204 No\r\nConnection: close\r\n\r\n', 0],
    ['HTTP/1.0 204 No\r\n\r\n', 0],
    ['HTTP/1.1 204 No\r\nKeep-Alive: timeout=3\r\n\r\n', 2_000],
    ['HTTP/1.1 204 No\r\nKeep-Alive: timeout=1\r\n\r\n', 0],
    ['HTTP/1.1 304 No\r\nContent-Length: 9\r\n\r\n', 4_000],
  ])('reuses a connection after %j for %i ms', (text, reusableMs) => {
    expect(whole(text)).toMatchObject({ isDone: true, reusableMs });
  });

  test.each([
    ['a length and a coding', 'HTTP/1.1 200 OK\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n'],
    ['two lengths', 'HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\n'],
    ['a length with a sign', 'HTTP/1.1 200 OK\r\nContent-Length: +5\r\n\r\n'],
    ['another coding', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n'],
    ['a folded header', 'HTTP/1.1 200 OK\r\nA: b\r\n c\r\n\r\n'],
    ['a space before the colon', 'HTTP/1.1 200 OK\r\nContent-Length : 5\r\n\r\n'],
    ['a lone line feed in a header', 'HTTP/1.1 200 OK\r\nA: b\nC: d\r\n\r\n'],
    ['another protocol', 'HTTP/2 200 OK\r\n\r\n'],
    ['a change of the protocol', 'HTTP/1.1 101 Switching\r\n\r\n'],
    ['a chunk without a size', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n'],
    [
      'a chunk that is longer than its size',
      'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nab\r\n',
    ],
    ['a head without an end', `HTTP/1.1 200 OK\r\nA: ${'b'.repeat(40_000)}`],
    [
      'a trailer without an end',
      `HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n${'A: b\r\n'.repeat(2_000)}`,
    ],
  ])('refuses an answer with %s', (_name, text) => {
    expect(() => whole(text)).toThrow(expect.objectContaining({ code: 'MALFORMED_HTTP' }));
  });

  test.each([
    ['the end of a chunked body', 'HTTP/1.1 204 No\r\nTransfer-Encoding: chunked\r\n\r\n', '0\r\n\r\n'],
    ['an empty line', 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok', '\r\n'],
    [
      'a second answer',
      'HTTP/1.1 204 No\r\n\r\n',
      'HTTP/1.1 200 OK\r\nX-A: 1\r\nContent-Length: 2\r\n\r\nno',
    ],
  ])('discards %s after an answer, and does not reuse the connection', (_name, answer, rest) => {
    expect(whole(answer + rest)).toEqual({ ...whole(answer), reusableMs: 0 });
  });

  test.each([
    ['a length that is repeated', 'Content-Length: 5\r\nContent-Length: 5\r\n\r\nhello'],
    ['a length that a proxy has combined', 'Content-Length: 5, 5\r\n\r\nhello'],
    ['a size of a chunk with spaces', 'Transfer-Encoding: chunked\r\n\r\n5  \r\nhello\r\n0   \r\n\r\n'],
    ['a size of a chunk with zeros', 'Transfer-Encoding: chunked\r\n\r\n0000000005\r\nhello\r\n000\r\n\r\n'],
  ])('reads an answer with %s', (_name, rest) => {
    expect(whole(`HTTP/1.1 200 OK\r\n${rest}`)).toMatchObject({ body: 'hello', reusableMs: 4_000 });
  });

  test('refuses an answer that breaks off', () => {
    expect(() => whole('HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nab', true)).toThrow(
      'before the end of the answer',
    );
  });
});
