import { expect, test } from '@jest/globals';
import { createPublicKey, generateKeyPairSync, verify, type KeyObject } from 'node:crypto';
import { signAppToken } from './app-key.js';

const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey;
const dsa = generateKeyPairSync('dsa', { modulusLength: 1024, divisorLength: 160 }).privateKey;

/** Returns the lines of a key in PEM between the first and the last. */
const contentOf = (key: KeyObject): string[] =>
  key.export({ type: 'pkcs8', format: 'pem' }).toString().trim().split('\n').slice(1, -1);

test('signs with the key that was checked, although its first line is ignored by other readers', async () => {
  const [first, second] = [rsa, dsa].map(contentOf);
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
