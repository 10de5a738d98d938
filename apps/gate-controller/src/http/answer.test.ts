import { describe, expect, test } from '@jest/globals';
import type { Gate, GateStatus } from '@interlock/api';
import { answerNow, parseAt } from './answer.js';

const now = Date.parse('2026-11-21T12:00:00Z');
const status: GateStatus = {
  state: 'Open',
  cause: 'GateOverride/cve',
  message: 'CVE',
  since: '2026-11-21T11:50:00Z',
  next: { at: '2026-11-21T12:20:00Z', state: 'Closed', cause: 'Default' },
  validUntil: '2026-11-21T12:20:00Z',
};

function gateWith(given: GateStatus | undefined): Gate {
  return {
    apiVersion: 'gating.toolkit.fluxcd.io/v1alpha1',
    kind: 'Gate',
    metadata: { name: 'freeze', namespace: 'shop' },
    spec: { closed: true, maxOverride: '1h', failurePolicy: 'Closed' },
    ...(given && { status: given }),
  };
}

describe('the answer about the current state of a gate', () => {
  test('is the state in the status while the status is valid', () => {
    expect(answerNow(gateWith(status), now)).toEqual({ namespace: 'shop', name: 'freeze', ...status });
  });

  test('is Closed from the end of the validity on', () => {
    const late = answerNow(gateWith(status), Date.parse('2026-11-21T12:20:00Z'));
    expect(late).toEqual({
      namespace: 'shop',
      name: 'freeze',
      state: 'Closed',
      message: expect.stringContaining('check that the gate-controller is running'),
      validUntil: status.validUntil,
    });
    const shut = answerNow(gateWith({ ...status, state: 'Closed' }), Date.parse('2026-11-21T12:20:00Z'));
    expect(shut).toEqual(late);
  });

  test.each([undefined, {}])('is Closed with the status %j', (given) => {
    expect(answerNow(gateWith(given), now)).toEqual({
      namespace: 'shop',
      name: 'freeze',
      state: 'Closed',
      message: expect.stringContaining('has not been evaluated yet'),
    });
  });
});

test.each([
  ['2026-11-21T12:00:00Z', now],
  ['2026-11-21T13:00:00+01:00', now],
  ['2026-11-21T12:00:00.5Z', now + 500],
  ['2026-11-21', 'RFC 3339'],
  ['2026-11-21 12:00:00Z', 'RFC 3339'],
  ['2026-11-21T12:00:00', 'RFC 3339'],
  ['2026-02-31T12:00:00Z', 'RFC 3339'],
  ['1764763200000', 'RFC 3339'],
  ['2037-11-21T12:00:00Z', 'ten years'],
  ['2010-11-21T12:00:00Z', 'ten years'],
])('parses the time %s, or states what is wrong with it', (text, expected) => {
  const parsed = parseAt(text, now);
  if (typeof expected === 'number') expect(parsed).toBe(expected);
  else expect(parsed).toEqual({ error: expect.stringContaining(expected) });
});
