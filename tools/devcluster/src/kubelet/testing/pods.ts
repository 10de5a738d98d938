import { expect } from '@jest/globals';
import { objectsAt, textAt } from '../../object.js';
import type { JsonObject } from '../../schema/types.js';
import type { Reply } from '../../testing/client.js';
import type { Harness } from '../../testing/harness.js';

export const pods = '/api/v1/namespaces/default/pods';

/** Returns a pod with one container. */
export function pod(
  name: string,
  { labels = {}, ...spec }: JsonObject = {},
  metadata: JsonObject = {},
): JsonObject {
  const containers = [{ name: 'app', image: 'example.com/app:1' }];
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, labels, ...metadata },
    spec: { containers, ...spec },
  };
}

/** Returns the spec of a pod that requests cpu. */
export const cpu = (amount: string): JsonObject => ({
  containers: [{ name: 'app', image: 'x', resources: { requests: { cpu: amount } } }],
});
/** Returns the spec of a pod for one node. */
export const on = (name: string): JsonObject => ({ nodeSelector: { 'kubernetes.io/hostname': name } });
/** Returns whether an object does not exist. */
export const gone = ({ status }: Reply): boolean => status === 404;
/** Returns whether a pod is in a phase. */
export const inPhase =
  (phase: string) =>
  ({ body }: Reply): boolean =>
    textAt(body, 'status', 'phase') === phase;
/** Returns a condition of an object. */
export const condition = ({ body }: Reply, type: string): JsonObject | undefined =>
  objectsAt(body, 'status', 'conditions').find((one) => one['type'] === type);
/** Returns whether an object has the condition Ready. */
export const isReady = (reply: Reply): boolean => condition(reply, 'Ready')?.['status'] === 'True';
/** Returns the taints of a node. */
export const taintsOf = ({ body }: Reply): string[] =>
  objectsAt(body, 'spec', 'taints').map(({ key, effect }) => `${String(key)}:${String(effect)}`);
/** Returns whether a node has no taints. */
export const untainted = (reply: Reply): boolean => taintsOf(reply).length === 0;

/** Creates a pod and waits until it runs. */
export async function start(
  api: Harness,
  name: string,
  spec: JsonObject = {},
  metadata: JsonObject = {},
): Promise<Reply> {
  expect((await api.create(pods, pod(name, spec, metadata))).status).toBe(201);
  return api.until(`${pods}/${name}`, inPhase('Running'));
}

/** Waits for a number of events of a pod. Returns the reason and the message of each event. */
export async function eventsOf(api: Harness, name: string, count: number): Promise<string[]> {
  const path = `/api/v1/namespaces/default/events?fieldSelector=involvedObject.name=${name}`;
  const { body } = await api.until(path, (reply) => objectsAt(reply.body, 'items').length >= count);
  return objectsAt(body, 'items').map(({ reason, message }) => `${String(reason)}: ${String(message)}`);
}
