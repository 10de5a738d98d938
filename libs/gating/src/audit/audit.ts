import { createHash } from 'node:crypto';
import type { AuditRecord } from '@interlock/api';
import { canonicalDigest } from '@interlock/base';

/** A record before it is chained. */
export type AuditEntry = Omit<AuditRecord, 'sequence' | 'previous' | 'digest' | 'signature'>;

/** Returns the signature of a digest. */
export type AuditSigner = (digest: string) => string;

/** Returns whether a signature belongs to a digest. */
export type AuditVerifier = (digest: string, signature: string) => boolean;

/** The position at which a chain of records is broken. */
interface AuditBreak {
  /** Index of the record, starting at 0. */
  index: number;
  message: string;
}

/** The maximum number of records in a status, according to the schema of Gate. */
const maxRecords = 20;

/**
 * Returns the history with the entry appended as its newest record, chained to the previous one.
 *
 * `previous` is the digest of the previous record, or of the empty text for the first one. `digest` is the SHA-256
 * digest of the canonical JSON (keys sorted, no white space) of the record without `digest` and `signature`. At most 20
 * records are kept; `sequence` counts all of them.
 */
export function appendAudit(
  history: readonly AuditRecord[] | undefined,
  entry: AuditEntry,
  sign?: AuditSigner,
): AuditRecord[] {
  const last = history?.at(-1);
  const previous = last?.digest ?? sha256('');
  const sequence = (last?.sequence ?? history?.length ?? 0) + 1;
  const record = { ...entry, sequence, previous };
  const digest = digestOf(record);
  const signed = { ...record, digest, ...(sign && { signature: sign(digest) }) };
  return [...(history ?? []), signed].slice(-maxRecords);
}

/**
 * Returns where the records were changed or are out of order; an empty list means that the chain is intact.
 *
 * Changes before the first record that is kept cannot be detected. Without `isSigned`, it cannot be detected either
 * whether a user with write access to the status replaced the whole chain.
 */
export function verifyAudit(
  history: readonly AuditRecord[] | undefined,
  isSigned?: AuditVerifier,
): AuditBreak[] {
  return (history ?? []).flatMap(({ digest, signature, ...record }, index) => {
    const breaks: AuditBreak[] = [];
    if (digestOf(record) !== digest)
      breaks.push({ index, message: `the record of ${record.at} was changed: its digest does not match` });
    if (isSigned !== undefined && !(signature !== undefined && isSigned(digest, signature)))
      breaks.push({
        index,
        message:
          signature === undefined
            ? `the record of ${record.at} is not signed`
            : `the record of ${record.at} is not signed with this key`,
      });
    const before = index === 0 ? undefined : history?.[index - 1];
    if (before !== undefined && record.previous !== before.digest)
      breaks.push({
        index,
        message: `the record of ${record.at} does not follow the record of ${before.at}: a record is missing or misplaced`,
      });
    return breaks;
  });
}

function digestOf(record: Omit<AuditRecord, 'digest' | 'signature'>): string {
  return canonicalDigest(record);
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
