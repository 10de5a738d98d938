import { createPrivateKey, X509Certificate, type KeyObject } from 'node:crypto';

const block = /^\s*-----BEGIN ([A-Z ]+)-----\s([A-Za-z0-9+/=\s]+)-----END \1-----\s*$/;

/** The identifier with which an elliptic curve begins that is described instead of named, without its last number (RFC 3279, 2.3.5). */
const fieldType = Buffer.from('2a8648ce3d01', 'hex');

/**
 * Returns the certificate in a text in PEM of a tenant. OpenSSL blocks the process while it reads the points of a curve that the
 * certificate itself describes, a quarter of a second for each certificate of 700 characters, so such a certificate is refused. Pure.
 *
 * @throws an Error for any text but one certificate
 */
export function readCertificate(text: string): X509Certificate {
  return new X509Certificate(checked(text));
}

/** Returns the private key in a text in PEM, as {@link readCertificate} does. @throws an Error for any text but one private key */
export function readPrivateKey(text: string): KeyObject {
  return createPrivateKey(checked(text));
}

function checked(text: string): string {
  const [, , base64] = block.exec(text) ?? [];
  if (base64 === undefined) throw new Error('it is not one block in PEM');
  if (Buffer.from(base64, 'base64').includes(fieldType))
    throw new Error('its elliptic curve has no name; use a named curve, such as P-256');
  return text;
}
