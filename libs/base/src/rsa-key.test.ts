import { describe, expect, test } from '@jest/globals';
import crypto, { createPrivateKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';
import { readRsaKey } from './rsa-key.js';

const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey;
const dsa = generateKeyPairSync('dsa', { modulusLength: 1024, divisorLength: 160 }).privateKey;
const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;

/** Returns the key with other numbers, which OpenSSL does not check. */
const changed = (numbers: { n?: Buffer; e?: Buffer }): KeyObject => {
  const texts = Object.entries(numbers).map(([name, bytes]) => [name, bytes.toString('base64url')]);
  return createPrivateKey({
    key: { ...rsa.export({ format: 'jwk' }), ...Object.fromEntries(texts) },
    format: 'jwk',
  });
};

const pemOf = (key: KeyObject, type: 'pkcs1' | 'pkcs8'): string =>
  key.export({ type, format: 'pem' }).toString();

describe('an RSA key', () => {
  test.each([
    ['in PKCS#1', pemOf(rsa, 'pkcs1')],
    ['in PKCS#8', pemOf(rsa, 'pkcs8')],
    ['with escaped line breaks', pemOf(rsa, 'pkcs8').replaceAll('\n', '\\n')],
    ['with line breaks of Windows', pemOf(rsa, 'pkcs1').replaceAll('\n', '\r\n')],
  ])('is read %s', (_how, key) => {
    expect(readRsaKey(key)).toBe(pemOf(rsa, 'pkcs8'));
  });

  test.each([
    ['of DSA, whose public key is calculated when it is read', pemOf(dsa, 'pkcs8')],
    ['of an elliptic curve', pemOf(ec, 'pkcs8')],
    ['that a second key follows', pemOf(rsa, 'pkcs1') + pemOf(dsa, 'pkcs8')],
    ['that follows a second key', pemOf(dsa, 'pkcs8') + pemOf(rsa, 'pkcs8')],
    [
      'whose signature takes seconds because of its modulus',
      pemOf(changed({ n: Buffer.alloc(513, 0xff) }), 'pkcs1'),
    ],
    [
      'whose signature takes seconds because of its exponent',
      pemOf(changed({ e: Buffer.alloc(256, 0x7f) }), 'pkcs8'),
    ],
    ['that is longer than any key of GitHub', pemOf(rsa, 'pkcs8') + '\n'.repeat(8_192)],
    ['that is not in PEM', 'key'],
    ['that is empty', '-----BEGIN PRIVATE KEY-----\n=\n-----END PRIVATE KEY-----'],
  ])('is not read %s', (_how, key) => {
    expect(readRsaKey(key)).toBeUndefined();
  });
});

/** Returns how many keys OpenSSL reads when a text is read. */
function keysReadFrom(text: string): number {
  const original = crypto.createPrivateKey;
  let count = 0;
  crypto.createPrivateKey = (key) => (count++, original(key));
  syncBuiltinESMExports();
  try {
    readRsaKey(text);
  } finally {
    crypto.createPrivateKey = original;
    syncBuiltinESMExports();
  }
  return count;
}

test.each([
  ['a key of RSA', pemOf(rsa, 'pkcs1'), 1],
  [
    'no key of DSA in the form of one of RSA, because it calculates the public key',
    pemOf(dsa, 'pkcs8').replaceAll('PRIVATE', 'RSA PRIVATE'),
    0,
  ],
])('OpenSSL reads %s', (_what, text, count) => {
  expect(keysReadFrom(text)).toBe(count);
});
