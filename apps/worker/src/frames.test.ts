import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { frameChunks, frameTypes } from './frames.js';
import { decodeFrames } from './testing/decode-frames.js';

const bytesOf = (...frames: Iterable<Buffer>[]): Buffer =>
  Buffer.concat(frames.flatMap((frame) => [...frame]));

describe('a frame', () => {
  it('has the bytes of the protocol', () => {
    const bytes = bytesOf(frameChunks(frameTypes.newJobRequest, '{é🚄'));
    expect(bytes.toString('hex')).toBe('01000000' + '08000000' + '7b00' + 'e900' + '3dd884de');
    expect(bytesOf(frameChunks(frameTypes.cancelRequest)).toString('hex')).toBe('0200000000000000');
  });

  it('carries any text, and can follow another frame', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'binary' }), { maxLength: 5 }), (texts) => {
        const bytes = bytesOf(...texts.map((text) => frameChunks(frameTypes.newJobRequest, text)));
        expect(decodeFrames(bytes)).toEqual(texts.map((text) => ({ type: 1, text })));
      }),
    );
  });

  it.each([-2, -1, 0, 1])(
    'keeps a surrogate pair intact if its offset from the end of a chunk is %i',
    (offset) => {
      const text = `${'a'.repeat(32 * 1024 + offset)}🚄${'b'.repeat(40_000)}🚄`;
      const chunks = [...frameChunks(frameTypes.newJobRequest, text)];
      expect(Math.max(...chunks.map(({ length }) => length))).toBeLessThanOrEqual(64 * 1024);
      expect(chunks.length).toBeGreaterThan(3);
      expect(decodeFrames(Buffer.concat(chunks))).toEqual([{ type: 1, text }]);
    },
  );

  it('carries a payload of 10 MB', () => {
    const text = '🚄é'.repeat(10_000_000 / 6);
    const bytes = bytesOf(frameChunks(frameTypes.newJobRequest, text));
    expect(bytes.readInt32LE(4)).toBe(text.length * 2);
    expect(bytes.subarray(8).equals(Buffer.from(text, 'utf16le'))).toBe(true);
  });

  it('is refused beyond the limit of the runner, but not at the limit', () => {
    const longest = 'x'.repeat(25_000_000);
    expect(() => frameChunks(frameTypes.newJobRequest, longest)).not.toThrow();
    expect(() => frameChunks(frameTypes.newJobRequest, `${longest}x`)).toThrow(
      'the payload has 50000002 bytes as UTF-16, and the runner accepts at most 50000000; reduce',
    );
  });
});
