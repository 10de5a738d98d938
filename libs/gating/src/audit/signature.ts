import { createPrivateKey, createPublicKey, sign, verify, type KeyObject } from 'node:crypto';
import type { Gate } from '@interlock/api';
import { canonicalJson } from '@interlock/base';
import type { AuditSigner, AuditVerifier } from './audit.js';

type AuditedGate = Pick<Gate, 'metadata'>;

/** Returns the signer for the records of a gate. */
export type GateAuditSigner = (gate: AuditedGate) => AuditSigner;

/** Returns the verifier for the records of a gate. */
export type GateAuditVerifier = (gate: AuditedGate) => AuditVerifier;

/**
 * Returns the signer for the digests of the records of a gate; signatures are in base64.
 *
 * A signature is valid for this gate alone: it does not match a record of another gate, nor of a gate that was created
 * again with the same name.
 *
 * @param pem private Ed25519 key (PKCS #8)
 * @throws Error for any other key
 */
export function auditSigner(pem: string): GateAuditSigner {
  const key = checked(createPrivateKey(pem));
  return (gate) => (digest) => sign(null, signedText(gate, digest), key).toString('base64');
}

/**
 * Returns the verifier for the signatures of the records of a gate.
 *
 * @param pem public or private Ed25519 key
 * @throws Error for any other key
 */
export function auditVerifier(pem: string): GateAuditVerifier {
  const key = checked(createPublicKey(pem));
  return (gate) => (digest, signature) =>
    verify(null, signedText(gate, digest), key, Buffer.from(signature, 'base64'));
}

function signedText({ metadata }: AuditedGate, digest: string): Buffer {
  const { namespace = '', name, uid = '' } = metadata;
  return Buffer.from(canonicalJson({ namespace, name, uid, digest }));
}

function checked(key: KeyObject): KeyObject {
  if (key.asymmetricKeyType !== 'ed25519')
    throw new Error(`the key is of type ${key.asymmetricKeyType ?? 'unknown'}; create an Ed25519 key`);
  return key;
}
