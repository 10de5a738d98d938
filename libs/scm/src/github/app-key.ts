import { TypedError } from '@interlock/api';
import { createPrivateKey } from 'node:crypto';
import githubAppJwt from 'universal-github-app-jwt';
import type { AppKey } from './account.js';

/** The limits of a key: one of 4,096 bits has 3,300 characters, and the keys of GitHub have 2,048 bits and the exponent 65,537. */
const max = { characters: 4 * 1024, modulusBits: 4096, exponent: 0xffffffffn } as const;

const pem = /^-----BEGIN (RSA )?PRIVATE KEY-----\s([A-Za-z0-9+/=\s]+)-----END \1PRIVATE KEY-----$/;

/** The version and the algorithm rsaEncryption with which the content of an RSA key in PKCS#8 begins (RFC 5208, RFC 8017). */
const rsaInPkcs8 = Buffer.from('020100300d06092a864886f70d0101010500', 'hex');

/**
 * Returns the one private key of RSA in a text in PEM, of PKCS#1 or PKCS#8, as PKCS#8; undefined if it is another key. OpenSSL must
 * not read any other: for the key of another algorithm that fills a Secret it calculates for hours, which blocks the process for all
 * tenants. A signature with a huge modulus or exponent takes half a minute of one of the four threads that also resolve names. Pure.
 *
 * @throws an Error for a damaged key, which may quote it
 */
export function readRsaKey(text: string): string | undefined {
  /* Line breaks are often escaped in environment variables. */
  const [, pkcs1, base64] =
    pem.exec(text.length <= max.characters ? text.replaceAll('\\n', '\n').trim() : '') ?? [];
  if (base64 === undefined) return undefined;
  const der = Buffer.from(base64, 'base64');
  if (pkcs1 === undefined && contentOf(der).indexOf(rsaInPkcs8) !== 0) return undefined;
  const type = pkcs1 === undefined ? 'pkcs8' : 'pkcs1';
  const key = createPrivateKey({ key: der, format: 'der', type });
  const { modulusLength, publicExponent } = key.asymmetricKeyDetails ?? {};
  if (modulusLength === undefined || modulusLength > max.modulusBits) return undefined;
  if (publicExponent === undefined || publicExponent > max.exponent) return undefined;
  /* The library must not read the text, of which it ignores the whole first line: the rest could be another key. */
  return key.export({ type: 'pkcs8', format: 'pem' }).toString();
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
  { appId, privateKey: text, secretKey }: Omit<AppKey, 'kind' | 'installationId'>,
  now: number,
): Promise<string> {
  try {
    const privateKey = readRsaKey(text);
    if (privateKey !== undefined) return (await githubAppJwt({ id: appId, privateKey, now })).token;
  } catch {
    // The errors may quote the key, so they are not passed on.
  }
  throw new TypedError('Unauthorized', `the key ${secretKey} of the Secret is not an RSA key in PEM`, {
    reason: 'InvalidSecret',
  });
}
