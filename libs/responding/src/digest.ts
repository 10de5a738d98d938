import { createHash } from 'node:crypto';
import { canonicalJson } from '@interlock/base';

/** Returns the SHA-256 (hex) of a value; that of equal values is equal, however their fields are ordered. */
export function digestOf(value: unknown): string {
  return createHash('sha256').update(canonicalJson(value)).digest('hex');
}
