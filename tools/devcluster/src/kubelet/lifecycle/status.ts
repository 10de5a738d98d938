import { textAt } from '../../object.js';
import type { JsonObject } from '../../schema/types.js';
import { containersOf, hasEnded, isDeleted, type PodContainer } from '../pod-model.js';
import { podConditions } from './conditions.js';
import { containerStatus, notFound, timeText } from './container-status.js';
import { restarts, type PodView } from './decide.js';
import { isAlive, type ContainerRecord } from './record.js';

type Known = [container: PodContainer, record: ContainerRecord];

/** Returns the v1 PodStatus that a kubelet writes. */
export function podStatus(view: PodView): JsonObject {
  const { pod, podIp, hostIp } = view;
  const known = containersOf(pod).flatMap((container): Known[] => {
    const record = view.records.get(container.name);
    return record === undefined ? [] : [[container, record]];
  });
  const phase = phaseOf(view, known);
  const hasInit = known.some(([{ role }]) => role !== 'app');
  const initial = { reason: hasInit ? 'PodInitializing' : 'ContainerCreating' };
  const missed = isOver(phase) ? notStarted(known) : new Set();
  const statuses = (isWanted: (container: PodContainer) => boolean) =>
    known
      .filter(([container]) => isWanted(container))
      .map(([...one]) =>
        missed.has(one[0].name) ? notFound(...one, initial) : containerStatus(...one, initial),
      );
  const init = statuses(({ role }) => role !== 'app');
  const apps = statuses(({ role }) => role === 'app');
  const sidecars = new Set(known.flatMap(([{ role, name }]) => (role === 'sidecar' ? [name] : [])));
  return {
    ...(pod.metadata.generation !== undefined && { observedGeneration: pod.metadata.generation }),
    phase,
    conditions: podConditions(view, { phase, init, sidecars, apps }),
    ...failureOf(view, phase),
    hostIP: hostIp,
    hostIPs: [{ ip: hostIp }],
    ...(podIp !== undefined && { podIP: podIp, podIPs: [{ ip: podIp }] }),
    startTime: timeText(view.startTime),
    ...(init.length > 0 && { initContainerStatuses: init }),
    containerStatuses: apps,
    qosClass: textAt(pod, 'status', 'qosClass'),
  };
}

function isOver(phase: string): boolean {
  return phase === 'Succeeded' || phase === 'Failed';
}

/**
 * Returns the containers without an end that a kubelet reports as ended when their pod ends: those of a pod that is initialized,
 * and the init containers up to the last one that was started, or the first one. Source: Kubernetes
 * pkg/kubelet/status/status_manager.go (TerminatePod).
 */
function notStarted(known: readonly Known[]): Set<string> {
  const inits = known.filter(([{ role }]) => role !== 'app');
  const apps = known.filter(([{ role }]) => role === 'app');
  const hasStarted = ([, { termination, state }]: Known): boolean =>
    termination !== undefined || state === 'running';
  const isInitialized = apps.some(hasStarted) || (inits.at(-1)?.[1].termination?.exitCode ?? 1) === 0;
  const begun = inits.slice(0, Math.max(1, inits.findLastIndex(hasStarted) + 1));
  const ended = inits.length === 0 || isInitialized ? [...begun, ...apps] : begun;
  return new Set(ended.flatMap(([{ name }, { termination }]) => (termination === undefined ? [name] : [])));
}

/**
 * Returns the reason and the message of a failed pod. A pod has failed only when none of its containers runs any
 * more.
 */
function failureOf({ failure, pod }: PodView, phase: string): JsonObject {
  if (phase !== 'Failed') return {};
  const { reason, message } = failure ?? {
    reason: textAt(pod, 'status', 'reason'),
    message: textAt(pod, 'status', 'message'),
  };
  return { ...(message !== '' && { message }), ...(reason !== '' && { reason }) };
}

/** Returns the phase of a pod. Source: Kubernetes pkg/kubelet/kubelet_pods.go (getPhase). */
function phaseOf(view: PodView, known: readonly Known[]): string {
  const { pod, failure } = view;
  if (hasEnded(pod)) return textAt(pod, 'status', 'phase');
  const records = known.map(([, record]) => record);
  const apps = known.flatMap(([{ role }, record]) => (role === 'app' ? [record] : []));
  const isEnding = failure !== undefined || isDeleted(pod);
  if (isEnding && !records.some(isAlive)) {
    const hasSucceeded =
      failure === undefined && apps.every(({ termination }) => termination?.exitCode === 0);
    return hasSucceeded ? 'Succeeded' : 'Failed';
  }
  const hasRun = ({ state, termination }: ContainerRecord): boolean =>
    state === 'running' || termination !== undefined;
  if (!apps.every(hasRun)) return 'Pending';
  if (known.some(([{ role }, record]) => role !== 'init' && isAlive(record)) || isEnding) return 'Running';
  const policy = textAt(pod, 'spec', 'restartPolicy');
  if (apps.some((record) => record.state !== 'ended' || restarts(policy, record))) return 'Running';
  return apps.every(({ termination }) => termination?.exitCode === 0) ? 'Succeeded' : 'Failed';
}
