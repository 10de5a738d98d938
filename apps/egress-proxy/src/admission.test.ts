import { expect, test } from '@jest/globals';
import { Admission } from './admission.js';

/** Returns limits by which a connection with TLS takes the place of two others. */
function limitsOf(max: number, maxPerClient: number) {
  return { max, maxTls: max / 2, maxPerClient, maxTlsPerClient: maxPerClient / 2 };
}

test('connections of one client that are turned away do not take the places of other clients', () => {
  const admission = new Admission(limitsOf(4, 2));
  const enter = (client: string, count: number): string[] =>
    Array.from({ length: count }, () => admission.enter(client));
  expect(enter('greedy', 6)).toEqual(['admitted', 'admitted', ...Array<string>(4).fill('clientFull')]);
  expect(enter('other', 2)).toEqual(['admitted', 'admitted']);
  expect(enter('third', 1)).toEqual(['full']);
  expect(admission.open).toBe(9);
});

test('the places of connections that have ended are free again', () => {
  const admission = new Admission(limitsOf(2, 1));
  for (let round = 0; round < 3; round++) {
    const clients = ['a', 'b', 'b', 'c'];
    const verdicts = clients.map((client) => admission.enter(client));
    expect(verdicts).toEqual(['admitted', 'admitted', 'full', 'full']);
    clients.forEach((client, at) =>
      admission.leave(client, verdicts[at] === 'admitted' ? 'plain' : 'refused'),
    );
    expect(admission.open).toBe(0);
  }
});

test('a connection with TLS takes the places of as many others as it takes memory', () => {
  const admission = new Admission(limitsOf(6, 6));
  for (const client of ['a', 'b']) {
    expect(admission.enter(client)).toBe('admitted');
    expect(admission.enterTls(client)).toBe('admitted');
  }
  expect([admission.enter('c'), admission.enter('d'), admission.enter('e')]).toEqual([
    ...['admitted', 'admitted'],
    'full',
  ]);
  admission.leave('a', 'tls');
  expect([admission.enter('f'), admission.enter('f'), admission.enter('f')]).toEqual([
    ...['admitted', 'admitted'],
    'full',
  ]);
});

test('a connection that is too much once it uses TLS is refused, and leaves its place to others', () => {
  const admission = new Admission(limitsOf(8, 4));
  for (let at = 0; at < 3; at++) expect(admission.enter('a')).toBe('admitted');
  expect([admission.enterTls('a'), admission.enterTls('a'), admission.enter('a')]).toEqual([
    ...['admitted', 'clientFull'],
    'admitted',
  ]);
  for (let at = 0; at < 4; at++) expect(admission.enter('b')).toBe('admitted');
  expect(admission.enterTls('b')).toBe('full');
  admission.leave('a', 'refused');
  expect(admission.open).toBe(7);
});
