import { expect, it } from '@jest/globals';
import { aftermathOf } from './aftermath.js';
import type { JobEnd } from './record.js';

const at = Date.parse('2026-01-01T00:00:00Z');

it.each<[title: string, end: Omit<JobEnd, 'at'>, conclusion: string | undefined, rerun: string | undefined]>([
  ['that its runner has reported', { ending: 'reported', result: 'failed' }, undefined, undefined],
  ['whose runner crashed', { ending: 'crashed' }, 'failed', undefined],
  ['that was disrupted', { ending: 'disrupted', disruption: 'eviction' }, 'failed', 'eviction'],
  [
    'whose runner was asked to end, and has reported its cancellation',
    { ending: 'disrupted', disruption: 'deletion', result: 'canceled' },
    undefined,
    'deletion, cancelled by us',
  ],
  [
    'that its user cancelled and whose runner was then asked to end, and has reported its cancellation',
    { ending: 'disrupted', disruption: 'outOfMemory', result: 'canceled', isRevoked: true },
    undefined,
    'outOfMemory',
  ],
  ['that its user cancelled', { ending: 'cancelled' }, 'canceled', undefined],
  ['whose lock expired', { ending: 'lockLost' }, undefined, 'lockLost, cancelled by us'],
  [
    'that the service ended before its lock expired',
    { ending: 'lockLost', isRevoked: true },
    undefined,
    'lockLost',
  ],
  ['that never started', { ending: 'abandoned' }, undefined, 'abandoned'],
])('derives what follows from the end of a job %s', (_title, end, conclusion, expected) => {
  const { conclusion: reported, rerun } = aftermathOf({ ...end, at });
  const shown = rerun && `${rerun.cause}${rerun.isCancelled ? ', cancelled by us' : ''}`;
  expect([reported, shown]).toEqual([conclusion, expected]);
});
