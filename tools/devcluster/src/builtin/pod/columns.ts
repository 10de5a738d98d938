import { isDeleted } from '../../kubelet/pod-model.js';
import { objectAt, objectsAt, textAt, type KubeObject } from '../../object.js';
import type { Json, JsonObject } from '../../schema/types.js';
import { age } from '../../table/age.js';
import type { Column } from '../../table/column.js';
import { ageColumn, column, nameColumn, wide } from '../define.js';

/** The containers of a pod in the output of `kubectl get pods`. */
interface PodSummary {
  readyContainers: number;
  totalContainers: number;
  status: string;
  restarts: number;
  /** End of the container that ended last; empty if no container has ended. */
  lastRestart: string;
}

const gatedReason = 'SchedulingGated';
const terminalPhases = ['Succeeded', 'Failed'];

/** Returns the summary of a pod. Source: Kubernetes pkg/printers/internalversion (printPod). */
function summaryOf(pod: KubeObject): PodSummary {
  const sidecars = objectsAt(pod, 'spec', 'initContainers')
    .filter((container) => textAt(container, 'restartPolicy') === 'Always')
    .map((container) => textAt(container, 'name'));
  const inits = objectsAt(pod, 'status', 'initContainerStatuses');
  const init = initState(pod, inits, sidecars);
  const counted = inits.slice(0, init.begun);
  const sidecarStatuses = counted.filter((one) => sidecars.includes(textAt(one, 'name')));
  const readySidecars = sidecarStatuses.filter((one) => one['started'] === true && one['ready'] === true);
  const totalContainers = objectsAt(pod, 'spec', 'containers').length + sidecars.length;
  if (init.status !== undefined && !isConditionTrue(pod, 'Initialized')) {
    const status = deletionStatus(pod) ?? init.status;
    return { readyContainers: readySidecars.length, totalContainers, status, ...restartsOf(counted) };
  }
  const apps = objectsAt(pod, 'status', 'containerStatuses');
  const running = apps.filter((one) => one['ready'] === true && isRunning(one));
  return {
    readyContainers: readySidecars.length + running.length,
    totalContainers,
    status: deletionStatus(pod) ?? appStatus(pod, apps, running.length > 0, init.status),
    ...restartsOf([...sidecarStatuses, ...apps]),
  };
}

/** Returns the status of a pod whose init containers are not complete, and the number of started init containers. */
function initState(
  pod: KubeObject,
  statuses: readonly JsonObject[],
  sidecars: readonly string[],
): { status?: string; begun: number } {
  const isDone = (one: JsonObject): boolean =>
    objectAt(one, 'state', 'terminated')['exitCode'] === 0 ||
    (one['started'] === true && sidecars.includes(textAt(one, 'name')));
  const index = statuses.findIndex((one) => !isDone(one));
  const current = statuses[index];
  if (current === undefined) return { begun: statuses.length };
  const ended = objectAt(current, 'state', 'terminated');
  const waiting = textAt(current, 'state', 'waiting', 'reason');
  const count = objectsAt(pod, 'spec', 'initContainers').length;
  let status = `${String(index)}/${String(count)}`;
  if (Object.keys(ended).length > 0) status = endText(ended);
  else if (waiting !== '' && waiting !== 'PodInitializing') status = waiting;
  return { status: `Init:${status}`, begun: index + 1 };
}

function appStatus(
  pod: KubeObject,
  statuses: readonly JsonObject[],
  hasRunning: boolean,
  initStatus: string | undefined,
): string {
  const [first] = statuses.map(stateText).filter((text) => text !== '');
  const status = first ?? initStatus ?? podReason(pod);
  if (status !== 'Completed' || !hasRunning) return status;
  return isConditionTrue(pod, 'Ready') ? 'Running' : 'NotReady';
}

function podReason(pod: KubeObject): string {
  const scheduled = objectsAt(pod, 'status', 'conditions').find(({ type }) => type === 'PodScheduled');
  if (scheduled?.['reason'] === gatedReason) return gatedReason;
  return textAt(pod, 'status', 'reason') || textAt(pod, 'status', 'phase');
}

/** Returns the reason why a container waits or has ended, or an empty text if it runs. */
function stateText(status: JsonObject): string {
  const waiting = textAt(status, 'state', 'waiting', 'reason');
  const ended = objectAt(status, 'state', 'terminated');
  if (waiting !== '' || Object.keys(ended).length === 0) return waiting;
  return endText(ended);
}

function endText(ended: JsonObject): string {
  const { signal, exitCode } = ended;
  const reason = textAt(ended, 'reason');
  if (reason !== '') return reason;
  return typeof signal === 'number' && signal !== 0
    ? `Signal:${String(signal)}`
    : `ExitCode:${String(exitCode)}`;
}

/** Returns the status of a pod that is being deleted and has not ended. */
function deletionStatus(pod: KubeObject): string | undefined {
  if (!isDeleted(pod)) return undefined;
  if (textAt(pod, 'status', 'reason') === 'NodeLost') return 'Unknown';
  return terminalPhases.includes(textAt(pod, 'status', 'phase')) ? undefined : 'Terminating';
}

function isRunning(status: JsonObject): boolean {
  return Object.hasOwn(objectAt(status, 'state'), 'running');
}

function isConditionTrue(pod: KubeObject, type: string): boolean {
  return objectsAt(pod, 'status', 'conditions').some(
    (one) => one['type'] === type && one['status'] === 'True',
  );
}

function restartsOf(statuses: readonly JsonObject[]): Pick<PodSummary, 'restarts' | 'lastRestart'> {
  const ends = statuses.map((one) => textAt(one, 'lastState', 'terminated', 'finishedAt')).sort();
  const restarts = statuses.reduce((sum, one) => sum + Number(one['restartCount'] ?? 0), 0);
  return { restarts, lastRestart: ends.at(-1) ?? '' };
}

function readyText(pod: KubeObject): string {
  const { readyContainers, totalContainers } = summaryOf(pod);
  return `${String(readyContainers)}/${String(totalContainers)}`;
}

function restartsText(pod: KubeObject, now: Date): Json {
  const { restarts, lastRestart } = summaryOf(pod);
  return lastRestart === '' || restarts === 0
    ? String(restarts)
    : `${String(restarts)} (${age(lastRestart, now)} ago)`;
}

const none = (value: string): string => (value === '' ? '<none>' : value);

function gates(pod: KubeObject): string {
  const types = objectsAt(pod, 'spec', 'readinessGates').map((gate) => textAt(gate, 'conditionType'));
  if (types.length === 0) return '<none>';
  const met = types.filter((type) => isConditionTrue(pod, type));
  return `${String(met.length)}/${String(types.length)}`;
}

/** Columns of `kubectl get pods`. */
export const podColumns: readonly Column[] = [
  nameColumn,
  column('Ready', 'Containers that are ready, of all.', readyText),
  column('Status', 'What the pod does, or why it does not.', (pod) => summaryOf(pod).status),
  column('Restarts', 'How often containers were started again.', restartsText),
  ageColumn,
  wide(column('IP', 'Address of the pod.', (o) => none(textAt(o, 'status', 'podIP')))),
  wide(column('Node', 'Node that runs the pod.', (o) => none(textAt(o, 'spec', 'nodeName')))),
  wide(
    column('Nominated Node', 'Node that is being made free.', (o) =>
      none(textAt(o, 'status', 'nominatedNodeName')),
    ),
  ),
  wide(column('Readiness Gates', 'Further conditions for being ready.', gates)),
];
