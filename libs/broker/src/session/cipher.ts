import { TypedError } from '@interlock/api';
import { constants, createDecipheriv, privateDecrypt } from 'node:crypto';
import type { Fields } from '../wire/fields.js';
import type { Envelope } from '../wire/message.js';
import type { RsaPrivateKey } from '../wire/rsa-key.js';

const blockBytes = 16;
const keyBytes = 32;

/**
 * Returns the key of a session whose messages are encrypted; undefined if they are plain. The service encrypts it for the
 * runner with RSA-OAEP and SHA-1 or SHA-256, and does not state which.
 *
 * @throws TypedError `Invalid` when it cannot be decrypted
 */
export function readSessionKey(session: Fields, privateKey: () => RsaPrivateKey): Buffer | undefined {
  const fields = session.fields('encryptionKey');
  const value = fields.text('value');
  if (value === undefined) return undefined;
  const bytes = Buffer.from(value, 'base64');
  const key = fields.flag('encrypted') === true ? decryptKey(bytes, privateKey()) : bytes;
  if (key?.length !== keyBytes) throw unreadable('the key of the session');
  return key;
}

function decryptKey(bytes: Buffer, key: RsaPrivateKey): Buffer | undefined {
  for (const oaepHash of ['sha256', 'sha1']) {
    try {
      return privateDecrypt({ ...key, padding: constants.RSA_PKCS1_OAEP_PADDING, oaepHash }, bytes);
    } catch {
      /* The key may be encrypted with the other hash. */
    }
  }
  return undefined;
}

/**
 * Returns the envelope with its body decrypted: AES-256-CBC with the `iv` of the envelope, or with the first block of
 * the body.
 *
 * @throws TypedError `Invalid` when it cannot be decrypted
 */
export function decryptEnvelope(envelope: Envelope, key: Buffer | undefined): Envelope {
  if (key === undefined || envelope.body.trimStart().startsWith('{')) return envelope;
  const bytes = Buffer.from(envelope.body, 'base64');
  const iv = envelope.iv === undefined ? bytes.subarray(0, blockBytes) : Buffer.from(envelope.iv, 'base64');
  const content = envelope.iv === undefined ? bytes.subarray(blockBytes) : bytes;
  try {
    const decipher = createDecipheriv('aes-256-cbc', key, iv);
    const body = Buffer.concat([decipher.update(content), decipher.final()]).toString('utf8');
    return { ...envelope, body };
  } catch {
    throw unreadable('a message');
  }
}

function unreadable(what: string): TypedError {
  return new TypedError('Invalid', `${what} of the broker cannot be decrypted`, {
    reason: 'MalformedAnswer',
  });
}
