import { describe, expect, it } from '@jest/globals';
import { eventName, type Occurrence } from './events.js';

function happening(type: 'Normal' | 'Warning', note: string, uid = 'u'): Occurrence {
  const regarding = { apiVersion: 'apps/v1', kind: 'ReplicaSet', metadata: { name: 'web', uid } };
  return { regarding, type, reason: 'Because', note, component: 'replicaset-controller' };
}

describe('eventName', () => {
  const refused = (pod: string): string => `Error creating: pods "${pod}" is forbidden: exceeded quota`;

  it.each<[string, Occurrence, Occurrence, boolean]>([
    ['the same', happening('Normal', 'a'), happening('Normal', 'a'), true],
    ['another note', happening('Normal', 'a'), happening('Normal', 'b'), false],
    ['another object of the same name', happening('Normal', 'a'), happening('Normal', 'a', 'v'), false],
    [
      'pods that are refused',
      happening('Warning', refused('web-x4k2z')),
      happening('Warning', refused('web-bbd7f')),
      true,
    ],
    [
      'pods that are created',
      happening('Normal', 'Created pod: web-x4k2z'),
      happening('Normal', 'Created pod: web-bbd7f'),
      false,
    ],
  ])('of %s', (_title, first, second, isSame) => {
    expect(eventName(first)).toMatch(/^web\.[0-9a-f]{16}$/);
    expect(eventName(first) === eventName(second)).toBe(isSame);
  });
});
