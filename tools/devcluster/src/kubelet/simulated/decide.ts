import { objectsAt, textAt, valueAt, type KubeObject } from '../../object.js';
import type { JsonObject } from '../../schema/types.js';
import { isEnding, type Outcome } from './outcome.js';
import { endedStatus, heldStatus, runningStatus, stoppedStatus, type Surroundings } from './status.js';

/** An event of a kubelet. */
export interface Report {
  type: 'Normal' | 'Warning';
  reason: string;
  note: string;
  fieldPath?: string;
}

/** The next step of a simulated kubelet for a pod. */
export type Step =
  | { kind: 'none' }
  /** The status is written; `applied`: the outcome has happened, and does not happen again. */
  | { kind: 'status'; status: JsonObject; reports: readonly Report[]; applied: boolean }
  /** The containers have ended, and no resources of the pod remain on the node. */
  | { kind: 'remove' };

/**
 * Returns the next step of a simulated kubelet for a pod on its node. Each step changes the pod, which triggers the
 * next step.
 *
 * @param outcome the requested outcome; one that ends the containers takes effect when the pod runs
 * @param nowMs milliseconds since the epoch, for activeDeadlineSeconds
 */
export function nextStep(pod: KubeObject, outcome: Outcome, surroundings: Surroundings, nowMs: number): Step {
  const phase = textAt(pod, 'status', 'phase');
  const isEnded = phase === 'Succeeded' || phase === 'Failed';
  if (pod.metadata.deletionTimestamp !== undefined) return stop(pod, outcome, surroundings, isEnded);
  if (isEnded) return { kind: 'none' };
  if (isOverdue(pod, nowMs)) return end(pod, { type: 'deadline' }, surroundings);
  if (phase !== 'Running') {
    if (outcome.type === 'hold')
      return written(heldStatus(pod, surroundings, outcome), holdReports(pod, outcome));
    return written(runningStatus(pod, surroundings, outcome.type !== 'notReady'), startReports(pod));
  }
  if (isEnding(outcome)) return end(pod, outcome, surroundings);
  if (outcome.type === 'hold') return { kind: 'none' };
  return written(runningStatus(pod, surroundings, outcome.type !== 'notReady'), []);
}

/** Returns how long a pod may still be active, in milliseconds; undefined when there is no limit. */
export function timeLeft(pod: KubeObject, nowMs: number): number | undefined {
  const seconds = valueAt(pod, 'spec', 'activeDeadlineSeconds');
  const start = textAt(pod, 'status', 'startTime');
  if (typeof seconds !== 'number' || start === '') return undefined;
  return Date.parse(start) + seconds * 1000 - nowMs;
}

function isOverdue(pod: KubeObject, nowMs: number): boolean {
  const left = timeLeft(pod, nowMs);
  return left !== undefined && left <= 0;
}

/**
 * Returns the next step of a pod that is being deleted. A pod that waits only for finalizers has no remaining grace
 * period.
 */
function stop(pod: KubeObject, outcome: Outcome, surroundings: Surroundings, isEnded: boolean): Step {
  const isRunning = textAt(pod, 'status', 'phase') === 'Running';
  if (outcome.type === 'hold' && !isEnded) return { kind: 'none' };
  if (isRunning) {
    const reports = containerNames(pod).map((name): Report => ({
      type: 'Normal',
      reason: 'Killing',
      note: `Stopping container ${name}`,
      fieldPath: `spec.containers{${name}}`,
    }));
    return { kind: 'status', status: stoppedStatus(pod, surroundings), reports, applied: false };
  }
  return pod.metadata.deletionGracePeriodSeconds === 0 ? { kind: 'none' } : { kind: 'remove' };
}

function end(pod: KubeObject, outcome: Outcome, surroundings: Surroundings): Step {
  if (!isEnding(outcome)) return { kind: 'none' };
  const status = endedStatus(pod, surroundings, outcome);
  const note = textAt(status, 'message');
  const isByNode = outcome.type === 'evict' || outcome.type === 'deadline';
  const type = outcome.type === 'evict' ? 'Warning' : 'Normal';
  const reports: Report[] = isByNode ? [{ type, reason: textAt(status, 'reason'), note }] : [];
  return { kind: 'status', status, reports, applied: true };
}

function written(status: JsonObject, reports: readonly Report[]): Step {
  return { kind: 'status', status, reports, applied: true };
}

function startReports(pod: KubeObject): Report[] {
  return objectsAt(pod, 'spec', 'containers').flatMap((container) => {
    const name = textAt(container, 'name');
    const image = `Container image "${textAt(container, 'image')}"`;
    const shared = { type: 'Normal', fieldPath: `spec.containers{${name}}` } as const;
    return [
      {
        ...shared,
        reason: 'Pulled',
        note: `${image} already present on machine and can be accessed by the pod`,
      },
      { ...shared, reason: 'Created', note: 'Container created' },
      { ...shared, reason: 'Started', note: 'Container started' },
    ];
  });
}

function holdReports(pod: KubeObject, { reason }: Extract<Outcome, { type: 'hold' }>): Report[] {
  if (reason !== 'ImagePullBackOff') return [];
  const [container = {}] = [
    ...objectsAt(pod, 'spec', 'initContainers'),
    ...objectsAt(pod, 'spec', 'containers'),
  ];
  const note = `Back-off pulling image "${textAt(container, 'image')}"`;
  return [
    { type: 'Normal', reason: 'BackOff', note, fieldPath: `spec.containers{${textAt(container, 'name')}}` },
  ];
}

function containerNames(pod: KubeObject): string[] {
  return objectsAt(pod, 'spec', 'containers').map((container) => textAt(container, 'name'));
}
