import { describe, expect, test } from '@jest/globals';
import { createPublicKey, verify, constants } from 'node:crypto';
import fc from 'fast-check';
import { createJitConfig, encodeJitConfig } from '../testing/jit-config.js';
import { signAssertion } from '../token/assertion.js';
import { compactConfig, expandConfig } from './compact-config.js';
import { parseJitConfig } from './jit-config.js';

const { encoded, publicKey } = createJitConfig();
const runner = { agentid: 7, AGENTNAME: 'a-1', serverUrl: 'https://broker.example/' };
const credentials = { data: { clientid: 'c', authorizationurl: 'https://token.example/' } };

describe('parseJitConfig', () => {
  test('reads the three files', () => {
    const config = parseJitConfig(encoded);
    expect(config).toMatchObject({
      ...{ brokerUrl: 'https://broker.example/', clientId: 'client-1' },
      ...{ authorizationUrl: 'https://token.example/', requiresFips: false },
    });
    expect(createPublicKey(config.key).equals(publicKey)).toBe(true);
  });

  test.each([true, 'true', 'True'])('reads the flag for FIPS when it is %j', (requiresFips) => {
    expect(parseJitConfig(createJitConfig({ requiresFips }).encoded).requiresFips).toBe(true);
  });

  test.each([
    ['no files', encodeJitConfig({}), 'has no .runner'],
    ['no URL', encodeJitConfig({ '.runner': {}, '.credentials': {} }), 'has no .runner: ServerUrlV2'],
    [
      'a byte order mark and no key',
      encodeJitConfig({ '.runner': `\uFEFF${JSON.stringify(runner)}`, '.credentials': credentials }),
      'has no .credentials_rsaparams',
    ],
    [
      'half a key',
      encodeJitConfig({
        '.runner': runner,
        '.credentials': credentials,
        '.credentials_rsaparams': { modulus: 'AQAB' },
      }),
      'rsaparams: exponent',
    ],
    ['other bytes than JSON', 'AAAA', 'the JIT config of the runner is not JSON'],
    [
      'a file that is not JSON',
      Buffer.from('{".runner":"AAAA"}').toString('base64'),
      '.runner of the JIT config of the runner is not JSON',
    ],
    ['too many characters', 'A'.repeat(300_000), 'is longer than'],
  ])('refuses a config with %s, without quoting it', (_name, text, message) => {
    expect(() => parseJitConfig(text)).toThrow(message);
  });
});

describe('signAssertion', () => {
  test.each([
    ['RS256', false, constants.RSA_PKCS1_PADDING],
    ['PS256', true, constants.RSA_PKCS1_PSS_PADDING],
  ])('signs with %s, for at most five minutes', (alg, requiresFips, padding) => {
    const now = Date.UTC(2026, 0, 1);
    const [header = '', claims = '', signature = ''] = signAssertion(
      { ...parseJitConfig(encoded), requiresFips },
      now,
    ).split('.');
    const read = (part: string): unknown => JSON.parse(Buffer.from(part, 'base64url').toString());
    expect(read(header)).toEqual({ typ: 'JWT', alg });
    expect(read(claims)).toMatchObject({
      iss: 'client-1',
      aud: 'https://token.example/',
      nbf: now / 1000,
      exp: now / 1000 + 300,
    });
    const key =
      padding === constants.RSA_PKCS1_PSS_PADDING
        ? { key: publicKey, padding, saltLength: 32 }
        : { key: publicKey, padding };
    expect(
      verify('sha256', Buffer.from(`${header}.${claims}`), key, Buffer.from(signature, 'base64url')),
    ).toBe(true);
  });
});

describe('compactConfig', () => {
  test('compresses a config to little more than half and restores the same text', () => {
    const compact = compactConfig(encoded);
    expect(expandConfig(compact)).toBe(encoded);
    expect(typeof compact === 'string' ? compact.length : compact.bytes.length).toBeLessThan(
      encoded.length * 0.6,
    );
  });

  test('restores every text', () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.string(), fc.dictionary(fc.string(), fc.jsonValue()).map(encodeJitConfig)),
        (text) => {
          expect(expandConfig(compactConfig(text))).toBe(text);
        },
      ),
    );
  });
});
