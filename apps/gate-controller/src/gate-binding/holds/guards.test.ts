import { describe, expect, it } from '@jest/globals';
import { keyString } from '@interlock/api';
import { HoldGuards } from './guards.js';
import { ownAnnotations } from '@interlock/gating';
import { fluxObject } from './testing/builders.js';

const shop = fluxObject({ name: 'shop' });
const release = { namespace: 'apps', name: 'release' };
const other = { namespace: 'platform', name: 'freeze' };

function guards() {
  const asked: string[] = [];
  const made = new HoldGuards();
  made.onRequest((binding) => asked.push(keyString(binding)));
  return { made, asked };
}

/** Returns the guards of a binding with the finalizer, for which a hold of `shop` has begun. */
function begun(): HoldGuards {
  const { made } = guards();
  made.guard(release);
  made.begin(shop, ['release']);
  return made;
}

describe('HoldGuards', () => {
  it('permits no hold for a binding without the finalizer, and requests the finalizer', () => {
    const { made, asked } = guards();
    expect(made.begin(shop, ['release', 'platform/freeze'])).toBe(false);
    expect(asked).toEqual(['apps/release', 'platform/freeze']);
    expect([made.isRequested(release), made.isRequested(other)]).toEqual([true, true]);
    expect(made.isPending(release)).toBe(false);

    expect(made.guard(release)).toEqual([{ kind: 'GitRepository', namespace: 'apps', name: 'shop' }]);
    expect(made.begin(shop, ['release', 'platform/freeze'])).toBe(false);
    made.guard(other);
    expect(made.begin(shop, ['release', 'platform/freeze'])).toBe(true);
    expect([made.isPending(release), made.isPending(other)]).toEqual([true, true]);
  });

  it('requires no finalizer for a hold by annotations of the object itself', () => {
    const { made, asked } = guards();
    expect(made.begin(shop, [ownAnnotations])).toBe(true);
    expect(asked).toEqual([]);
  });

  it('treats a hold as pending until the cache shows the write', () => {
    const made = begun();
    made.seen(shop);
    expect(made.isPending(release)).toBe(true);
    made.written(shop);
    expect(made.isPending(release)).toBe(true);
    made.seen(shop);
    expect(made.isPending(release)).toBe(false);
  });

  it('forgets the hold of an object that is gone', () => {
    const made = begun();
    made.forgetObject(shop);
    expect(made.isPending(release)).toBe(false);
  });

  it('requests the finalizer again for a hold that begins after the decision to remove it', () => {
    const { made, asked } = guards();
    made.guard(release);
    made.unguard(release);
    expect(made.begin(shop, ['release'])).toBe(false);
    expect(asked).toEqual(['apps/release']);
    made.forgetBinding(release);
    expect(made.isRequested(release)).toBe(false);
  });
});
