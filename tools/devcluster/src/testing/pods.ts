import type { JsonObject } from '../schema/types.js';
import type { ImageTable } from '../kubelet/process/image-table.js';
import type { Harness } from './harness.js';
import type { Reply } from './client.js';

export const nodeName = 'node-1';
export const podsPath = '/api/v1/namespaces/default/pods';

/** Images of tests: a shell, and Node.js for a script in the arguments. */
export const testImages: ImageTable = {
  'test/sh': { command: ['sh', '-c'] },
  'test/node': { command: [process.execPath, '--eval'] },
};

/** Returns a container that runs a shell script. */
export function shell(name: string, script: string, fields: JsonObject = {}): JsonObject {
  return { name, image: 'test/sh:1', args: [script], ...fields };
}

/** Returns a pod for the node of the tests. */
export function pod(
  name: string,
  containers: JsonObject[],
  spec: JsonObject = {},
  metadata: JsonObject = {},
): JsonObject {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, ...metadata },
    spec: { nodeName, containers, ...spec },
  };
}

/** Creates a pod. Throws if it is refused. */
export async function createPod(api: Harness, body: JsonObject): Promise<void> {
  const reply = await api.create(podsPath, body);
  if (reply.status !== 201) throw new Error(reply.text);
}

/** Waits until the status of a pod passes a test. */
export function untilStatus(
  api: Harness,
  name: string,
  test: (status: JsonObject) => boolean,
): Promise<Reply> {
  return api.until(`${podsPath}/${name}`, ({ body }) => test((body['status'] ?? {}) as JsonObject));
}

/** Waits until a pod is deleted. */
export function untilGone(api: Harness, name: string): Promise<Reply> {
  return api.until(`${podsPath}/${name}`, ({ status }) => status === 404);
}

/** Returns the log of a pod as text. */
export async function logOf(api: Harness, name: string, query = ''): Promise<string> {
  return (await api.get(`${podsPath}/${name}/log?${query}`)).text;
}

/** Returns the reason and the message of each event about a pod, in the order of their reports. */
export async function eventsOf(api: Harness, name: string): Promise<string[]> {
  const selector = encodeURIComponent(`involvedObject.name=${name}`);
  const { body } = await api.get(`/api/v1/namespaces/default/events?fieldSelector=${selector}`);
  const items = body['items'] as { reason: string; message: string; metadata: { resourceVersion: string } }[];
  return items
    .sort((a, b) => Number(a.metadata.resourceVersion) - Number(b.metadata.resourceVersion))
    .map(({ reason, message }) => `${reason}: ${message}`);
}
