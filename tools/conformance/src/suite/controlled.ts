import type { Body } from './body.js';
import type { Scope } from './scope.js';
import { container, deployments } from './workloads.js';
import { create } from './write.js';

export const replicaSets = (namespace: string): string => `/apis/apps/v1/namespaces/${namespace}/replicasets`;
export const jobs = (namespace: string): string => `/apis/batch/v1/namespaces/${namespace}/jobs`;

type Fields = Readonly<Record<string, unknown>>;

/** Returns a pod template. Its pods are never scheduled, so only the case writes their status. */
export function podTemplate(labels: Readonly<Record<string, string>>, spec: Fields = {}): object {
  const schedulerName = 'conformance.example';
  return { metadata: { labels }, spec: { schedulerName, containers: [container('app')], ...spec } };
}

/** An object of a case: the response to its creation, its name and its path. */
interface Created {
  object: Body;
  name: string;
  path: string;
}

async function created(scope: Scope, collection: string, object: object, name: string): Promise<Created> {
  return { object: await create(scope, collection, object), name, path: `${collection}/${name}` };
}

/** Creates a Deployment whose pods have the label `app` with its name. */
export function createDeployment(scope: Scope, spec: Fields = {}, metadata: Fields = {}): Promise<Created> {
  const name = scope.name('web');
  return created(scope, deployments(scope.namespace), replicated('Deployment', name, spec, metadata), name);
}

/** Creates a ReplicaSet whose pods have the label `app` with its name. */
export function createReplicaSet(scope: Scope, spec: Fields = {}, metadata: Fields = {}): Promise<Created> {
  const name = scope.name('set');
  return created(scope, replicaSets(scope.namespace), replicated('ReplicaSet', name, spec, metadata), name);
}

/** Returns a Deployment or a ReplicaSet of two pods. */
export function replicated(kind: string, name: string, spec: Fields = {}, metadata: Fields = {}): object {
  const labels = { app: name };
  return {
    apiVersion: 'apps/v1',
    kind,
    metadata: { name, ...metadata },
    spec: { replicas: 2, selector: { matchLabels: labels }, template: podTemplate(labels), ...spec },
  };
}

/** Returns a Job whose pods are not restarted. */
export function newJob(name: string, spec: Fields = {}): object {
  const template = podTemplate({}, { restartPolicy: 'Never' });
  return { apiVersion: 'batch/v1', kind: 'Job', metadata: { name }, spec: { template, ...spec } };
}

/** Creates a Job; its pods are deleted with it after the case. */
export async function createJob(scope: Scope, spec: Fields = {}): Promise<Created> {
  const name = scope.name('job');
  const path = `${jobs(scope.namespace)}/${name}`;
  const answer = await scope.api.post(jobs(scope.namespace), newJob(name, spec));
  if (answer.status !== 201) throw new Error(`the Job is answered with ${answer.status}: ${answer.text}`);
  scope.cleanup((api) => api.delete(path, { query: { propagationPolicy: 'Background' } }));
  return { object: answer.body, name, path };
}

/** Waits until a label selector finds a number of pods that are not being deleted. Returns them. */
export async function untilPods(scope: Scope, selector: string, count: number): Promise<Body[]> {
  const path = `${scope.core('pods')}?labelSelector=${encodeURIComponent(selector)}`;
  const { body } = await scope.eventually(path, (answer) => present(answer.body).length === count);
  return present(body);
}

function present({ items }: Body): Body[] {
  return items.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
}

/** Returns an object that a list has to contain. @throws Error if the list does not contain it */
export function existing(object: Body | undefined): Body {
  if (object === undefined) throw new Error('the list does not contain the object');
  return object;
}

/** Returns the pods of a Job. */
export function untilJobPods(scope: Scope, job: string, count: number): Promise<Body[]> {
  return untilPods(scope, `batch.kubernetes.io/job-name=${job}`, count);
}

/** Writes the phase of a pod, as the node that runs it does. */
export async function setPhase(
  scope: Scope,
  { metadata }: Body,
  phase: 'Running' | 'Succeeded' | 'Failed',
  fields: Fields = {},
): Promise<void> {
  const status = phase === 'Running' ? 'True' : 'False';
  const conditions = [{ type: 'Ready', status, lastTransitionTime: '2026-01-01T00:00:00Z' }];
  const path = `${scope.core('pods', metadata.name)}/status`;
  const answer = await scope.api.patch(path, 'strategic', { status: { phase, conditions, ...fields } });
  if (answer.status !== 200) throw new Error(`the status is answered with ${answer.status}: ${answer.text}`);
}

/** Marks pods as running and ready. */
export async function makeReady(scope: Scope, pods: readonly Body[]): Promise<void> {
  for (const pod of pods) await setPhase(scope, pod, 'Running');
}

/** Waits until the status of an object has these fields. Returns the object. */
export async function untilStatus(scope: Scope, path: string, fields: Fields): Promise<Body> {
  const { body } = await scope.eventually(path, (answer) =>
    Object.entries(fields).every(([name, value]) => statusOf(answer.body)[name] === value),
  );
  return body;
}

/** Returns the status of an object. */
export function statusOf({ status }: Body): Record<string, unknown> {
  return (status ?? {}) as Record<string, unknown>;
}

/** Waits until a condition of an object has a status, and a reason if one is given. Returns the condition. */
export async function untilCondition(
  scope: Scope,
  path: string,
  type: string,
  status: string,
  reason?: string,
): Promise<Record<string, unknown>> {
  const find = (body: Body): Record<string, unknown> | undefined =>
    ((statusOf(body)['conditions'] ?? []) as Record<string, unknown>[]).find(
      (one) =>
        one['type'] === type &&
        one['status'] === status &&
        (reason === undefined || one['reason'] === reason),
    );
  const { body } = await scope.eventually(path, (answer) => find(answer.body) !== undefined);
  return find(body) ?? {};
}

/** Waits until the ReplicaSets of a Deployment have these sizes, in any order. Returns them. */
export async function untilSizes(scope: Scope, app: string, ...sizes: number[]): Promise<Body[]> {
  const path = `${replicaSets(scope.namespace)}?labelSelector=app%3D${app}`;
  const sorted = [...sizes].sort().join();
  const sizesOf = ({ items }: Body): string => items.map(sizeOf).sort().join();
  return (await scope.eventually(path, ({ body }) => sizesOf(body) === sorted)).body.items;
}

/** Returns the number of replicas in a spec. */
export function sizeOf({ spec }: Body): number {
  return Number(spec?.['replicas']);
}

/** Marks all current and new pods of a Deployment as ready until its rollout is complete. */
export async function rollOut(scope: Scope, { name, path }: Created): Promise<Body> {
  const pods = `${scope.core('pods')}?labelSelector=app%3D${name}`;
  for (;;) {
    const { body } = await scope.api.get(path);
    const status = statusOf(body);
    const counts = ['replicas', 'updatedReplicas', 'availableReplicas'];
    const isObserved = status['observedGeneration'] === body.metadata.generation;
    if (isObserved && counts.every((count) => status[count] === sizeOf(body))) return body;
    const { items } = (await scope.api.get(pods)).body;
    for (const pod of items.filter((one) => statusOf(one)['phase'] === 'Pending')) {
      await scope.api.patch(`${scope.core('pods', pod.metadata.name)}/status`, 'strategic', ready);
    }
  }
}

const ready = {
  status: {
    phase: 'Running',
    conditions: [{ type: 'Ready', status: 'True', lastTransitionTime: '2026-01-01T00:00:00Z' }],
  },
};

/** Returns a patch that changes the image of a pod template. */
export function imagePatch(tag: string): object {
  const containers = [{ name: 'app', image: `example.com/pause:${tag}` }];
  return { spec: { template: { spec: { containers } } } };
}

/** Waits until an Event with a reason is recorded about an object. Returns its message. */
export async function untilEvent(scope: Scope, name: string, reason: string): Promise<string> {
  const selector = encodeURIComponent(`involvedObject.name=${name},reason=${reason}`);
  const path = `${scope.core('events')}?fieldSelector=${selector}`;
  const { body } = await scope.eventually(path, (answer) => answer.body.items.length > 0);
  return String(body.items[0]?.message);
}
