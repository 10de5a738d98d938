import { isProblem, Problem, type OrProblem } from '@interlock/base';
import { isLimit, Sandbox } from '@interlock/service';
import type * as calendarModule from './calendar.worker.js';
import { source } from './calendar.worker.js';
import { maxCalendarLength, type CalendarEvents } from './events.js';

/** A usual calendar takes a few ms, and a calendar at the size limit takes less than a second. */
const limits = { workers: 2, timeMs: 1_000, memoryMb: 64 };

/**
 * Reads calendars in separate threads, because a calendar can contain a recurrence that the library never finishes
 * expanding or that exhausts all memory.
 */
export class CalendarReader {
  readonly #sandbox: Sandbox<typeof calendarModule>;

  /**
   * Creates a reader.
   *
   * @param options.timeMs time limit for one calendar. Default: 1,000.
   */
  constructor({ timeMs = limits.timeMs }: { timeMs?: number } = {}) {
    this.#sandbox = new Sandbox(source, { ...limits, timeMs });
  }

  /**
   * Returns the events around `now` (ms since the epoch). A calendar that exceeds the limits is Invalid.
   *
   * @param tenant the owner of the calendar. Its calendars do not delay the calendars of other owners.
   */
  async read(
    tenant: string,
    text: string,
    timeZone: string,
    now: number,
  ): Promise<OrProblem<CalendarEvents>> {
    if (text.length > maxCalendarLength)
      return exceeded(`it has more than ${maxCalendarLength} characters; split it`);
    const year = new Date(now).getUTCFullYear();
    const result = await this.#sandbox.call(tenant, 'readCalendar', [text, timeZone, year]);
    if (!isProblem(result)) return withSharedSummaries(result);
    return isLimit(result)
      ? exceeded(`${result.message} to expand its recurrences; reduce or simplify them`)
      : new Problem(result.reason, `the calendar cannot be used: ${result.message}`);
  }

  /** Ends the threads. */
  close(): Promise<void> {
    return this.#sandbox.close();
  }
}

/** Returns the events with shared summaries: each occurrence arrives with its own copy of the summary of its event. */
function withSharedSummaries(events: CalendarEvents): CalendarEvents {
  const known = new Map<string, string>();
  const shared = (summary: string) => {
    if (!known.has(summary)) known.set(summary, summary);
    return known.get(summary) ?? summary;
  };
  return {
    ...events,
    occurrences: events.occurrences.map(({ from, to, summary }) => ({ from, to, summary: shared(summary) })),
  };
}

function exceeded(message: string): Problem {
  return new Problem('LimitExceeded', `the calendar cannot be used: ${message}`, { transient: false });
}
