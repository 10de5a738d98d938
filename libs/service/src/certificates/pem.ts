import { createPrivateKey, X509Certificate, type KeyObject } from 'node:crypto';

const block = /^\s*-----BEGIN ([A-Z ]+)-----\s([A-Za-z0-9+/=\s]+)-----END \1-----\s*$/;

/** The identifier with which an elliptic curve begins that is described instead of named, without its last number (RFC 3279, 2.3.5). */
const fieldType = Buffer.from('2a8648ce3d01', 'hex');
/** The identifier of a public key on an elliptic curve, which the name of the curve and a point follow (RFC 5480, 2). */
const ecPublicKey = Buffer.from('2a8648ce3d0201', 'hex');

/**
 * Returns the certificate in a text in PEM of a tenant. OpenSSL blocks the process while it reads some points: a quarter of a second for
 * 700 characters if the certificate describes the curve, and milliseconds for 220 characters if the point is compressed. Such
 * certificates are refused. Pure.
 *
 * @throws an Error for any text but one certificate
 */
export function readCertificate(text: string): X509Certificate {
  const der = checked(text);
  for (let at = der.indexOf(ecPublicKey); at >= 0; at = der.indexOf(ecPublicKey, at + 1)) {
    if (!isUncompressed(der.subarray(at + ecPublicKey.length)))
      throw new Error('its public key is a compressed point; use an uncompressed point');
  }
  return new X509Certificate(text);
}

/** Returns whether an identifier and a string of bits follow, of which the latter is an uncompressed point (SEC 1, 2.3.3). */
function isUncompressed(der: Buffer): boolean {
  const [, nameLength = 0] = der;
  const [tag, length, ...content] = der.subarray(2 + nameLength, 7 + nameLength);
  const [unusedBits, form] = length === 0x81 ? content.slice(1) : content;
  return tag === 0x03 && unusedBits === 0 && form === 0x04;
}

/** Returns the private key in a text in PEM, as {@link readCertificate} does. @throws an Error for any text but one private key */
export function readPrivateKey(text: string): KeyObject {
  checked(text);
  return createPrivateKey(text);
}

/** Returns the bytes of the one block in a text in PEM. */
function checked(text: string): Buffer {
  const [, , base64] = block.exec(text) ?? [];
  if (base64 === undefined) throw new Error('it is not one block in PEM');
  const der = Buffer.from(base64, 'base64');
  if (der.includes(fieldType))
    throw new Error('its elliptic curve has no name; use a named curve, such as P-256');
  return der;
}
