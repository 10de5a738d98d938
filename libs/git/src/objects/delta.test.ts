import { describe, expect, test } from '@jest/globals';
import { applyDelta } from './delta.js';

const base = Buffer.from('0123456789');
const literal = (text: string) => [text.length, ...Buffer.from(text)];

describe('a delta', () => {
  test.each([
    ['nothing', [10, 0], ''],
    ['literal bytes', [10, 3, ...literal('abc')], 'abc'],
    ['a copy from the beginning', [10, 4, 0x90, 4], '0123'],
    ['a copy from the middle', [10, 3, 0x91, 5, 3], '567'],
    ['all kinds of instructions', [10, 9, 0x90, 2, ...literal('-'), 0x91, 4, 6], '01-456789'],
  ])('applies %s', (_, bytes, expected) => {
    expect(applyDelta(base, Buffer.from(bytes), 100).toString()).toBe(expected);
  });

  test('copies 65,536 bytes for a copy instruction without a size', () => {
    const large = Buffer.alloc(70_000, 'x');
    const sizes = [0xf0, 0xa2, 0x04, 0x80, 0x80, 0x04];
    expect(applyDelta(large, Buffer.from([...sizes, 0x80]), 100_000)).toEqual(large.subarray(0, 65_536));
  });

  test.each([
    ['no content', [], 'cut off'],
    ['a size that does not end', [10, ...Array.from({ length: 20 }, () => 0xff)], 'out of range'],
    ['a base of another size', [9, 0], 'a different size'],
    ['a result that is too large', [10, 101], 'more than 100 bytes'],
    ['a result of an extreme size', [10, 0xff, 0xff, 0xff, 0xff, 0x7f], 'more than 100 bytes'],
    ['an unknown instruction', [10, 3, 0], 'unknown'],
    ['a copy from beyond the end of the base', [10, 3, 0x91, 8, 3], 'beyond'],
    ['a copy from far beyond the end of the base', [10, 3, 0x9f, 0xff, 0xff, 0xff, 0xff, 3], 'beyond'],
    ['a copy beyond the result', [10, 3, 0x90, 4], 'beyond'],
    ['literal bytes that are cut off', [10, 3, 3, 65], 'beyond'],
    ['literal bytes beyond the result', [10, 1, ...literal('ab')], 'beyond'],
    ['a copy without its bytes', [10, 3, 0x91], 'cut off'],
    ['less content than its header states', [10, 3, ...literal('ab')], 'less'],
  ])('is refused with %s', (_, bytes, message) => {
    expect(() => applyDelta(base, Buffer.from(bytes), 100)).toThrow(message);
  });
});
