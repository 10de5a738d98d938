import { dayMs } from './civil.js';

/** A period in which the offset of a zone stays the same: [from, to), ms since the epoch. */
interface Segment {
  /** -Infinity for the first known segment. */
  from: number;
  to: number;
  /** How far local time is ahead of UTC, in ms. */
  offset: number;
  /** The offset before `from`; equal to `offset` if there is no earlier segment. */
  offsetBefore: number;
}

/** A zone of the IANA time zone database. Its transitions are searched once and remembered. */
export interface Zone {
  readonly name: string;
  /** Returns the segment that contains `t`. Its ends are exact inside of [low, high], and may be infinite outside. */
  segment(t: number, low: number, high: number): Segment;
}

/** No zone has reverted a change of its offset within two days (IANA time zone database, since 1970). */
const stepMs = 2 * dayMs;
const yearMs = 366 * dayMs;
/** Times that are further apart are searched separately: the search between them would take seconds for thousands of years. */
const eraMs = 8 * yearMs;

/** Zones by name in lower case: a name that differs only in case must not occupy memory for ever. */
const zones = new Map<string, Zone>();

/**
 * Returns the zone with this name, ignoring case. Its `name` is spelled as given.
 *
 * @throws RangeError when the platform does not know it
 */
export function zoneOf(name: string): Zone {
  const zone = zones.get(name.toLowerCase()) ?? addZone(name);
  return zone.name === name ? zone : { name, segment: (t, low, high) => zone.segment(t, low, high) };
}

function addZone(name: string): Zone {
  /* Offsets such as +02:00 are zones for Intl, but not names in the database. */
  if (/^[+-]/.test(name)) throw new RangeError(`${name} is not the name of a time zone`);
  const zone = new PlatformZone(name);
  zones.set(name.toLowerCase(), zone);
  return zone;
}

class PlatformZone implements Zone {
  readonly name: string;
  readonly #format: Intl.DateTimeFormat;
  readonly #eras = new Map<number, Era>();

  constructor(name: string) {
    this.name = name;
    this.#format = new Intl.DateTimeFormat('en-US', {
      timeZone: name,
      calendar: 'iso8601',
      numberingSystem: 'latn',
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    });
  }

  segment(t: number, low: number, high: number): Segment {
    const index = Math.floor(t / eraMs);
    let era = this.#eras.get(index);
    if (era === undefined) {
      era = new Era((instant) => this.#offsetAt(instant));
      this.#eras.set(index, era);
    }
    return era.segment(t, low, high);
  }

  #offsetAt(t: number): number {
    const parts: Partial<Record<string, number>> = {};
    for (const { type, value } of this.#format.formatToParts(t)) parts[type] = Number(value);
    const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = parts;
    return Date.UTC(year, month - 1, day, hour, minute, second) - Math.floor(t / 1000) * 1000;
  }
}

/** The transitions of a zone around some years. */
class Era {
  readonly #offsetAt: (t: number) => number;
  /** Instants at which the offset changes, ascending, each with the new offset. */
  readonly #changes: { at: number; offset: number }[] = [];
  #firstOffset = 0;
  #from = 0;
  #to = 0;

  constructor(offsetAt: (t: number) => number) {
    this.#offsetAt = offsetAt;
  }

  segment(t: number, low: number, high: number): Segment {
    this.#cover(Math.min(t, low), Math.max(t, high));
    return this.#at(this.#indexOf(t));
  }

  #at(index: number): Segment {
    const current = this.#changes[index];
    const offset = current?.offset ?? this.#firstOffset;
    return {
      from: current?.at ?? -Infinity,
      to: this.#changes[index + 1]?.at ?? Infinity,
      offset,
      offsetBefore: this.#changes[index - 1]?.offset ?? this.#firstOffset,
    };
  }

  /** Returns the index of the last change that is not after `t`, or -1. */
  #indexOf(t: number): number {
    let low = 0;
    let high = this.#changes.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#changes[middle]?.at ?? 0) <= t) low = middle + 1;
      else high = middle;
    }
    return low - 1;
  }

  #cover(from: number, to: number): void {
    if (this.#from === this.#to) {
      this.#from = this.#to = Math.floor(from / dayMs) * dayMs;
      this.#firstOffset = this.#offsetAt(this.#from);
    }
    while (this.#from > from - stepMs) this.#extendBack(this.#from - yearMs);
    while (this.#to <= to) this.#extend(this.#to + yearMs);
  }

  #extend(end: number): void {
    let offset = this.#changes.at(-1)?.offset ?? this.#firstOffset;
    for (; this.#to < end; this.#to += stepMs) {
      const next = this.#offsetAt(this.#to + stepMs);
      if (next !== offset)
        this.#changes.push({ at: this.#changeIn(this.#to, this.#to + stepMs), offset: next });
      offset = next;
    }
  }

  #extendBack(begin: number): void {
    for (; this.#from > begin; this.#from -= stepMs) {
      const before = this.#offsetAt(this.#from - stepMs);
      if (before !== this.#firstOffset)
        this.#changes.unshift({
          at: this.#changeIn(this.#from - stepMs, this.#from),
          offset: this.#firstOffset,
        });
      this.#firstOffset = before;
    }
  }

  /** Returns the first instant in (low, high] that has the offset of `high`. Transitions fall on whole seconds. */
  #changeIn(low: number, high: number): number {
    const offset = this.#offsetAt(high);
    let before = low / 1000;
    let after = high / 1000;
    while (after - before > 1) {
      const middle = Math.floor((before + after) / 2);
      if (this.#offsetAt(middle * 1000) === offset) after = middle;
      else before = middle;
    }
    return after * 1000;
  }
}

/**
 * Returns the instant of a local time: the first one if the time is repeated; the end of the gap if it is skipped.
 *
 * @param local ms since 1970-01-01T00:00 on the clock of the zone
 */
export function instantOf(zone: Zone, local: number): number {
  const low = local - 2 * dayMs;
  const high = local + 2 * dayMs;
  for (let segment = zone.segment(low, low, high); ; segment = zone.segment(segment.to, low, high)) {
    const instant = Math.max(segment.from, local - segment.offset);
    if (instant < segment.to) return instant;
  }
}
