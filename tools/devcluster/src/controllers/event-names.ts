import { createHash } from 'node:crypto';
import type { Occurrence } from './occurrence.js';

const longestPrefix = 236;
/** The cache size of Kubernetes clients (client-go tools/events and tools/record). */
const mostRemembered = 4096;
const nanosInMs = 1_000_000n;

/**
 * The names of recorded events: `<object>.<nanoseconds in hexadecimal>`, so that the events of an object are listed in the
 * order in which they first happened. An occurrence that is remembered keeps the name of its event.
 */
export class EventNames {
  readonly #remembered = new Map<string, string>();
  #latest = 0n;

  /** Returns the name of the event of an occurrence. `isTaken`: whether an event that is not remembered has a name. */
  nameOf(occurrence: Occurrence, now: Date, isTaken: (name: string) => boolean): string {
    const key = occurrenceKey(occurrence);
    const name = this.#remembered.get(key) ?? this.#newName(occurrence, now, isTaken);
    this.#remembered.delete(key);
    this.#remembered.set(key, name);
    const [oldest] = this.#remembered.keys();
    if (oldest !== undefined && this.#remembered.size > mostRemembered) this.#remembered.delete(oldest);
    return name;
  }

  #newName({ regarding }: Occurrence, now: Date, isTaken: (name: string) => boolean): string {
    const moment = BigInt(now.getTime()) * nanosInMs;
    if (moment > this.#latest) this.#latest = moment;
    const prefix = regarding.metadata.name.slice(0, longestPrefix);
    for (;;) {
      this.#latest += 1n;
      const name = `${prefix}.${this.#latest.toString(16)}`;
      if (!isTaken(name)) return name;
    }
  }
}

/** The five characters that the API server adds to a generateName. */
const generatedSuffix = /-[bcdfghjklmnpqrstvwxz2456789]{5}\b/g;

/**
 * Returns a key that is the same for the same occurrence. Warnings that differ only in the generated name of a pod are
 * one event.
 */
function occurrenceKey({ regarding, type, reason, note, component, fieldPath = '' }: Occurrence): string {
  const { namespace = '', name, uid = '' } = regarding.metadata;
  const what = type === 'Warning' ? note.replace(generatedSuffix, '-') : note;
  const parts = [uid, namespace, name, regarding.kind, type, reason, what, component, fieldPath];
  return createHash('sha256').update(JSON.stringify(parts)).digest('base64');
}
