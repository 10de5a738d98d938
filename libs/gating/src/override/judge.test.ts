import { describe, expect, test } from '@jest/globals';
import { annotations, type GateOverride } from '@interlock/api';
import { approvedRevisions } from '../approved.js';
import { decideGate } from '../decide.js';
import { gate, override, scheduleKeeper } from '../testing/objects.js';
import type { Stamps, Subject } from '../types.js';
import { judgeOverrides } from './judge.js';

const at = (text: string) => Date.parse(`2026-11-21T${text}Z`);
const made = (spec: Partial<GateOverride['spec']>, time: string, name?: string) =>
  override(spec, `2026-11-21T${time}Z`, name);
const phases = (now: string, overrides: GateOverride[], stamps?: Stamps) =>
  judgeOverrides(at(now), gate(), overrides, stamps && { stamps }).map(({ override: one, phase }) => [
    one.metadata.name,
    phase,
  ]);
const decide = (now: string, overrides: GateOverride[], subject?: Subject) =>
  decideGate(at(now), gate(), [], overrides, subject);

test('opens a gate until an Open expires', () => {
  const open = made({ duration: '30m', reason: 'Patching a CVE' }, '12:00:00', 'fix');
  expect(decide('12:10:00', [open])).toMatchObject({
    state: 'Open',
    cause: 'GateOverride/fix',
    message: 'opened by unverified until 2026-11-21T12:30:00Z: Patching a CVE',
    since: at('12:00:00'),
    next: { at: at('12:30:00'), state: 'Closed', cause: 'Default' },
    validUntil: at('12:30:00'),
  });
  expect(decide('12:30:00', [open])).toMatchObject({ state: 'Closed', cause: 'Default' });
  expect(phases('12:30:00', [open])).toEqual([['fix', 'Expired']]);
});

test('gives a Close precedence over all valid objects while the Close lasts', () => {
  const open = made({ duration: '1h' }, '12:20:00', 'open');
  const stop = made({ effect: 'Close', duration: '30m' }, '12:00:00', 'stop');
  expect(decide('12:25:00', [open, stop])).toMatchObject({
    state: 'Closed',
    cause: 'GateOverride/stop',
    next: { at: at('12:30:00'), state: 'Open', cause: 'GateOverride/open' },
  });
});

test('closes the gate until a Close without an end is deleted', () => {
  const decision = decide('23:00:00', [made({ effect: 'Close' }, '12:00:00', 'hold')]);
  expect(decision).toMatchObject({ state: 'Closed', cause: 'GateOverride/hold' });
  expect(decision.next).toBeUndefined();
});

test('ends earlier Opens by a Close, and a Close of 0s has no other effect', () => {
  const before = made({ duration: '1h' }, '12:00:00', 'before');
  const close = made({ effect: 'Close', duration: '0s' }, '12:10:00', 'close');
  const after = made({ duration: '1h' }, '12:11:00', 'after');
  expect(phases('12:10:30', [before, close])).toEqual([
    ['before', 'Ended'],
    ['close', 'Expired'],
  ]);
  expect(decide('12:10:30', [before, close])).toMatchObject({
    state: 'Closed',
    cause: 'Default',
    since: at('12:10:00'),
  });
  expect(decide('12:12:00', [after, close, before])).toMatchObject({
    state: 'Open',
    cause: 'GateOverride/after',
  });
});

test('prefers the Close of two simultaneous overrides', () => {
  const overrides = [
    made({ effect: 'Close', duration: '0s' }, '12:00:00', 'a'),
    made({ duration: '1h' }, '12:00:00', 'b'),
  ];
  expect(phases('12:00:01', overrides)).toEqual([
    ['b', 'Ended'],
    ['a', 'Expired'],
  ]);
});

test('keeps an Open ended after the Close that ended it is deleted', () => {
  const ended = made({ duration: '1h' }, '12:00:00', 'ended');
  ended.status = {
    phase: 'Ended',
    endedAt: '2026-11-21T12:10:00Z',
    message: 'ended by GateOverride/close: done',
  };
  expect(decide('12:20:00', [ended])).toMatchObject({ state: 'Closed', cause: 'Default' });
});

test('keeps an override expired when the clock is set back or the override would be rejected today', () => {
  const expired = made({ duration: '30m' }, '12:00:00', 'expired');
  expired.status = { phase: 'Expired', endedAt: '2026-11-21T12:30:00Z', message: 'expired' };
  expect(phases('12:20:00', [expired])).toEqual([['expired', 'Expired']]);
  expect(phases('12:40:00', [expired], 'required')).toEqual([['expired', 'Expired']]);
  const close = made({ effect: 'Close', duration: '0s' }, '12:10:00', 'close');
  expect(phases('12:20:00', [expired, close])[0]).toEqual(['expired', 'Expired']);
});

test.each(['Spent', 'Rejected'] as const)('treats the phase %s as final', (phase) => {
  const spent = made({ duration: '1h', once: true }, '12:00:00', 'one');
  spent.status = { phase, endedAt: '2026-11-21T12:10:00Z' };
  expect(decide('12:20:00', [spent])).toMatchObject({ state: 'Closed', cause: 'Default' });
  expect(phases('12:20:00', [spent])).toEqual([['one', phase]]);
});

test('applies an override during a freeze that began after the override', () => {
  const freeze = scheduleKeeper({ closed: [{ from: '2026-11-21T12:30', to: '2026-11-22T00:00' }] });
  const once = made({ duration: '1h', once: true }, '12:00:00', 'early');
  const during = decideGate(at('12:40:00'), gate(), [{ keeper: freeze }], [once]);
  expect(during).toMatchObject({ state: 'Open', cause: 'GateOverride/early', next: { at: at('13:00:00') } });
});

describe('an override with a scope', () => {
  const app = { kind: 'GitRepository', name: 'app' };
  test('opens a gate only for its targets', () => {
    const scoped = made(
      { duration: '1h', targets: [{ kind: 'GitRepository', name: 'app' }] },
      '12:00:00',
      'scoped',
    );
    expect(decide('12:10:00', [scoped])).toMatchObject({ state: 'Closed' });
    expect(decide('12:10:00', [scoped], app)).toMatchObject({ state: 'Open', cause: 'GateOverride/scoped' });
    expect(decide('12:10:00', [scoped], { ...app, name: 'other' })).toMatchObject({ state: 'Closed' });
  });

  test('opens a gate only for its revisions', () => {
    const commit = 'c'.repeat(40);
    const scoped = made({ duration: '1h', revisions: [`main@sha1:${commit}`] }, '12:00:00');
    expect(decide('12:10:00', [scoped], app)).toMatchObject({ state: 'Closed' });
    expect(decide('12:10:00', [scoped], { ...app, revision: commit })).toMatchObject({ state: 'Open' });
    expect(decide('12:10:00', [scoped], { ...app, revision: 'd'.repeat(40) })).toMatchObject({
      state: 'Closed',
    });
    expect(approvedRevisions(at('12:10:00'), gate(), [scoped], app)).toEqual([`main@sha1:${commit}`]);
    expect(approvedRevisions(at('13:10:00'), gate(), [scoped], app)).toEqual([]);
    const stop = made({ effect: 'Close', duration: '5m' }, '11:58:00');
    expect(approvedRevisions(at('12:01:00'), gate(), [scoped, stop], app)).toEqual([]);
  });

  test('ends, if it is a Close, only an Open for the same target', () => {
    const [first, second] = ['app', 'other'].map((name) =>
      made({ duration: '1h', targets: [{ kind: 'GitRepository', name }] }, '12:00:00', name),
    );
    const close = made(
      { effect: 'Close', duration: '0s', targets: [{ kind: 'GitRepository', name: 'app' }] },
      '12:10:00',
      'close',
    );
    expect(phases('12:20:00', [first!, second!, close])).toEqual([
      ['app', 'Ended'],
      ['other', 'Active'],
      ['close', 'Expired'],
    ]);
  });
});

describe('judgeOverrides', () => {
  test.each([
    [
      { duration: '2h' },
      'spec.duration',
      '2h is longer than the 1h0m0s that the gate change-freeze allows (maxOverride)',
    ],
    [
      { expiresAt: '2026-11-21T13:00:01Z' },
      'spec.expiresAt',
      '2026-11-21T13:00:01Z is longer than the 1h0m0s that the gate change-freeze allows',
    ],
    [
      { expiresAt: '2026-11-21T11:00:00Z' },
      'spec.expiresAt',
      'the override would never be in force with 2026-11-21T11:00:00Z',
    ],
    [{ duration: '0s' }, 'spec.duration', 'the override would never be in force with 0s'],
    [{ duration: 'long' }, 'spec.duration', '"long" cannot be parsed'],
    [{ effect: 'Close' as const, expiresAt: 'soon' }, 'spec.expiresAt', '"soon" cannot be parsed'],
    [{}, 'spec.duration', 'it has no end'],
    [{ duration: '5m', reason: '  ' }, 'spec.reason', 'the reason is missing'],
  ])('rejects an override with %j', (spec, field, message) => {
    const wrong = made(spec, '12:00:00', 'wrong');
    const [state] = judgeOverrides(at('12:00:01'), gate(), [wrong]);
    expect(state).toMatchObject({ phase: 'Rejected', message: expect.stringContaining(message) });
    expect(state?.problems[0]).toMatchObject({ object: 'GateOverride/wrong', field });
    expect(decide('12:00:01', [wrong])).toMatchObject({ state: 'Closed', cause: 'Default', problems: [] });
  });
});

describe('judgeOverrides with stamps', () => {
  const stamped = made({ duration: '30m' }, '12:00:00', 'stamped');
  stamped.metadata.annotations = {
    [annotations.actor]: 'alice',
    [annotations.requestedAt]: '2026-11-21T12:00:00.250Z',
  };
  const forged = made({ duration: '30m' }, '12:00:00', 'forged');
  forged.metadata.annotations = { [annotations.requestedAt]: '2027-01-01T00:00:00Z' };
  const judge = (one: GateOverride, stamps: Stamps) =>
    judgeOverrides(at('12:10:00'), gate(), [one], { stamps })[0];

  test('uses the stamps of admission', () => {
    expect(judge(stamped, 'required')).toMatchObject({
      phase: 'Active',
      actor: 'alice',
      requestedAt: at('12:00:00.250'),
    });
  });
  test('requires stamps where admission is served', () => {
    expect(judge(made({ duration: '30m' }, '12:00:00'), 'required')).toMatchObject({
      phase: 'Rejected',
      message: expect.stringContaining('its author is not authenticated'),
    });
  });
  test('ignores stamps that admission did not write', () => {
    expect(judge(stamped, 'ignored')).toMatchObject({ actor: 'unverified', requestedAt: at('12:00:00') });
    expect(judge(forged, 'optional')).toMatchObject({ requestedAt: at('12:00:00') });
  });
});
