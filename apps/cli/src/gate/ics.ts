import { createHash } from 'node:crypto';
import type { Gate } from '@interlock/api';
import type { Period } from './calendar.js';

const maxOctets = 75;

/**
 * Returns the closed periods as an iCalendar text (RFC 5545), to which calendars can subscribe.
 *
 * @param end time up to which the periods were computed; a period without an end is shown up to this time
 */
export function icsText(gate: Gate, periods: readonly Period[], now: number, end: number): string {
  const { name, namespace = '' } = gate.metadata;
  const events = periods
    .filter(({ state }) => state === 'Closed')
    .flatMap(({ from, to, cause, message }) => [
      'BEGIN:VEVENT',
      `UID:${createHash('sha256').update(`${namespace}/${name}/${from}`).digest('hex').slice(0, 32)}@interlock`,
      `DTSTAMP:${stamp(now)}`,
      `DTSTART:${stamp(from)}`,
      `DTEND:${stamp(to ?? Math.max(end, from + 1_000))}`,
      `SUMMARY:${escaped(`Gate ${name} closed`)}`,
      `DESCRIPTION:${escaped(explanation(cause, message))}`,
      'TRANSP:TRANSPARENT',
      'END:VEVENT',
    ]);
  const lines = [
    'BEGIN:VCALENDAR',
    'VERSION:2.0',
    'PRODID:-//interlock//gate//EN',
    ...events,
    'END:VCALENDAR',
  ];
  return lines.map((line) => `${folded(line)}\r\n`).join('');
}

/* The messages of GateKeepers begin with the keeper, which is also the cause. */
function explanation(cause: string, message: string): string {
  return message.startsWith(`${cause}: `) ? message : `${cause}: ${message}`;
}

function stamp(ms: number): string {
  return new Date(ms).toISOString().replace(/[-:]|\.\d+/g, '');
}

function escaped(text: string): string {
  return text.replace(/[\\;,]/g, '\\$&').replace(/\r?\n/g, '\\n');
}

/** Folds a line: a long line continues on the next line after a space (section 3.1). */
function folded(line: string): string {
  let result = '';
  let octets = 0;
  for (const character of line) {
    const size = Buffer.byteLength(character);
    if (octets + size > maxOctets) {
      result += '\r\n ';
      octets = 1;
    }
    result += character;
    octets += size;
  }
  return result;
}
