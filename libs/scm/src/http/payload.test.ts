import { describe, expect, it } from '@jest/globals';
import { parseObject } from './payload.js';

const many = 300_000;

describe('the body of a webhook', () => {
  it.each([
    ['nested arrays', '['.repeat(many) + ']'.repeat(many)],
    ['objects', `[${'{},'.repeat(many)}0]`],
    ['numbers', `[${'0,'.repeat(many)}0]`],
  ])('is refused before it is parsed if it has too many values: %s', (_what, value) => {
    expect(() => parseObject(Buffer.from(`{"a":${value}}`))).toThrow(
      expect.objectContaining({
        type: 'Invalid',
        message: expect.stringContaining('more than 250000 values'),
      }),
    );
  });

  it('may have any text in its strings', () => {
    const payload = { message: `"[{,\\"${'[{,'.repeat(many)}`, ref: 'refs/heads/main' };
    expect(parseObject(Buffer.from(JSON.stringify(payload)))).toEqual(payload);
  });
});
