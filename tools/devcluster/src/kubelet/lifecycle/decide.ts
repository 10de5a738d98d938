import { textAt, valueAt, type KubeObject } from '../../object.js';
import { containersOf, graceSecondsOf, hasEnded, isDeleted, type PodContainer } from '../pod-model.js';
import { delayText, restartAt } from './backoff.js';
import { isAlive, type ContainerRecord, type Waiting } from './record.js';

/** The failure of a pod, independent of its containers. */
export interface PodFailure {
  reason: string;
  message: string;
}

/** The state of a pod in a kubelet. Times are in milliseconds since the epoch. */
export interface PodView {
  pod: KubeObject;
  records: ReadonlyMap<string, ContainerRecord>;
  sandbox: 'none' | 'preparing' | 'ready';
  /** When a failed preparation is retried. */
  prepareAt?: number | undefined;
  failure?: PodFailure | undefined;
  /** When the kubelet accepted the pod. */
  startTime: number;
  /** When the kubelet first requested the end of its containers. */
  endingSince?: number | undefined;
  podIp?: string | undefined;
  hostIp: string;
  now: number;
}

export type Step =
  | { type: 'prepare' }
  | { type: 'start'; container: string }
  | { type: 'stop'; container: string; graceSeconds: number }
  /** The container waits for its next start. */
  | { type: 'hold'; container: string; waiting: Waiting }
  | { type: 'fail'; failure: PodFailure }
  /** No container of the pod runs any more, so its object can be deleted. */
  | { type: 'remove' };

interface Decision {
  steps: Step[];
  /** Time of the next decision if nothing triggers it earlier. */
  wakeAt?: number | undefined;
}

const deadlineExceeded: PodFailure = {
  reason: 'DeadlineExceeded',
  message: 'Pod was active on the node longer than the specified deadline',
};

/** Returns the next steps for a pod. Each completed step changes a record and triggers the next decision. */
export function decideSteps(view: PodView): Decision {
  const { pod, sandbox, now } = view;
  if (isDeleted(pod) || view.failure !== undefined || hasEnded(pod)) return endPod(view);
  const deadline = deadlineOf(view);
  if (deadline <= now) return { steps: [{ type: 'fail', failure: deadlineExceeded }] };
  if (sandbox === 'ready') return withWake(runContainers(view), deadline);
  const retryAt = view.prepareAt ?? now;
  const canPrepare = sandbox === 'none' && retryAt <= now;
  return withWake(
    { steps: canPrepare ? [{ type: 'prepare' }] : [], wakeAt: retryAt > now ? retryAt : undefined },
    deadline,
  );
}

function deadlineOf({ pod, startTime }: PodView): number {
  const seconds = valueAt(pod, 'spec', 'activeDeadlineSeconds');
  return typeof seconds === 'number' ? startTime + seconds * 1000 : Infinity;
}

function withWake({ steps, wakeAt = Infinity }: Decision, other: number): Decision {
  const earliest = Math.min(wakeAt, other);
  return { steps, wakeAt: earliest === Infinity ? undefined : earliest };
}

/** Ends all containers, the sidecars after all others and in the reverse order of their start. */
function endPod(view: PodView): Decision {
  const { pod } = view;
  const alive = containersOf(pod).filter(({ name }) => isAlive(recordOf(view, name)));
  if (alive.length === 0) return { steps: isDeleted(pod) ? [{ type: 'remove' }] : [] };
  const others = alive.filter(({ role }) => role !== 'sidecar');
  return { steps: stopSteps(view, others.length > 0 ? others : alive.slice(-1)) };
}

function stopSteps(view: PodView, containers: readonly PodContainer[]): Step[] {
  const { pod, endingSince = view.now, now } = view;
  const elapsed = Math.floor((now - endingSince) / 1000);
  const graceSeconds = Math.max(1, graceSecondsOf(pod) - elapsed);
  return containers
    .filter(({ name }) => recordOf(view, name).state === 'running')
    .map(({ name }) => ({ type: 'stop', container: name, graceSeconds }));
}

function recordOf({ records }: PodView, name: string): ContainerRecord {
  const record = records.get(name);
  if (record === undefined) throw new Error(`there is no record of the container ${name}`);
  return record;
}

function runContainers(view: PodView): Decision {
  const containers = containersOf(view.pod);
  const init = containers.filter(({ role }) => role !== 'app');
  const apps = containers.filter(({ role }) => role === 'app');
  const hasStarted = apps.some(({ name }) => recordOf(view, name).state !== 'new');
  const decisions: Decision[] = [];
  for (const container of init) {
    const { decision, isDone } = runInit(view, container, hasStarted);
    decisions.push(decision);
    if (!isDone && !hasStarted) return merged(decisions);
  }
  const running = apps.map((container) => runApp(view, container));
  if (running.every((decision) => decision === undefined)) return finish(view, init);
  return merged([...decisions, ...running.flatMap((decision) => decision ?? [])]);
}

function merged(decisions: readonly Decision[]): Decision {
  const wakeAt = Math.min(...decisions.map((decision) => decision.wakeAt ?? Infinity));
  return withWake({ steps: decisions.flatMap(({ steps }) => steps) }, wakeAt);
}

const nothing: Decision = { steps: [] };

/**
 * Returns the decision about an init container or a sidecar, and whether the next container may start: an init
 * container must have succeeded, and a sidecar must have started.
 */
function runInit(
  view: PodView,
  container: PodContainer,
  hasStarted: boolean,
): { decision: Decision; isDone: boolean } {
  const record = recordOf(view, container.name);
  if (container.role === 'sidecar') {
    if (isAlive(record)) return { decision: nothing, isDone: record.isStarted };
    return { decision: startWhenDue(view, container, record), isDone: false };
  }
  if (hasStarted || isAlive(record)) return { decision: nothing, isDone: hasStarted };
  if (record.termination?.exitCode === 0) return { decision: nothing, isDone: true };
  if (record.state === 'ended' && restartPolicyOf(view.pod) === 'Never') {
    return { decision: { steps: [{ type: 'fail', failure: { reason: '', message: '' } }] }, isDone: false };
  }
  return { decision: startWhenDue(view, container, record), isDone: false };
}

function restartPolicyOf(pod: KubeObject): string {
  return textAt(pod, 'spec', 'restartPolicy');
}

/** Returns undefined for a container that has ended permanently. */
function runApp(view: PodView, container: PodContainer): Decision | undefined {
  const record = recordOf(view, container.name);
  if (isAlive(record)) return nothing;
  if (record.state === 'ended' && !restarts(restartPolicyOf(view.pod), record)) return undefined;
  return startWhenDue(view, container, record);
}

/** Returns whether a container that has ended is started again. */
export function restarts(policy: string, { termination }: ContainerRecord): boolean {
  return policy === 'Always' || (policy === 'OnFailure' && termination?.exitCode !== 0);
}

/** Returns the decision when only sidecars are left, which end in the reverse order of their start. */
function finish(view: PodView, init: readonly PodContainer[]): Decision {
  const last = init.filter(({ name }) => isAlive(recordOf(view, name))).at(-1);
  return last === undefined ? nothing : { steps: stopSteps(view, [last]) };
}

function startWhenDue(view: PodView, { name, spec }: PodContainer, record: ContainerRecord): Decision {
  const { now, pod } = view;
  const { waiting, retryAt = 0, termination, backoff } = record;
  if (retryAt > now)
    return waiting?.reason === 'ErrImagePull'
      ? pullHold(view, name, spec, record)
      : { steps: [], wakeAt: retryAt };
  if (record.state !== 'ended' || termination === undefined)
    return { steps: [{ type: 'start', container: name }] };
  const dueAt = restartAt(backoff, termination.finishedAt);
  if (dueAt <= now) return { steps: [{ type: 'start', container: name }] };
  if (waiting?.reason === 'CrashLoopBackOff') return { steps: [], wakeAt: dueAt };
  const { namespace = '', uid = '' } = pod.metadata;
  const which = `container=${name} pod=${pod.metadata.name}_${namespace}(${uid})`;
  const message = `back-off ${delayText(backoff?.delayMs ?? 0)} restarting failed ${which}`;
  const hold: Step = { type: 'hold', container: name, waiting: { reason: 'CrashLoopBackOff', message } };
  return { steps: [hold], wakeAt: dueAt };
}

/** How long the status states the error of a pull, before it states that the container waits for the next pull. */
const pullErrorMs = 1_000;

function pullHold(
  view: PodView,
  name: string,
  spec: PodContainer['spec'],
  record: ContainerRecord,
): Decision {
  const { waiting, retryAt = 0, pullFailedAt = 0 } = record;
  if (view.now < pullFailedAt + pullErrorMs) return { steps: [], wakeAt: pullFailedAt + pullErrorMs };
  const message = `Back-off pulling image "${textAt(spec, 'image')}": ErrImagePull: ${waiting?.message ?? ''}`;
  const hold: Step = { type: 'hold', container: name, waiting: { reason: 'ImagePullBackOff', message } };
  return { steps: [hold], wakeAt: retryAt };
}
