import { describe, expect, test } from '@jest/globals';
import { createPrivateKey, createPublicKey, generateKeyPairSync, verify, type KeyObject } from 'node:crypto';
import { readRsaKey, signAppToken } from './app-key.js';

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

/** Returns the lines of a key between the first and the last. */
const contentOf = (key: string): string[] => key.trim().split('\n').slice(1, -1);

describe('the key of a GitHub App', () => {
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

  test('signs with the key that was checked, although its first line is ignored by other readers', async () => {
    const [first, second] = [rsa, dsa].map((key) => contentOf(pemOf(key, 'pkcs8')));
    const lines = [
      `-----BEGIN PRIVATE KEY----- ${first?.join('')}`,
      ...(second ?? []),
      '-----END PRIVATE KEY-----',
    ];
    const token = await signAppToken({ appId: '1', secretKey: 'key', privateKey: lines.join('\n') }, 0);
    const [head, claims, signature = ''] = token.split('.');
    const text = Buffer.from(`${head}.${claims}`);
    expect(verify('sha256', text, createPublicKey(rsa), Buffer.from(signature, 'base64url'))).toBe(true);
  });
});
