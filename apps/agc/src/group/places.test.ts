import { describe, expect, it } from '@jest/globals';
import type { Pod } from '@interlock/kube';
import { placeBeside, Places } from './places.js';

const tiers = [
  { priorityClassName: 'runner-critical', threshold: 5 },
  { priorityClassName: 'runner-standard', threshold: 20 },
  { priorityClassName: 'runner-opportunistic', threshold: 30 },
];
const podOf = (name: string, phase: string): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name },
  status: { phase },
});

describe('placeBeside', () => {
  it.each([
    [0, 'runner-critical'],
    [4, 'runner-critical'],
    [5, 'runner-standard'],
    [19, 'runner-standard'],
    [20, 'runner-opportunistic'],
    [29, 'runner-opportunistic'],
    [30, undefined],
  ])('gives a pod next to %i others the tier %s', (active, tier) => {
    const place = placeBeside({ priorityTiers: tiers }, active);
    expect(place.type === 'free' ? place.priorityClassName : undefined).toBe(tier);
  });

  it('applies the ceiling of a group without tiers, and always finds room in a group without a ceiling', () => {
    expect(placeBeside({ maxWorkers: 2 }, 2)).toMatchObject({ type: 'full', reason: 'ceiling' });
    expect(placeBeside({ maxWorkers: 2 }, 1)).toEqual({ type: 'free', priorityClassName: undefined });
    expect(placeBeside({}, 100_000)).toMatchObject({ type: 'free' });
  });
});

describe('Places', () => {
  it('counts a pod that is being created until the cache contains it, and counts each pod only once', () => {
    const places = new Places();
    places.reserve('linux', 'a');
    places.reserve('linux', 'b');
    places.reserve('other', 'c');
    expect(places.active('linux', [])).toBe(2);
    expect(places.active('linux', [podOf('a', 'Pending'), podOf('d', 'Running')])).toBe(3);
    places.release('linux', 'a');
    places.release('linux', 'b');
    expect(places.active('linux', [podOf('a', 'Pending')])).toBe(1);
  });

  it('does not count a pod that has ended', () => {
    const places = new Places();
    places.reserve('linux', 'a');
    expect(places.active('linux', [podOf('a', 'Failed'), podOf('b', 'Succeeded')])).toBe(0);
  });
});
