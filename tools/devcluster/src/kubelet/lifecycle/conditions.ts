import { objectsAt, textAt } from '../../object.js';
import type { JsonObject } from '../../schema/types.js';
import { timeText } from './container-status.js';
import type { PodView } from './decide.js';

interface Condition {
  type: string;
  status: 'True' | 'False';
  reason?: string | undefined;
  message?: string | undefined;
}

/** The parts of a status that its conditions follow from. */
export interface StatusParts {
  phase: string;
  /** Of init containers and sidecars, with the sidecars by name. */
  init: readonly JsonObject[];
  sidecars: ReadonlySet<string>;
  apps: readonly JsonObject[];
}

/** Returns the conditions of a pod; those of other writers stay, and a status that has not changed keeps its time. */
export function podConditions(view: PodView, parts: StatusParts): JsonObject[] {
  const { pod, now } = view;
  const present = objectsAt(pod, 'status', 'conditions');
  const isOver = parts.phase === 'Succeeded' || parts.phase === 'Failed';
  const hasSandbox = view.sandbox === 'ready' && !isOver;
  const containers = containersReady(parts);
  const own: Condition[] = [
    { type: 'PodReadyToStartContainers', status: hasSandbox ? 'True' : 'False' },
    initialized(parts),
    ready(view, containers),
    containers,
    ...(present.some(({ type }) => type === 'PodScheduled')
      ? []
      : [{ type: 'PodScheduled', status: 'True' } as const]),
  ];
  const others = present.filter(({ type }) => !own.some((one) => one.type === type));
  return [...own.map((one) => written(one, present, pod.metadata.generation, now)), ...others];
}

function written(
  { type, status, reason, message }: Condition,
  present: readonly JsonObject[],
  generation: number | undefined,
  now: number,
): JsonObject {
  const before = present.find((one) => one['type'] === type);
  const since = before?.['status'] === status ? textAt(before, 'lastTransitionTime') : '';
  return {
    type,
    ...(generation !== undefined && { observedGeneration: generation }),
    status,
    lastProbeTime: null,
    lastTransitionTime: since === '' ? timeText(now) : since,
    ...(reason !== undefined && { reason }),
    ...(message !== undefined && { message }),
  };
}

function names(statuses: readonly JsonObject[]): string {
  return `[${statuses.map((status) => textAt(status, 'name')).join(' ')}]`;
}

function initialized({ phase, init, sidecars, apps }: StatusParts): Condition {
  const type = 'Initialized';
  if (phase === 'Succeeded') return { type, status: 'True', reason: 'PodCompleted' };
  const hasStarted = apps.some(({ state, lastState }) => hasRun(state) || hasRun(lastState));
  const incomplete = init.filter((status) => {
    const isDone = sidecars.has(textAt(status, 'name'))
      ? status['started'] === true
      : status['ready'] === true;
    return !isDone && !hasStarted;
  });
  if (incomplete.length === 0) return { type, status: 'True' };
  const message = `containers with incomplete status: ${names(incomplete)}`;
  return { type, status: 'False', reason: 'ContainersNotInitialized', message };
}

function hasRun(state: JsonObject[string] | undefined): boolean {
  return typeof state === 'object' && state !== null && ('running' in state || 'terminated' in state);
}

function containersReady({ phase, init, sidecars, apps }: StatusParts): Condition {
  const type = 'ContainersReady';
  if (phase === 'Succeeded') return { type, status: 'False', reason: 'PodCompleted' };
  if (phase === 'Failed') return { type, status: 'False', reason: 'PodFailed' };
  const long = [...init.filter((status) => sidecars.has(textAt(status, 'name'))), ...apps];
  const unready = long.filter((status) => status['ready'] !== true);
  if (unready.length === 0) return { type, status: 'True' };
  const message = `containers with unready status: ${names(unready)}`;
  return { type, status: 'False', reason: 'ContainersNotReady', message };
}

/** A pod is ready when its containers are and each of its readiness gates is a condition that is True. */
function ready({ pod }: PodView, containers: Condition): Condition {
  if (containers.status === 'False') return { ...containers, type: 'Ready' };
  const present = objectsAt(pod, 'status', 'conditions');
  const messages = objectsAt(pod, 'spec', 'readinessGates').flatMap((gate) => {
    const type = textAt(gate, 'conditionType');
    const found = present.find((one) => one['type'] === type);
    if (found === undefined)
      return [`corresponding condition of pod readiness gate "${type}" does not exist.`];
    if (found['status'] === 'True') return [];
    return [`the status of pod readiness gate "${type}" is not "True", but ${textAt(found, 'status')}`];
  });
  if (messages.length === 0) return { type: 'Ready', status: 'True' };
  return { type: 'Ready', status: 'False', reason: 'ReadinessGatesNotReady', message: messages.join(', ') };
}
