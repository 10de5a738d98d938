import type { Gate, GateKeeper } from '@interlock/api';
import { decideGate, horizonMs } from '../decide.js';
import { compileKeeper } from '../keeper/compile.js';
import type { CompiledSchedule, NamedWindow } from '../schedule/compile.js';
import { keepsValue } from '../timeline/search.js';

/** The time from which one-time windows are evaluated if the caller has no clock. */
const anyTime = Date.UTC(2020, 0);

/**
 * Returns a warning for each part of a valid keeper that may not have the intended effect.
 *
 * @param now ms since the epoch. If it is absent, windows in the past cause no warning.
 */
export function warningsOf(keeper: GateKeeper, now?: number): string[] {
  const { schedule, problems } = compileKeeper(keeper);
  if (schedule === undefined || problems.length > 0) return [];
  const dayMatch = keeper.spec.schedule?.dayMatch ?? 'any';
  const windows = [...schedule.closed, ...schedule.open];
  return [
    ...(dayMatch === 'any' ? windows.flatMap(eitherDay) : []),
    ...(now === undefined ? [] : windows.flatMap((window) => overAt(window, now))),
    ...constantState(schedule, now ?? anyTime),
  ];
}

function eitherDay({ field, name, cron }: NamedWindow): string[] {
  return cron?.restrictsDay === true && cron.restrictsWeekday
    ? [
        `${field}: ${JSON.stringify(name)} has both a day of the month and a day of the week, and matches if either does; set dayMatch to all if both must match`,
      ]
    : [];
}

function overAt({ field, name, timeline }: NamedWindow, now: number): string[] {
  const isOver = !timeline.at(now) && keepsValue(timeline, now, now + horizonMs);
  return isOver ? [`${field}: ${JSON.stringify(name)} has passed, or does not occur within ten years`] : [];
}

function constantState({ timeline }: CompiledSchedule, from: number): string[] {
  if (!keepsValue(timeline, from, from + horizonMs)) return [];
  return timeline.at(from)
    ? [
        'it is always closed: no time within ten years is inside an open window and outside every closed window',
      ]
    : ['it never closes the gate within ten years'];
}

/**
 * Returns the problem of keepers of one gate that are never open at the same time, although each is open at some time;
 * undefined if there is none. Only schedules count, because other keepers change.
 *
 * @param now ms since the epoch
 */
export function neverOpenTogether(
  gate: Gate,
  keepers: readonly GateKeeper[],
  now: number,
): string | undefined {
  const own = keepers.filter(
    (keeper) => keeper.spec.gate === gate.metadata.name && compileKeeper(keeper).schedule !== undefined,
  );
  const { status: _status, ...plain } = gate;
  const opens = (some: readonly GateKeeper[]) => {
    const inputs = some.map((keeper) => ({ keeper }));
    const { state, next, problems } = decideGate(now, plain, inputs, []);
    return problems.length > 0 || state === 'Open' || next !== undefined;
  };
  if (own.length < 2 || !own.every((keeper) => opens([keeper])) || opens(own)) return undefined;
  const names = own.map(({ metadata }) => metadata.name).join(', ');
  return `its GateKeepers ${names} are never open at the same time, and each of them closes the gate, so it never opens; list the open windows in one GateKeeper, or use a Gate for each and require: oneOf in the bindings`;
}
