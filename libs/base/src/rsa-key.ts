import { createPrivateKey, type KeyObject } from 'node:crypto';

/** The limits of a key: one of 4,096 bits has 3,300 characters, and the keys of GitHub have 2,048 bits and the exponent 65,537. */
const max = { characters: 4 * 1024, modulusBits: 4096, exponent: 0xffffffffn } as const;

const pem = /^-----BEGIN (RSA )?PRIVATE KEY-----\s([A-Za-z0-9+/=\s]+)-----END \1PRIVATE KEY-----$/;

/**
 * The bytes with which the content of an RSA key begins: the version, then the algorithm rsaEncryption in PKCS#8 (RFC 5208), or a
 * number in PKCS#1 (RFC 8017). OpenSSL also reads keys of other algorithms in PKCS#8 where PKCS#1 is expected.
 */
const starts = {
  pkcs8: Buffer.from('020100300d06092a864886f70d0101010500', 'hex'),
  pkcs1: Buffer.from('02010002', 'hex'),
} as const;

/**
 * Returns the one private key of RSA in a text in PEM, of PKCS#1 or PKCS#8, as PKCS#8; undefined for any other text. OpenSSL must
 * not read any other: for the key of another algorithm that fills a Secret it calculates for hours, which blocks the process for all
 * tenants. A signature with a huge modulus or exponent takes half a minute of one of the four threads that also resolve names. Pure.
 */
export function readRsaKey(text: string): string | undefined {
  /* Line breaks are often escaped in environment variables. */
  const [, label, base64] =
    pem.exec(text.length <= max.characters ? text.replaceAll('\\n', '\n').trim() : '') ?? [];
  if (base64 === undefined) return undefined;
  const der = Buffer.from(base64, 'base64');
  const type = label === undefined ? 'pkcs8' : 'pkcs1';
  if (contentOf(der).indexOf(starts[type]) !== 0) return undefined;
  const key = keyOf(der, type);
  if (key === undefined) return undefined;
  const { modulusLength, publicExponent } = key.asymmetricKeyDetails ?? {};
  if (modulusLength === undefined || modulusLength > max.modulusBits) return undefined;
  if (publicExponent === undefined || publicExponent > max.exponent) return undefined;
  /* Others must not read the text, of which universal-github-app-jwt ignores the whole first line: the rest could be another key. */
  return key.export({ type: 'pkcs8', format: 'pem' }).toString();
}

function keyOf(der: Buffer, type: 'pkcs1' | 'pkcs8'): KeyObject | undefined {
  try {
    return createPrivateKey({ key: der, format: 'der', type });
  } catch {
    return undefined;
  }
}

/** Returns the content of a structure in DER. */
function contentOf(der: Buffer): Buffer {
  const [, length = 0] = der;
  /* A long length is preceded by the number of its bytes (X.690, 8.1.3.5). */
  return der.subarray(2 + (length > 0x80 ? length - 0x80 : 0));
}
