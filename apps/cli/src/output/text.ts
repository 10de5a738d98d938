import { conditions, type Condition } from '@interlock/api';

/** Returns a time in the format of the API; an empty text if there is no time. */
export function timeText(ms: number | undefined): string {
  return ms === undefined || !Number.isFinite(ms) ? '' : new Date(ms).toISOString().replace('.000Z', 'Z');
}

/** Returns the status of the condition Ready: `True`, `False` or `Unknown`; `False` if there is no condition yet. */
export function readyText(object: { status?: { conditions?: Condition[] | undefined } }): string {
  return object.status?.conditions?.find(({ type }) => type === conditions.ready)?.status ?? 'False';
}

export const notReconciled = 'waiting to be reconciled';

/** Returns the revision with hex digests abbreviated to eight digits, like Flux. */
export function shortRevision(revision: string | undefined): string {
  return (revision ?? '').replace(/\b([0-9a-f]{8})[0-9a-f]{32,}\b/g, '$1');
}

/**
 * Returns the age of a timestamp of the API in its largest unit, like kubectl; an empty text if there is no timestamp.
 */
export function ageText(timestamp: string | undefined, now: number): string {
  const seconds = Math.floor((now - Date.parse(timestamp ?? '')) / 1000);
  if (Number.isNaN(seconds)) return '';
  const units = [
    [86_400, 'd'],
    [3600, 'h'],
    [60, 'm'],
  ] as const;
  const [size, unit] = units.find(([length]) => seconds >= length) ?? [1, 's'];
  return `${Math.max(0, Math.floor(seconds / size))}${unit}`;
}

/** Returns a text of another user in one line, so that it cannot add lines to the output. */
export function inOneLine(text: string): string {
  return text.replace(/\s*[\n\r\u2028\u2029]\s*/g, ' ');
}
