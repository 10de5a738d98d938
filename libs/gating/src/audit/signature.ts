import { createPrivateKey, createPublicKey, sign, verify, type KeyObject } from 'node:crypto';
import type { AuditSigner, AuditVerifier } from './audit.js';

/**
 * Returns what signs the digests of records, in base64.
 *
 * @param pem private key of Ed25519 (PKCS #8).
 * @throws Error for any other key.
 */
export function auditSigner(pem: string): AuditSigner {
  const key = checked(createPrivateKey(pem));
  return (digest) => sign(null, Buffer.from(digest), key).toString('base64');
}

/**
 * Returns what checks signatures.
 *
 * @param pem key of Ed25519, public or private.
 * @throws Error for any other key.
 */
export function auditVerifier(pem: string): AuditVerifier {
  const key = checked(createPublicKey(pem));
  return (digest, signature) => verify(null, Buffer.from(digest), key, Buffer.from(signature, 'base64'));
}

function checked(key: KeyObject): KeyObject {
  if (key.asymmetricKeyType !== 'ed25519')
    throw new Error(`it is a key of type ${key.asymmetricKeyType ?? 'unknown'}; make one of Ed25519`);
  return key;
}
