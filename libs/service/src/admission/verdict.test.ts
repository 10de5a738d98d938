import { describe, expect, it } from '@jest/globals';
import type { Denied } from './types.js';
import { verdictOn } from './verdict.js';

const object = { apiVersion: 'v1', kind: 'Thing', metadata: { name: 'one' } };
const problems = (count: number, message = 'it is wrong') =>
  Array.from({ length: count }, (_, index) => ({ field: `spec.items[${index}]`, value: 'x', message }));

describe('verdictOn', () => {
  it('names ten fields, and how many more are invalid', () => {
    const verdict = verdictOn(object, problems(200));
    expect(verdict).toMatchObject({ allowed: false, causes: { length: 10 } });
    expect(verdict).toMatchObject({
      message: expect.stringMatching(/spec\.items\[9\].*; 190 more fields are invalid; correct these first$/),
    });
    expect(verdictOn(object, problems(10))).toMatchObject({ message: expect.not.stringContaining(' more ') });
  });

  it('limits the length of its message', () => {
    const long = problems(200, 'm'.repeat(10_000)).map((one) => ({ ...one, value: 'v'.repeat(10_000) }));
    const { message, causes } = verdictOn(object, long) as Denied;
    expect(message.length).toBeLessThan(16_000);
    expect(JSON.stringify(causes).length).toBeLessThan(16_000);
  });
});
