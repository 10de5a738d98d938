import { annotations, type EventResponse } from '@interlock/api';
import { responseOf } from '@interlock/responding/testing';
import { expect, it } from '@jest/globals';
import { retried } from './retry-request.js';

function requested(request: string, lastRetryRequest?: string): EventResponse {
  const response = responseOf();
  const { metadata } = response;
  return {
    ...response,
    metadata: { ...metadata, annotations: { [annotations.responseRetryRequestedAt]: request } },
    status: { phase: 'Failed', attempts: 3, ...(lastRetryRequest !== undefined && { lastRetryRequest }) },
  };
}

it.each([
  ['a time', '2026-01-01T00:00:00Z'],
  ['a long text that is cut within a surrogate pair', `${'x'.repeat(255)}\u{1F600}`],
])('retries once for a request that is %s', (_, request) => {
  const handled = retried(requested(request))?.status?.lastRetryRequest ?? '';
  /* The API server replaces half of a pair. */
  const stored = Buffer.from(handled).toString();
  expect(retried(requested(request, stored))).toBeUndefined();
});
