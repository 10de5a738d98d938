import { prefixOf } from '@interlock/base';
import type { Pod } from '@interlock/kube';

const longestMessage = 300;
/** The reasons of containers that wait for others, or for a step of the kubelet that is in progress. */
const usualReasons: ReadonlySet<string> = new Set(['PodInitializing', 'ContainerCreating']);

/**
 * Returns what a pod waits for before its containers start: a container with a problem, such as its image, before one that waits
 * for others. Undefined if the status of the pod does not show it. Pure.
 */
export function waitsFor({ status = {} }: Pick<Pod, 'status'>): string | undefined {
  const { initContainerStatuses = [], containerStatuses = [], conditions = [] } = status;
  const waiting = [...initContainerStatuses, ...containerStatuses].flatMap(({ name, state }) =>
    state?.waiting?.reason === undefined ? [] : [{ name, ...state.waiting, reason: state.waiting.reason }],
  );
  const container = waiting.find(({ reason }) => !usualReasons.has(reason)) ?? waiting[0];
  if (container !== undefined) return `container ${container.name} waits: ${causeOf(container)}`;
  const unscheduled = conditions.find(({ type, status: is }) => type === 'PodScheduled' && is === 'False');
  return unscheduled?.reason === undefined ? undefined : causeOf(unscheduled);
}

function causeOf({ reason, message = '' }: { reason?: string; message?: string }): string {
  return [reason, prefixOf(message, longestMessage)].filter(Boolean).join(': ');
}
