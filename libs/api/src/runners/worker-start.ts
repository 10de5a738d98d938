import { runnerContainer } from './worker-contract.js';
import { parseWorkerReport } from './worker-report.js';

/** The part of a pod that {@link jobMayHaveStarted} evaluates. */
export interface WorkerPodView {
  spec?:
    | {
        nodeName?: string | undefined;
        initContainers?: readonly { name: string; restartPolicy?: string | undefined }[] | undefined;
      }
    | undefined;
  status?:
    | {
        phase?: string | undefined;
        reason?: string | undefined;
        initContainerStatuses?: readonly WorkerContainerView[] | undefined;
        containerStatuses?: readonly WorkerContainerView[] | undefined;
      }
    | undefined;
}

/** The status of a container of a worker pod. */
interface WorkerContainerView {
  name: string;
  /** Absent or empty until the container is created. */
  containerID?: string | undefined;
  state?: { terminated?: TerminatedView | undefined } | undefined;
  lastState?: { terminated?: TerminatedView | undefined } | undefined;
}

/** The end of a container. */
interface TerminatedView {
  exitCode?: number | undefined;
  reason?: string | undefined;
  message?: string | undefined;
}

/** Exit codes that occur only when the runner has a result. */
const resultCodes: ReadonlySet<number | undefined> = new Set([0, 102, 103, 104, 105]);
/** Codes of a container that did not start, and of a shell that did not find or start the program. */
const startFailures: ReadonlySet<number | undefined> = new Set([78, 126, 127, 128]);
/** The reason of a container that the kubelet did not find at the end of its pod: it may have run, or was never created. */
const unknownEnd = 'ContainerStatusUnknown';

/**
 * Returns whether the runner of a worker pod may have read its job. False is evidence: the payload can go to another pod. Take
 * the last state of the pod, after its end or its deletion; a pod that still exists and has not ended can start at any time.
 *
 * | pod | evidence | result |
 * |---|---|---|
 * | never scheduled | no node, no container status, phase `Pending` or `Failed` | false |
 * | refused or evicted by the kubelet before its containers | phase `Failed`, a reason, no container status | false |
 * | ended by the kubelet before the image was pulled | container not found, and neither an id nor an earlier state of it | false |
 * | an init container failed | phase `Failed`, its exit code is not 0, and the runner was never created | false |
 * | container or Node.js did not start | terminated without a report, by `StartError` or exit code 126 to 128 | false |
 * | killed before the program wrote its first report | terminated without a report | true |
 * | ended before the job was sent: misconfigured, or a signal came first | report with `jobSent: false` | false |
 * | out of memory, evicted, deleted or ended later | report with `jobSent: true` | true |
 * | ended with the result of a job | exit code 0 or 102 to 105, whatever the report | true |
 * | started again by its node | an earlier state of the container | true |
 * | running or waiting when last reported, node lost, container not found | no end that the kubelet has seen | true |
 */
export function jobMayHaveStarted({ spec, status }: WorkerPodView): boolean {
  const container = status?.containerStatuses?.find(({ name }) => name === runnerContainer);
  if (container === undefined) return isPlaced(spec, status) && !isFailedByKubelet(status);
  const end = container.state?.terminated;
  if (end === undefined) return isCreated(container) || failedInitContainer({ spec, status }) === undefined;
  if (end.reason === unknownEnd) return isCreated(container);
  if (container.lastState?.terminated !== undefined) return true;
  if (resultCodes.has(end.exitCode)) return true;
  const report = parseWorkerReport(end.message);
  /* A report is the first thing that the program leaves: where it is missing, it is rather lost than never written. */
  return report?.jobSent ?? !(end.reason === 'StartError' || startFailures.has(end.exitCode));
}

/**
 * Returns whether the kubelet may have created a container. Of a container that ran and that it no longer finds, it keeps the id,
 * or an earlier state.
 */
function isCreated({ containerID = '', lastState }: WorkerContainerView): boolean {
  return containerID !== '' || lastState?.terminated !== undefined;
}

/**
 * Returns the init container whose failure has ended a pod, so that its other containers were not started; undefined if there is
 * none. Sidecars, and other init containers whose own restart policy requires it, are started again after a failure.
 */
export function failedInitContainer({ spec, status }: WorkerPodView): WorkerContainerView | undefined {
  if (status?.phase !== 'Failed') return undefined;
  const restarted = new Set(
    spec?.initContainers?.flatMap(({ name, restartPolicy = 'Never' }) =>
      restartPolicy === 'Never' ? [] : [name],
    ),
  );
  return status.initContainerStatuses?.find(
    ({ name, state }) => !restarted.has(name) && (state?.terminated?.exitCode ?? 0) !== 0,
  );
}

/** Returns whether a pod has a node. A program other than the kubelet may set the status without the node. */
function isPlaced(spec: WorkerPodView['spec'], status: WorkerPodView['status']): boolean {
  return Boolean(spec?.nodeName) || status?.phase === 'Running' || status?.phase === 'Succeeded';
}

/**
 * Returns whether the kubelet failed the pod, for which it gives a reason. For a pod of a lost node there is no reason,
 * or `NodeLost`.
 */
export function isFailedByKubelet(status: WorkerPodView['status']): boolean {
  const { phase, reason } = status ?? {};
  return phase === 'Failed' && reason !== undefined && reason !== '' && reason !== 'NodeLost';
}
