import { prefixOf } from '@interlock/base';
import type { Pod } from '@interlock/kube';

type Status = NonNullable<Pod['status']>;

interface Waiting {
  name: string;
  reason: string;
  message?: string;
}

const longestMessage = 300;
/** The reasons of containers that wait for others, or for a step of the kubelet that is in progress. */
const usualReasons: ReadonlySet<string> = new Set(['PodInitializing', 'ContainerCreating']);

/**
 * Returns what a pod waits for before its containers start: a container with a problem, such as its image, before one that waits
 * for others. Undefined if the status of the pod does not show it. Pure.
 */
export function waitsFor({ status = {} }: Pick<Pod, 'status'>): string | undefined {
  const waiting = waitingContainers(status);
  const container = waiting.find(hasProblem) ?? waiting[0];
  if (container !== undefined) return `container ${container.name} waits: ${causeOf(container)}`;
  const unscheduled = status.conditions?.find(
    ({ type, status: is }) => type === 'PodScheduled' && is === 'False',
  );
  return unscheduled?.reason === undefined ? undefined : causeOf(unscheduled);
}

/** Returns whether a container of a pod waits because of a problem, such as its image. Pure. */
export function hasStartProblem({ status = {} }: Pick<Pod, 'status'>): boolean {
  return waitingContainers(status).some(hasProblem);
}

function waitingContainers({ initContainerStatuses = [], containerStatuses = [] }: Status): Waiting[] {
  return [...initContainerStatuses, ...containerStatuses].flatMap(({ name, state }) =>
    state?.waiting?.reason === undefined ? [] : [{ name, ...state.waiting, reason: state.waiting.reason }],
  );
}

function hasProblem({ reason }: Waiting): boolean {
  return !usualReasons.has(reason);
}

function causeOf({ reason, message = '' }: { reason?: string; message?: string }): string {
  return [reason, prefixOf(message, longestMessage)].filter(Boolean).join(': ');
}
