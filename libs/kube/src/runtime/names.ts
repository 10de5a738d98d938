import { createHash } from 'node:crypto';
import { withoutEnds } from '@interlock/api';

/** The longest DNS-1123 label and the longest label value. */
const maxLength = 63;
const hashLength = 8;

/**
 * Returns the name of a child, `<parent>-<part>-…`, equal for equal arguments, so that a re-creation is a no-op. A name
 * that is too long or not a DNS-1123 label is converted, and kept distinct by a hash of the original.
 */
export function childName(parent: string, ...parts: string[]): string {
  const raw = [parent, ...parts].join('-');
  return fit(raw, raw.toLowerCase().replace(/[^a-z0-9-]+/g, '-'), '-');
}

/** Returns a label value for any text, equal for equal texts; the text itself if it is a label value. */
export function labelValue(text: string): string {
  return text === '' ? '' : fit(text, text.replace(/[^A-Za-z0-9_.-]+/g, '-'), '-_.');
}

function fit(raw: string, cleaned: string, ends: string): string {
  const trimmed = withoutEnds(cleaned, ends);
  if (trimmed === raw && raw.length <= maxLength) return raw;
  const hash = createHash('sha256').update(raw).digest('hex').slice(0, hashLength);
  const start = withoutEnds(trimmed.slice(0, maxLength - hashLength - 1), ends);
  return start === '' ? `x-${hash}` : `${start}-${hash}`;
}
