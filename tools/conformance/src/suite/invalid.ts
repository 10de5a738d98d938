import { expect } from 'expect';
import type { Answer } from './api.js';

/** Checks that a response is a 422 that contains these causes, by field and reason. */
export function expectInvalid(
  { status, body, text }: Answer,
  causes: Readonly<Record<string, string>>,
): void {
  expect({ status, reason: body.reason, text }).toEqual({ status: 422, reason: 'Invalid', text });
  const found = (body.details?.causes ?? []).map(({ field, reason }) => ({ field, reason }));
  for (const [field, reason] of Object.entries(causes)) expect(found).toContainEqual({ field, reason });
}
