import { FakeClock } from '@interlock/base/testing';
import { expect, test } from '@jest/globals';
import { Governor } from '../governor/governor.js';
import { githubLimits } from './credential.js';

const hour = 3_600_000;

test('limits a credential to 500 content-creating calls per hour, and reports deferred calls', async () => {
  const clock = new FakeClock();
  const governor = new Governor({ ...githubLimits, clock, random: () => 0 });
  const merge = () => governor.run({ priority: 'critical', mutates: true }, () => Promise.resolve('merged'));
  for (let count = 0; count < 500; count++) expect(await merge()).toBe('merged');
  await expect(merge()).rejects.toMatchObject({
    type: 'RateLimited',
    reason: 'ContentLimit',
    message: expect.stringContaining('(500)'),
  });
  await clock.advance(hour);
  expect(await merge()).toBe('merged');
});
