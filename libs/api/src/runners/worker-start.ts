import { runnerContainer } from './worker-contract.js';
import { parseWorkerReport } from './worker-report.js';

/** The part of a pod that {@link jobMayHaveStarted} evaluates. */
export interface WorkerPodView {
  spec?: { nodeName?: string | undefined } | undefined;
  status?:
    | {
        phase?: string | undefined;
        reason?: string | undefined;
        containerStatuses?: readonly WorkerContainerView[] | undefined;
      }
    | undefined;
}

/** The status of a container of a worker pod. */
interface WorkerContainerView {
  name: string;
  state?:
    | {
        terminated?:
          | { exitCode?: number | undefined; reason?: string | undefined; message?: string | undefined }
          | undefined;
      }
    | undefined;
}

/** Exit codes that occur only when the runner has a result. */
const resultCodes: ReadonlySet<number | undefined> = new Set([0, 102, 103, 104, 105]);
/** Codes of a container that did not start, and of a shell that did not find or start the program. */
const startFailures: ReadonlySet<number | undefined> = new Set([78, 126, 127, 128]);
/** The reason of a container that the kubelet could no longer find: it may have run. */
const unknownEnd = 'ContainerStatusUnknown';

/**
 * Returns whether the runner of a worker pod may have read its job. False is evidence: the payload can go to another pod. Take
 * the last state of the pod, after its end or its deletion; a pod that still exists and has not ended can start at any time.
 *
 * | pod | evidence | result |
 * |---|---|---|
 * | never scheduled | no node, no container status, phase `Pending` or `Failed` | false |
 * | refused or evicted by the kubelet before its containers | phase `Failed`, a reason, no container status | false |
 * | container or Node.js did not start | terminated without a report, by `StartError` or exit code 126 to 128 | false |
 * | killed before the program wrote its first report | terminated without a report | true |
 * | ended before the job was sent: misconfigured, or a signal came first | report with `jobSent: false` | false |
 * | out of memory, evicted, deleted or ended later | report with `jobSent: true` | true |
 * | ended with the result of a job | exit code 0 or 102 to 105, whatever the report | true |
 * | running or waiting when last reported, node lost, container not found | no end that the kubelet has seen | true |
 */
export function jobMayHaveStarted({ spec, status }: WorkerPodView): boolean {
  const container = status?.containerStatuses?.find(({ name }) => name === runnerContainer);
  if (container === undefined) return isPlaced(spec, status) && !isRefused(status);
  const end = container.state?.terminated;
  if (end === undefined || end.reason === unknownEnd) return true;
  if (resultCodes.has(end.exitCode)) return true;
  const report = parseWorkerReport(end.message);
  /* A report is the first thing that the program leaves: where it is missing, it is rather lost than never written. */
  return report?.jobSent ?? !(end.reason === 'StartError' || startFailures.has(end.exitCode));
}

/** Returns whether a pod has a node. A program other than the kubelet may set the status without the node. */
function isPlaced(spec: WorkerPodView['spec'], status: WorkerPodView['status']): boolean {
  return Boolean(spec?.nodeName) || status?.phase === 'Running' || status?.phase === 'Succeeded';
}

/**
 * Returns whether the kubelet failed the pod, for which it gives a reason. For a pod of a lost node there is no reason,
 * or `NodeLost`.
 */
function isRefused(status: WorkerPodView['status']): boolean {
  const { phase, reason } = status ?? {};
  return phase === 'Failed' && reason !== undefined && reason !== '' && reason !== 'NodeLost';
}
