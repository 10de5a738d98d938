import { createHash } from 'node:crypto';
import { TypedError } from '@interlock/api';

/** The data of a Secret, decoded. */
type SecretData = Readonly<Record<string, string>>;

/**
 * @param why the key is needed, for the message, such as `spec.github.appID is set`.
 * @throws TypedError `Unauthorized` naming the key when it is absent or empty.
 */
export function readSecretKey(secret: SecretData, key: string, why: string): string {
  const value = secret[key]?.trim() ?? '';
  if (value !== '') return value;
  throw new TypedError('Unauthorized', `the Secret lacks the key ${key}, which is needed because ${why}`, {
    reason: 'SecretKeyMissing',
  });
}

/**
 * Returns the token under the key `token`, which is valid in a header.
 *
 * @param why as in {@link readSecretKey}.
 * @param name the name of the key in the Secret itself, for the message.
 * @throws TypedError `Unauthorized` naming the key.
 */
export function readToken(secret: SecretData, why: string, name = 'token'): string {
  const token = readSecretKey(secret, 'token', why);
  if (/^[\x21-\x7e]+$/.test(token)) return token;
  throw new TypedError(
    'Unauthorized',
    `the Secret's key ${name} contains characters that a token cannot contain`,
    {
      reason: 'InvalidSecret',
    },
  );
}

/** Returns an identifier of a credential that does not reveal it: a digest of all its parts, including its secret. */
export function digestOf(parts: readonly (string | number)[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('base64url');
}
