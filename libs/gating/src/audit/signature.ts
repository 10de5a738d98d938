import { createPrivateKey, createPublicKey, sign, verify, type KeyObject } from 'node:crypto';
import type { Gate } from '@interlock/api';
import { canonicalJson } from '@interlock/base';
import type { AuditSigner, AuditVerifier } from './audit.js';

type AuditedGate = Pick<Gate, 'metadata'>;

/** Returns what signs the records of a gate. */
export type GateAuditSigner = (gate: AuditedGate) => AuditSigner;

/** Returns what checks the signatures of the records of a gate. */
export type GateAuditVerifier = (gate: AuditedGate) => AuditVerifier;

/**
 * Returns what signs the digests of the records of a gate, in base64. A signature is for this gate alone: it does not fit
 * the record of another one, nor that of a gate which is made anew with the same name.
 *
 * @param pem private key of Ed25519 (PKCS #8).
 * @throws Error for any other key.
 */
export function auditSigner(pem: string): GateAuditSigner {
  const key = checked(createPrivateKey(pem));
  return (gate) => (digest) => sign(null, signedText(gate, digest), key).toString('base64');
}

/**
 * Returns what checks the signatures of the records of a gate.
 *
 * @param pem key of Ed25519, public or private.
 * @throws Error for any other key.
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
    throw new Error(`it is a key of type ${key.asymmetricKeyType ?? 'unknown'}; make one of Ed25519`);
  return key;
}
