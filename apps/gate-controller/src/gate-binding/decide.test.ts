import { expect, it } from '@jest/globals';
import { timestampOf } from '@interlock/api';
import { decideBinding } from './decide.js';
import { nothingHeld } from './finalizer.js';
import type { ObservedBinding } from './observed.js';
import { binding, gate, guarded, now, observed } from './testing/builders.js';

const requested = { ...nothingHeld, isRequested: true };
const leaving = { ...guarded, deletionTimestamp: timestampOf(now) };

it.each<[string, Partial<ObservedBinding>, ReturnType<typeof decideBinding>]>([
  [
    'actuates when the gates are evaluated',
    { gates: [gate(60_000)] },
    { type: 'actuate', finalizer: 'keep' },
  ],
  ['actuates when a gate was never evaluated', { gates: [gate()] }, { type: 'actuate', finalizer: 'keep' }],
  [
    'waits for a gate whose state has just expired',
    { gates: [gate(60_000), gate(0)] },
    { type: 'wait', finalizer: 'keep' },
  ],
  [
    'waits up to two seconds for a gate whose state has expired',
    { gates: [gate(-1_000)] },
    { type: 'wait', finalizer: 'keep' },
  ],
  [
    'actuates when a gate whose state has expired is not evaluated again',
    { gates: [gate(-2_000)] },
    { type: 'actuate', finalizer: 'keep' },
  ],
  [
    'requires the finalizer before the first hold',
    { holding: requested },
    { type: 'actuate', finalizer: 'add' },
  ],
  [
    'also requires the finalizer while it waits',
    { holding: requested, gates: [gate(0)] },
    { type: 'wait', finalizer: 'add' },
  ],
  [
    'removes the finalizer when nothing is held',
    { binding: binding(guarded) },
    { type: 'actuate', finalizer: 'remove' },
  ],
  [
    'releases a binding that is being deleted, whatever the state of its gates',
    { binding: binding(leaving), holding: requested, gates: [gate(0)] },
    { type: 'release', finalizer: 'keep' },
  ],
])('%s', (_case, changes, expected) => {
  expect(decideBinding(observed(changes), now)).toEqual(expected);
});
