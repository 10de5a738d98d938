import type { Gate, GateOverride, GateState } from '@interlock/api';
import { decideGate, keeperCache, type KeeperInput } from '@interlock/gating';
import { usage } from '../exit.js';
import { dataText, type Format } from '../output/print.js';
import { tableText } from '../output/table.js';
import { timeText } from '../output/text.js';
import { icsText } from './ics.js';
import { loadGate, loadKeepers, loadOverrides } from './load.js';
import type { Session } from '../session.js';

/** A period in which the state of the gate stays the same. `to` is absent if it extends beyond the evaluated time. */
export interface Period {
  from: number;
  to?: number | undefined;
  state: GateState;
  cause: string;
  message: string;
}

const dayMs = 86_400_000;
const maxPeriods = 1_000;

/** Runs `calendar NAME`: lists when the gate is open and closed in the coming days. */
export async function calendar(
  session: Session,
  name: string,
  options: { days: string; tz?: string; output: Format | 'ics' },
): Promise<void> {
  const days = Number(options.days);
  if (!Number.isInteger(days) || days < 1 || days > 3650)
    throw usage(`--days ${options.days} is not a number of days; write a number from 1 to 3650`);
  const inZone = clockOf(options.tz);
  const gate = await loadGate(session, name);
  const [keepers, overrides] = await Promise.all([loadKeepers(session, name), loadOverrides(session, name)]);
  const now = session.io.now();
  const end = now + days * dayMs;
  const periods = periodsOf(gate, keepers, overrides, now, end);
  if (periods.length === maxPeriods)
    session.progress.warning(
      `only the first ${maxPeriods} changes are shown; use a smaller value for --days`,
    );
  const { output } = options;
  if (output === 'ics') session.io.stdout(icsText(gate, periods, now, end));
  else if (output !== 'table')
    session.io.stdout(dataText({ gate: name, periods: periods.map(dataOf) }, output));
  else {
    const headers = ['FROM', 'TO', 'STATE', 'CAUSE', 'MESSAGE'];
    const rows = periods.map(({ from, to, state, cause, message }) => [
      inZone(from),
      to === undefined ? '' : inZone(to),
      state,
      cause,
      message,
    ]);
    session.io.stdout(tableText({ headers, rows }, { header: true }));
  }
}

function dataOf({ from, to, ...period }: Period) {
  return { from: timeText(from), ...(to !== undefined && { to: timeText(to) }), ...period };
}

/** Returns the periods from `now`, including the current one. */
function periodsOf(
  gate: Gate,
  keepers: readonly KeeperInput[],
  overrides: readonly GateOverride[],
  now: number,
  end: number,
): Period[] {
  const compile = keeperCache();
  const { status: _, ...spec } = gate;
  const periods: Period[] = [];
  for (let at: number | undefined = now; at !== undefined && at < end && periods.length < maxPeriods;) {
    /* The status describes the present, and would affect `since` and the failure policy Hold. */
    const object = at === now ? gate : spec;
    const { state, cause, message, since, next } = decideGate(at, object, keepers, overrides, undefined, {
      compile,
    });
    const from = at === now ? Math.min(since, now) : at;
    periods.push({ from, to: next?.at, state, cause, message });
    at = next?.at;
  }
  return periods;
}

function clockOf(timeZone: string | undefined): (ms: number) => string {
  if (timeZone === undefined) return timeText;
  try {
    const format = new Intl.DateTimeFormat('sv-SE', {
      timeZone,
      dateStyle: 'short',
      timeStyle: 'medium',
    });
    const offset = new Intl.DateTimeFormat('en-US', { timeZone, timeZoneName: 'longOffset' });
    return (ms) => {
      const [, hours = '+00:00'] = /GMT([+-]\d\d:\d\d)?$/.exec(offset.format(ms)) ?? [];
      return `${format.format(ms).replace(' ', 'T')}${hours}`;
    };
  } catch {
    throw usage(`--tz ${timeZone} is not a time zone; write a name such as Europe/Berlin`);
  }
}
