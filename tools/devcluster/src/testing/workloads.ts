import { objectAt, objectsAt, textAt, type KubeObject } from '../object.js';
import type { JsonObject } from '../schema/types.js';
import type { Harness } from './harness.js';

export const deploymentsPath = '/apis/apps/v1/namespaces/default/deployments';
export const replicaSetsPath = '/apis/apps/v1/namespaces/default/replicasets';
export const jobsPath = '/apis/batch/v1/namespaces/default/jobs';
export const podsPath = '/api/v1/namespaces/default/pods';

/** Returns a pod template with one container. */
function podTemplate(labels: Record<string, string>, spec: JsonObject = {}): JsonObject {
  return {
    metadata: { labels },
    spec: { containers: [{ name: 'app', image: 'example.com/app:1' }], ...spec },
  };
}

/** Returns a Deployment or a ReplicaSet with the label `app`. */
export function replicated(
  kind: 'Deployment' | 'ReplicaSet',
  name: string,
  spec: JsonObject = {},
): JsonObject & { metadata: JsonObject } {
  const labels = { app: name };
  return {
    apiVersion: 'apps/v1',
    kind,
    metadata: { name },
    spec: { replicas: 2, selector: { matchLabels: labels }, template: podTemplate(labels), ...spec },
  };
}

/** Returns a Job with one container that is not restarted. */
export function job(name: string, spec: JsonObject = {}): JsonObject {
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { name },
    spec: { template: podTemplate({}, { restartPolicy: 'Never' }), ...spec },
  };
}

/** Waits until a label selector finds a number of pods that are not being deleted, and returns them. */
export async function podsOf(harness: Harness, selector: string, count: number): Promise<KubeObject[]> {
  const path = `${podsPath}?labelSelector=${encodeURIComponent(selector)}`;
  const { body } = await harness.until(path, (reply) => active(reply.body).length === count);
  return active(body);
}

function active(list: JsonObject): KubeObject[] {
  return (objectsAt(list, 'items') as KubeObject[]).filter(
    ({ metadata }) => metadata.deletionTimestamp === undefined,
  );
}

/** Writes the status of a pod as a kubelet does. */
export async function setPhase(
  harness: Harness,
  { metadata }: KubeObject,
  phase: 'Running' | 'Succeeded' | 'Failed',
): Promise<void> {
  const status = phase === 'Running' ? 'True' : 'False';
  const conditions = [{ type: 'Ready', status, lastTransitionTime: '2030-01-01T00:00:00Z' }];
  const reply = await harness.patch(`${podsPath}/${metadata.name}/status`, { status: { phase, conditions } });
  if (reply.status !== 200) throw new Error(reply.text);
}

/** Returns the status of a condition, empty when there is none. */
export function conditionStatus(object: JsonObject, type: string): string {
  const found = objectsAt(object, 'status', 'conditions').find((one) => one['type'] === type);
  return found === undefined ? '' : textAt(found, 'status');
}

/** Returns `reason: message` of the events of an object, sorted. */
export async function eventsOf(harness: Harness, name: string): Promise<string[]> {
  const selector = encodeURIComponent(`involvedObject.name=${name}`);
  const { body } = await harness.get(`/api/v1/namespaces/default/events?fieldSelector=${selector}`);
  return objectsAt(body, 'items')
    .map((event) => `${textAt(event, 'reason')}: ${textAt(event, 'message')}`)
    .sort();
}

/** Returns the number of replicas in a spec. */
export function replicasOf(object: JsonObject): number {
  return Number(objectAt(object, 'spec')['replicas']);
}
