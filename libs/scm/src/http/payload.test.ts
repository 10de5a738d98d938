import { expect, it } from '@jest/globals';
import { parseObject } from './payload.js';

it('refuses the body of a webhook with more values than an SCM sends', () => {
  const body = Buffer.from(`{"a":[${'{},'.repeat(150_000)}0]}`);
  expect(() => parseObject(body)).toThrow(
    expect.objectContaining({
      type: 'Invalid',
      message: expect.stringContaining('more than 250000 values'),
    }),
  );
});
