import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { LineDecoder } from './line-decoder.js';

describe('LineDecoder', () => {
  test('returns the same lines wherever the bytes are split', () => {
    const line = fc.string({ unit: 'grapheme' }).filter((text) => text !== '' && !text.includes('\n'));
    fc.assert(
      fc.property(fc.array(line), fc.array(fc.nat()), (lines, cuts) => {
        const bytes = Buffer.from(lines.map((text) => `${text}\n`).join(''));
        const decoder = new LineDecoder(1 << 20);
        const ends = cuts.map((cut) => cut % (bytes.length + 1)).sort((a, b) => a - b);
        const decoded: string[] = [];
        let start = 0;
        for (const end of [...ends, bytes.length]) {
          decoded.push(...decoder.push(bytes.subarray(start, end)));
          start = end;
        }
        expect(decoded).toEqual(lines);
      }),
    );
  });

  test('holds a line back until it ends, and drops empty lines', () => {
    const decoder = new LineDecoder(100);
    expect(decoder.push(Buffer.from('a\n\n\nb'))).toEqual(['a']);
    expect(decoder.push(Buffer.from('c\r'))).toEqual([]);
    expect(decoder.push(Buffer.from('\n'))).toEqual(['bc\r']);
  });

  test('limits the data that it holds', () => {
    const decoder = new LineDecoder(4);
    expect(decoder.push(Buffer.from('1234\n123'))).toEqual(['1234']);
    expect(() => decoder.push(Buffer.from('45'))).toThrow(RangeError);
  });
});
