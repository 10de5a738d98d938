import { describe, expect, it } from '@jest/globals';
import { EventNames } from './event-names.js';
import type { Occurrence } from './occurrence.js';

function happening(type: 'Normal' | 'Warning', note: string, uid = 'u'): Occurrence {
  const regarding = { apiVersion: 'apps/v1', kind: 'ReplicaSet', metadata: { name: 'web', uid } };
  return { regarding, type, reason: 'Because', note, component: 'replicaset-controller' };
}

const start = Date.parse('2026-01-01T00:00:00Z');
const isFree = (): boolean => false;

describe('EventNames', () => {
  const refused = (pod: string): string => `Error creating: pods "${pod}" is forbidden: exceeded quota`;

  it.each<[string, string, Occurrence, Occurrence]>([
    ['one name', 'the same occurrence', happening('Normal', 'a'), happening('Normal', 'a')],
    ['two names', 'an occurrence with another note', happening('Normal', 'a'), happening('Normal', 'b')],
    ['two names', 'another object of the same name', happening('Normal', 'a'), happening('Normal', 'a', 'v')],
    [
      'one name',
      'pods that are refused',
      happening('Warning', refused('web-x4k2z')),
      happening('Warning', refused('web-bbd7f')),
    ],
    [
      'two names',
      'pods that are created',
      happening('Normal', 'Created pod: web-x4k2z'),
      happening('Normal', 'Created pod: web-bbd7f'),
    ],
  ])('returns %s for %s', (expected, _, ...occurrences) => {
    const names = new EventNames();
    const [first, second] = occurrences.map((one, i) => names.nameOf(one, new Date(start + i), isFree));
    expect(first).toMatch(/^web\.[0-9a-f]{16}$/);
    expect(first === second).toBe(expected === 'one name');
  });

  it('returns names in the order of time, even within a millisecond and when the clock goes back', () => {
    const names = new EventNames();
    const given = [0, 0, 5, 3].map((ms, i) =>
      names.nameOf(happening('Normal', String(i)), new Date(start + ms), isFree),
    );
    expect(new Set(given).size).toBe(4);
    expect([...given].sort()).toEqual(given);
  });

  it('does not return the name of an earlier event', () => {
    const earlier = new EventNames().nameOf(happening('Normal', 'a'), new Date(start), isFree);
    const isTaken = (name: string): boolean => name === earlier;
    expect(new EventNames().nameOf(happening('Normal', 'b'), new Date(start), isTaken)).not.toBe(earlier);
  });

  it('forgets the least recent occurrence after 4,096 others', () => {
    const names = new EventNames();
    const nameOf = (note: string): string => names.nameOf(happening('Normal', note), new Date(start), isFree);
    const [first, second] = [nameOf('first'), nameOf('second')];
    nameOf('first');
    for (let i = 0; i < 4095; i += 1) nameOf(String(i));
    expect(nameOf('first')).toBe(first);
    expect(nameOf('second')).not.toBe(second);
  });
});
