import { keeperPayloads, type GateKeeper, type Schedule } from '@interlock/api';
import { LRUCache } from 'lru-cache';
import { compileSchedule, type CompiledSchedule } from '../schedule/compile.js';
import type { ObjectProblem } from '../object-problem.js';
import { compileCalendar, type CompiledCalendar } from './calendar.js';
import { compileExpression, type CompiledExpression } from './expression.js';

/**
 * A compiled keeper: everything about it that depends neither on the time nor on other objects. It must not be
 * modified.
 */
export interface CompiledKeeper {
  /** `GateKeeper/<name>`. */
  source: string;
  schedule?: CompiledSchedule;
  calendar?: CompiledCalendar;
  expression?: CompiledExpression;
  problems: ObjectProblem[];
}

/** Returns the compiled form of a keeper. If it has problems, the keeper is Invalid. */
export function compileKeeper(keeper: GateKeeper): CompiledKeeper {
  const source = `GateKeeper/${keeper.metadata.name}`;
  const { spec } = keeper;
  const field = keeperPayloads[spec.type];
  const of = (problems: Omit<ObjectProblem, 'object'>[]) =>
    problems.map((problem) => ({ object: source, ...problem }));
  const schedule = scheduleOf(keeper);
  if (schedule !== undefined) {
    const compiled = compileSchedule(schedule, `spec.${field}`);
    return { source, schedule: compiled, problems: of(compiled.problems.map(nameCronjob(spec.type))) };
  }
  if (spec.type === 'calendar' && spec.calendar !== undefined) {
    const calendar = compileCalendar(spec.calendar);
    return { source, calendar, problems: of(calendar.problems) };
  }
  if (spec.type === 'expression' && spec.expression !== undefined) {
    const expression = compileExpression(spec.expression);
    return { source, expression, problems: of(expression.problems) };
  }
  return {
    source,
    problems: of([
      { field: `spec.${field}`, value: '', message: `type ${spec.type} requires the field ${field}; add it` },
    ]),
  };
}

function scheduleOf({ spec }: GateKeeper): Schedule | undefined {
  if (spec.type === 'schedule') return spec.schedule;
  if (spec.type !== 'cronexpression' || spec.cronjob === undefined) return undefined;
  const { timeZone, closed } = spec.cronjob;
  return { timeZone, dayMatch: 'any', closed: closed.map((cron) => ({ cron })) };
}

/** Returns a function that corrects the field of a problem: in `cronjob.closed`, the entries are the expressions themselves. */
function nameCronjob(type: GateKeeper['spec']['type']) {
  return (problem: Omit<ObjectProblem, 'object'>) =>
    type === 'cronexpression' ? { ...problem, field: problem.field.replace(/\.cron$/, '') } : problem;
}

/**
 * Returns {@link compileKeeper} with a cache of the compiled keepers, by uid and generation.
 *
 * @param size maximum number of cached keepers; the least recently used one is dropped first
 */
export function keeperCache(size = 10_000): (keeper: GateKeeper) => CompiledKeeper {
  const known = new LRUCache<string, { generation: number; compiled: CompiledKeeper }>({ max: size });
  return (keeper) => {
    const { uid, generation } = keeper.metadata;
    if (uid === undefined || generation === undefined) return compileKeeper(keeper);
    const entry = known.get(uid);
    if (entry?.generation === generation) return entry.compiled;
    const compiled = compileKeeper(keeper);
    known.set(uid, { generation, compiled });
    return compiled;
  };
}
