import { TypedError } from '@interlock/api';
import githubAppJwt from 'universal-github-app-jwt';
import type { AppKey } from './account.js';

/** The longest accepted key: one of RSA with 8,192 bits has 6,400 characters, and the keys of GitHub have 2,048 bits. */
const maxLength = 8 * 1024;

const pem = /^-----BEGIN (RSA )?PRIVATE KEY-----\s([A-Za-z0-9+/=\s]+)-----END \1PRIVATE KEY-----$/;

/** The version and the algorithm rsaEncryption with which the content of an RSA key in PKCS#8 begins (RFC 5208, RFC 8017). */
const rsaInPkcs8 = Buffer.from('020100300d06092a864886f70d0101010500', 'hex');

/**
 * Returns whether a text is one private key of RSA in PEM, of PKCS#1 or PKCS#8. OpenSSL must not read any other: for the key of another
 * algorithm that fills a Secret it calculates for hours, which blocks the process for all tenants. Pure.
 */
export function isRsaKey(text: string): boolean {
  /* The library that signs with the key also replaces escaped line breaks. */
  const [, pkcs1, base64] =
    pem.exec(text.length <= maxLength ? text.replaceAll('\\n', '\n').trim() : '') ?? [];
  if (base64 === undefined) return false;
  return pkcs1 !== undefined || contentOf(Buffer.from(base64, 'base64')).indexOf(rsaInPkcs8) === 0;
}

/** Returns the content of a structure in DER. */
function contentOf(der: Buffer): Buffer {
  const [, length = 0] = der;
  /* A long length is preceded by the number of its bytes (X.690, 8.1.3.5). */
  return der.subarray(2 + (length > 0x80 ? length - 0x80 : 0));
}

/**
 * Returns a token that identifies a GitHub App.
 *
 * @param now in seconds since the epoch
 * @throws TypedError `Unauthorized` naming the key of the Secret
 */
export async function signAppToken(
  { appId, privateKey, secretKey }: Omit<AppKey, 'kind' | 'installationId'>,
  now: number,
): Promise<string> {
  try {
    if (isRsaKey(privateKey)) return (await githubAppJwt({ id: appId, privateKey, now })).token;
  } catch {
    // The library's errors may quote the key, so they are not passed on.
  }
  throw new TypedError('Unauthorized', `the key ${secretKey} of the Secret is not an RSA key in PEM`, {
    reason: 'InvalidSecret',
  });
}
