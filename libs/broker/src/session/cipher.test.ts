import { describe, expect, test } from '@jest/globals';
import { constants, createCipheriv, generateKeyPairSync, publicEncrypt, type KeyObject } from 'node:crypto';
import { Fields } from '../wire/fields.js';
import type { Envelope } from '../wire/message.js';
import type { RsaPrivateKey } from '../wire/rsa-key.js';
import { decryptEnvelope, readSessionKey } from './cipher.js';

const generated = generateKeyPairSync('rsa', { modulusLength: 2048 });
const { publicKey } = generated;
const der = { format: 'der', type: 'pkcs1' } as const;
const privateKey: RsaPrivateKey = { key: generated.privateKey.export(der), ...der };
/* Fixed, because one of 256 other keys leaves bytes that look like padding. */
const key = Buffer.alloc(32, 1);
const session = (encryptionKey: object): Fields => new Fields({ encryptionKey });
const encrypted = (oaepHash: string, to: KeyObject = publicKey): string =>
  publicEncrypt({ key: to, padding: constants.RSA_PKCS1_OAEP_PADDING, oaepHash }, key).toString('base64');
const noKey = (): RsaPrivateKey => {
  throw new Error('the key of the runner is not needed');
};

describe('readSessionKey', () => {
  test.each(['sha1', 'sha256'])('decrypts a key that was encrypted with %s', (hash) => {
    const fields = session({ encrypted: true, value: encrypted(hash) });
    expect(readSessionKey(fields, () => privateKey)).toEqual(key);
  });

  test('accepts an unencrypted key, and needs none if messages are plain text', () => {
    const value = key.toString('base64');
    expect(readSessionKey(session({ encrypted: false, value }), noKey)).toEqual(key);
    expect(readSessionKey(session({ value }), noKey)).toEqual(key);
    expect(readSessionKey(new Fields({ encryptionKey: null }), noKey)).toBeUndefined();
  });

  test.each([
    ['a key of another length', { value: Buffer.alloc(16).toString('base64') }],
    [
      'a key for another runner',
      {
        encrypted: true,
        value: encrypted('sha1', generateKeyPairSync('rsa', { modulusLength: 2048 }).publicKey),
      },
    ],
    ['a value that is not a key', { encrypted: true, value: 'x' }],
  ])('refuses %s without quoting it', (_name, value) => {
    expect(() => readSessionKey(session(value), () => privateKey)).toThrow(
      'the key of the session of the broker cannot be decrypted',
    );
  });
});

describe('decryptEnvelope', () => {
  const text = '\uFEFF{"runner_request_id":"r","note":"naïve 🚄"}';
  const iv = Buffer.alloc(16, 3);
  const cipher = createCipheriv('aes-256-cbc', key, iv);
  const content = Buffer.concat([cipher.update(text), cipher.final()]);
  const envelope = (body: Buffer | string, withIv?: Buffer): Envelope => ({
    type: 'runnerjobrequest',
    body: typeof body === 'string' ? body : body.toString('base64'),
    iv: withIv?.toString('base64'),
  });

  test('decrypts a body with the vector in its envelope, or with the vector at the beginning of the body', () => {
    expect(decryptEnvelope(envelope(content, iv), key).body).toBe(text);
    expect(decryptEnvelope(envelope(Buffer.concat([iv, content])), key).body).toBe(text);
  });

  test('does not change a body that is plain, or for which there is no key', () => {
    expect(decryptEnvelope(envelope(' {"a":1}', iv), key).body).toBe(' {"a":1}');
    expect(decryptEnvelope(envelope(content, iv), undefined).body).toBe(content.toString('base64'));
  });

  test.each([
    ['another key', content, iv, Buffer.alloc(32, 2)],
    ['half a block', content.subarray(0, 20), iv, key],
    ['nothing', Buffer.alloc(0), undefined, key],
    ['a short vector', content, iv.subarray(0, 8), key],
  ])('refuses a body with %s without quoting it', (_name, body, vector, other) => {
    expect(() => decryptEnvelope(envelope(body, vector), other)).toThrow(
      'a message of the broker cannot be decrypted',
    );
  });
});
