import { describe, expect, it } from '@jest/globals';
import { finalizers, GateBinding, typeMeta } from '@interlock/api';
import { decideFinalizer, nothingHeld, type Holding } from './finalizer.js';

function binding(owned: readonly string[], deletionTimestamp?: string): GateBinding {
  return {
    ...typeMeta(GateBinding),
    metadata: {
      name: 'release',
      namespace: 'apps',
      finalizers: [...owned],
      ...(deletionTimestamp !== undefined && { deletionTimestamp }),
    },
    spec: { mode: 'Suspend', refs: [{ name: 'freeze' }], require: 'all', scope: 'Updates' },
  };
}

const [ours, theirs] = [finalizers.gateBinding, 'example.com/theirs'];
const holding: Holding = { ...nothingHeld, isHolding: true };
const requested: Holding = { ...nothingHeld, isRequested: true };
const unread: Holding = { ...nothingHeld, isKnown: false };
const at = '2026-01-01T00:00:00Z';

describe('decideFinalizer', () => {
  it.each<[string, GateBinding, Holding, string]>([
    ['adds no finalizer to a binding that holds nothing', binding([]), nothingHeld, 'keep'],
    ['adds the finalizer before the first hold', binding([theirs]), requested, 'add'],
    ['adds the finalizer again if it is missing for a hold', binding([]), holding, 'add'],
    ['keeps the finalizer while something is held', binding([ours]), holding, 'keep'],
    ['keeps the finalizer while a hold waits for it', binding([ours]), requested, 'keep'],
    ['removes the finalizer when nothing is held', binding([theirs, ours]), nothingHeld, 'remove'],
    ['keeps the finalizer until the objects are known', binding([ours]), unread, 'keep'],
    ['adds the finalizer before all objects are known', binding([]), { ...unread, isRequested: true }, 'add'],
    ['adds no finalizer to a binding that is being deleted', binding([theirs], at), requested, 'keep'],
    ['leaves the finalizer of a deleted binding to the release', binding([ours], at), nothingHeld, 'keep'],
  ])('%s', (_case, object, state, expected) => {
    expect(decideFinalizer(object, state)).toBe(expected);
  });
});
