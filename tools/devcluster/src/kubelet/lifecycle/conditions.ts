import { objectsAt, textAt } from '../../object.js';
import type { JsonObject } from '../../schema/types.js';
import { reportedConditions, writtenConditions } from '../pod-conditions.js';
import { timeText } from './container-status.js';
import type { PodView } from './decide.js';

/** The parts of a status that determine its conditions. */
interface StatusParts {
  phase: string;
  /** Statuses of init containers and sidecars. */
  init: readonly JsonObject[];
  sidecars: ReadonlySet<string>;
  apps: readonly JsonObject[];
}

/** Returns the conditions of a pod, including the conditions that others set. */
export function podConditions({ pod, sandbox, now }: PodView, parts: StatusParts): JsonObject[] {
  const present = objectsAt(pod, 'status', 'conditions');
  const isOver = parts.phase === 'Succeeded' || parts.phase === 'Failed';
  const own = reportedConditions(pod, {
    phase: parts.phase,
    hasSandbox: sandbox === 'ready' && !isOver,
    uninitialized: uninitialized(parts).map(nameOf),
    unready: unready(parts).map(nameOf),
  });
  if (!present.some(({ type }) => type === 'PodScheduled'))
    own.push({ type: 'PodScheduled', status: 'True' });
  const others = present.filter(({ type }) => !own.some((one) => one.type === type));
  return [...writtenConditions(pod, own, timeText(now)), ...others];
}

function nameOf(status: JsonObject): string {
  return textAt(status, 'name');
}

function uninitialized({ init, sidecars, apps }: StatusParts): JsonObject[] {
  if (apps.some(({ state, lastState }) => hasRun(state) || hasRun(lastState))) return [];
  return init.filter(
    (status) => (sidecars.has(nameOf(status)) ? status['started'] : status['ready']) !== true,
  );
}

function hasRun(state: JsonObject[string] | undefined): boolean {
  return typeof state === 'object' && state !== null && ('running' in state || 'terminated' in state);
}

function unready({ init, sidecars, apps }: StatusParts): JsonObject[] {
  return [...init.filter((status) => sidecars.has(nameOf(status))), ...apps].filter(
    (status) => status['ready'] !== true,
  );
}
