import { conditions, type Condition } from '@interlock/api';

/** Returns a time as the API shows it; empty without one. */
export function timeText(ms: number | undefined): string {
  return ms === undefined || !Number.isFinite(ms) ? '' : new Date(ms).toISOString().replace('.000Z', 'Z');
}

/** Returns `True`, `False` or `Unknown`, as the condition Ready says; `False` while nobody has said. */
export function readyText(object: { status?: { conditions?: Condition[] | undefined } }): string {
  return object.status?.conditions?.find(({ type }) => type === conditions.ready)?.status ?? 'False';
}

export const notReconciled = 'waiting to be reconciled';

/** Returns the revision with hex digests cut to eight digits, as Flux shows them. */
export function shortRevision(revision: string | undefined): string {
  return (revision ?? '').replace(/\b([0-9a-f]{8})[0-9a-f]{32,}\b/g, '$1');
}

/** Returns how long ago a timestamp of the API is, in its largest unit, as kubectl shows it; empty without one. */
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

/** Returns a text of others that must not add lines to those of the program. */
export function inOneLine(text: string): string {
  return text.replace(/\s*[\n\r\u2028\u2029]\s*/g, ' ');
}
