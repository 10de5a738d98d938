import { expect, test } from '@jest/globals';
import { Admission } from './admission.js';

test('connections of one client that are turned away do not take the places of other clients', () => {
  const admission = new Admission({ max: 4, maxPerClient: 2 });
  const enter = (client: string, count: number): string[] =>
    Array.from({ length: count }, () => admission.enter(client));
  expect(enter('greedy', 6)).toEqual(['admitted', 'admitted', ...Array<string>(4).fill('clientFull')]);
  expect(enter('other', 2)).toEqual(['admitted', 'admitted']);
  expect(enter('third', 1)).toEqual(['full']);
  expect(admission.open).toBe(9);
});

test('the places of connections that have ended are free again', () => {
  const admission = new Admission({ max: 2, maxPerClient: 1 });
  for (let round = 0; round < 3; round++) {
    const clients = ['a', 'b', 'b', 'c'];
    const verdicts = clients.map((client) => admission.enter(client));
    expect(verdicts).toEqual(['admitted', 'admitted', 'full', 'full']);
    clients.forEach((client, at) => admission.leave(client, verdicts[at] ?? 'drop'));
    expect(admission.open).toBe(0);
  }
});
