import { PassThrough } from 'node:stream';
import { describe, expect, it } from '@jest/globals';
import { FrameReader } from './frame-reader.js';

function header(type: number, length: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeInt32LE(type, 0);
  bytes.writeInt32LE(length, 4);
  return bytes;
}

const frame = (type: number, text: string): Buffer =>
  Buffer.concat([header(type, text.length * 2), Buffer.from(text, 'utf16le')]);
const never = new AbortController().signal;

function readerOf(...chunks: Buffer[]): FrameReader {
  const input = new PassThrough();
  for (const chunk of chunks) input.write(chunk);
  input.end();
  return new FrameReader(input);
}

describe('the frames of a runner', () => {
  it('are read correctly however their bytes are split', async () => {
    const bytes = Buffer.concat([frame(1, '{"🚄":1}'), frame(2, ''), frame(3, 'x')]);
    const reader = readerOf(...[...bytes].map((byte) => Buffer.from([byte])));
    expect(await reader.next(never)).toEqual({ type: 1, body: '{"🚄":1}' });
    expect(await reader.next(never)).toEqual({ type: 2, body: '' });
    expect(await reader.next(never)).toEqual({ type: 3, body: 'x' });
  });

  it.each([
    ['an unknown type', frame(5, '{}'), 'unknown type 5'],
    ['the type 0', frame(0, '{}'), 'unknown type 0'],
    ['a big-endian header', Buffer.from('0000000100000002', 'hex'), 'unknown type 16777216'],
    ['an odd length', header(1, 3), 'the length 3'],
    ['a negative length', header(1, -2), 'the length -2'],
    ['a length above the limit', header(1, 50_000_002), 'the length 50000002'],
    ['a byte order mark', frame(1, '\uFEFF{}'), 'byte order mark'],
    ['half of a surrogate pair', frame(1, '\ud83d'), 'not valid'],
    ['an end inside the header', header(1, 4).subarray(0, 5), 'ended inside of a frame'],
    ['an end inside the body', frame(1, '{}').subarray(0, 10), 'ended inside of a frame'],
  ])('are refused with %s', async (_title, bytes, message) => {
    await expect(readerOf(bytes).next(never)).rejects.toThrow(message);
  });

  it('are waited for until the signal aborts, even if the pipe has ended', async () => {
    const abort = new AbortController();
    const next = readerOf().next(abort.signal);
    abort.abort();
    expect(await next).toBeUndefined();
  });
});
