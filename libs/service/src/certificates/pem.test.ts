import { expect, test } from '@jest/globals';
import { generateKeyPairSync } from 'node:crypto';
import { rootCertificates } from 'node:tls';
import { generate } from 'selfsigned';
import { readCertificate, readPrivateKey } from './pem.js';

/** A certificate whose public key is a compressed point. */
const compressed = [
  '-----BEGIN CERTIFICATE-----',
  'MIH0MIGbAhRC7XNAHsKtJG48Xf73ubnaOm2AhzAKBggqhkjOPQQDAjAMMQowCAYD',
  'VQQDDAFhMCAXDTI2MTEyNzE4NTcyNloYDzIxMjYxMTAzMTg1NzI2WjAMMQowCAYD',
  'VQQDDAFhMDkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDIgADVVDKdoBN592d/LsI7COO',
  'stwdbqRF9cGYvOuKsRR1pDowCgYIKoZIzj0EAwIDSAAwRQIhAMjoWMYA7PW9o/Tb',
  'QSpIFP1HDiwffL/XQ2QXjrR5phXdAiB6xxuyBKoaaggnfZxF5tnIRsWw6KPOrDHk',
  'FT0zInlD4Q==',
  '-----END CERTIFICATE-----',
].join('\n');

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

test('reads the certificates of public authorities', () => {
  expect(rootCertificates.map((text) => readCertificate(text).ca)).not.toContain(false);
});

test.each(['P-256', 'P-384', 'P-521'] as const)('reads a certificate with a key of %s', async (curve) => {
  const { cert } = await generate([{ name: 'commonName', value: 'a' }], { keyType: 'ec', curve });
  expect(readCertificate(cert).publicKey.asymmetricKeyType).toBe('ec');
});

test('does not read a certificate with a compressed point, which OpenSSL has to calculate', () => {
  expect(() => readCertificate(compressed)).toThrow('use an uncompressed point');
});
