import { expect, test } from '@jest/globals';
import { generateKeyPairSync } from 'node:crypto';
import { readPrivateKey } from './pem.js';

const keyOf = (paramEncoding: 'explicit' | 'named', type: 'pkcs8' | 'sec1'): string => {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256', paramEncoding });
  return privateKey.export({ type, format: 'pem' }).toString();
};

test.each(['pkcs8', 'sec1'] as const)('reads a key of a named curve in %s', (type) => {
  expect(readPrivateKey(`\n${keyOf('named', type)}\n`).asymmetricKeyDetails?.namedCurve).toBe('prime256v1');
});

test.each(['pkcs8', 'sec1'] as const)('does not read a key that describes its curve in %s', (type) => {
  expect(() => readPrivateKey(keyOf('explicit', type))).toThrow('use a named curve');
});

test.each([
  ['a key before it', (key: string) => key + key],
  ['a byte that readers of PEM treat differently', (key: string) => key.replace('A', '\0A')],
  ['a header', (key: string) => key.replace('\n', '\nName: value\n\n')],
])('does not read a key with %s', (_, change) => {
  expect(() => readPrivateKey(change(keyOf('named', 'pkcs8')))).toThrow('it is not one block in PEM');
});
