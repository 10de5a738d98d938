import { isProblem, Problem, type Clock, type OrProblem } from '@interlock/base';
import type { CalendarEvents, CalendarReader } from '@interlock/gating';

/** The text of a keeper's calendar, and the time zone for reading it. */
interface CalendarText {
  text: string;
  timeZone: string;
}

interface Entry extends CalendarText {
  year: number;
  reading: OrProblem<CalendarEvents> | undefined;
  isRunning: boolean;
  failures: number;
  /** When a failed read is retried; ms since the epoch. */
  retryAt: number;
}

/** A busy machine may be able to read the same text later; each further attempt waits twice as long; in ms. */
const firstRetryMs = 60_000;
const lastRetryMs = 3_600_000;
/**
 * Occurrences that the calendars of one namespace may have together. Each takes about 200 bytes, and a calendar of a few lines
 * can have thousands.
 */
const maxOccurrences = 200_000;

/** The events of the calendars of keepers. They are read in separate threads when a text changes. */
export class KeeperCalendars {
  readonly #entries = new Map<string, Entry>();
  readonly #reader: Pick<CalendarReader, 'read'>;
  readonly #clock: Pick<Clock, 'now' | 'monotonic'>;
  readonly #onChange: (keeper: string) => void;

  /**
   * Creates an empty set of calendars.
   *
   * @param onChange called with a keeper whose calendar has been read
   */
  constructor(
    reader: Pick<CalendarReader, 'read'>,
    clock: Pick<Clock, 'now' | 'monotonic'>,
    onChange: (keeper: string) => void,
  ) {
    this.#reader = reader;
    this.#clock = clock;
    this.#onChange = onChange;
  }

  /**
   * Returns the reading of a text; undefined until it has been read. In a new year, the reading of the old year is used until
   * the text has been read again.
   *
   * @param keeper its namespace and name
   */
  of(keeper: string, calendar: CalendarText): OrProblem<CalendarEvents> | undefined {
    const year = new Date(this.#clock.now()).getUTCFullYear();
    const known = this.#entries.get(keeper);
    if (known?.text !== calendar.text || known.timeZone !== calendar.timeZone)
      this.#start(keeper, { ...blank, ...calendar, year });
    else if (!known.isRunning && (known.year !== year || this.#clock.monotonic() >= known.retryAt))
      this.#start(keeper, { ...known, year, isRunning: true });
    return this.#entries.get(keeper)?.reading;
  }

  /**
   * Forgets what is known of the calendar of a keeper, unless it is of the current text: only that one has its room.
   *
   * @param text undefined if the keeper does not have one
   */
  retain(keeper: string, text: string | undefined): void {
    if (this.#entries.get(keeper)?.text !== text) this.#entries.delete(keeper);
  }

  #start(keeper: string, entry: Entry): void {
    this.#entries.set(keeper, entry);
    const [tenant = ''] = keeper.split('/', 1);
    void this.#reader.read(tenant, entry.text, entry.timeZone, this.#clock.now()).then((answer) => {
      if (this.#entries.get(keeper) !== entry) return;
      const reading = this.#admitted(tenant, entry, answer);
      const failures = isProblem(reading) ? entry.failures + 1 : 0;
      const waitMs = Math.min(lastRetryMs, firstRetryMs * 2 ** (failures - 1));
      const retryAt = failures === 0 ? Infinity : this.#clock.monotonic() + waitMs;
      this.#entries.set(keeper, { ...entry, reading, isRunning: false, failures, retryAt });
      this.#onChange(keeper);
    });
  }

  /**
   * Returns the reading of a calendar. Keepers of a namespace with the same calendar share one, so that its occurrences are in memory
   * once.
   */
  #admitted(tenant: string, entry: Entry, answer: OrProblem<CalendarEvents>): OrProblem<CalendarEvents> {
    if (isProblem(answer)) return answer;
    const others = [...this.#entries].filter(([key, one]) => one !== entry && key.startsWith(`${tenant}/`));
    const readings = new Set<CalendarEvents>();
    for (const [, { text, timeZone, year, reading, isRunning }] of others) {
      if (reading === undefined || isProblem(reading)) continue;
      const isSame = year === entry.year && timeZone === entry.timeZone && text === entry.text;
      /* While a calendar is read again for another year, its reading is that of the former year. */
      if (isSame && !isRunning) return reading;
      readings.add(reading);
    }
    let count = answer.occurrences.length;
    for (const { occurrences } of readings) count += occurrences.length;
    return count > maxOccurrences ? tooMany : answer;
  }
}

const tooMany = new Problem(
  'LimitExceeded',
  `the calendar cannot be used: the calendars of the namespace have more than ${maxOccurrences} occurrences together; write fewer and longer events`,
  { transient: false },
);

const blank = { reading: undefined, isRunning: true, failures: 0, retryAt: Infinity };
