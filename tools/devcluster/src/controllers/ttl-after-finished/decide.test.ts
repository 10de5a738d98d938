import { describe, expect, it } from '@jest/globals';
import type { JsonObject } from '../../schema/types.js';
import { untilExpiry } from './decide.js';

const now = Date.parse('2030-01-01T00:00:00Z');

describe('untilExpiry', () => {
  const ended = {
    conditions: [{ type: 'Failed', status: 'True', lastTransitionTime: '2029-12-31T23:59:20Z' }],
  };
  it.each<[string, JsonObject, JsonObject, number | undefined]>([
    ['waits for the rest of the TTL', { ttlSecondsAfterFinished: 60 }, ended, 20_000],
    ['is due when the TTL has elapsed', { ttlSecondsAfterFinished: 40 }, ended, 0],
    ['keeps a Job without a TTL', {}, ended, undefined],
    ['keeps a Job that has not ended', { ttlSecondsAfterFinished: 0 }, {}, undefined],
  ])('%s', (_title, spec, status, expected) => {
    const job = { apiVersion: 'batch/v1', kind: 'Job', metadata: { name: 'sum' }, spec, status };
    expect(untilExpiry(job, now)).toBe(expected);
  });
});
