import { describe, expect, it } from '@jest/globals';
import { annotations } from '@interlock/api';
import { holdOf, isHeldBy } from './hold.js';
import { binding, fluxObject } from './testing/builders.js';

const heldBy = (by: string) => fluxObject({ notes: { [annotations.heldBy]: by } });

describe('the bindings that hold an object', () => {
  it.each([
    ['freeze', true],
    ['freeze,other', true],
    ['other,freeze', true],
    ['a,freeze,z', true],
    ['', false],
    ['other', false],
    ['freeze-2,pre-freeze,other/freeze', false],
  ])('are those in the annotation %j', (by, isHeld) => {
    expect(isHeldBy(heldBy(by), binding())).toBe(isHeld);
  });

  it('include those of other namespaces, with their namespace', () => {
    expect(isHeldBy(heldBy('a,platform/freeze'), binding({}, 'freeze', 'platform'))).toBe(true);
  });

  it('are all found, although only a limited number is read, because a user may write any number', () => {
    const object = heldBy(`${'x,'.repeat(100_000)}freeze`);
    expect(holdOf(object)?.by).toHaveLength(1_000);
    expect(isHeldBy(object, binding())).toBe(true);
  });
});
