import { badRequest } from '../../api/api-error.js';
import { admit, review } from '../../api/cluster.js';
import { withPodCondition, type NewCondition } from '../../controllers/conditions.js';
import { formatSeconds, objectAt, objectsAt, type KubeObject } from '../../object.js';
import type { Call, CallAnswer } from '../../registry/resource.js';
import { isObject } from '../../schema/json.js';
import type { JsonObject } from '../../schema/types.js';

/** The response of a pod subresource without its own object. */
export const created: CallAnswer = {
  code: 201,
  object: { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', code: 201 },
};

/** Returns the body as an object of a kind. Throws a 400 for another kind, or a name that differs from the path. */
export function asNamed({ body, name }: Call, apiVersions: readonly string[], kind: string): KubeObject {
  if (!isObject(body)) throw badRequest(`the body is not a ${kind}`);
  const { apiVersion = apiVersions[0] ?? '', kind: sentKind = kind } = body;
  if (sentKind !== kind || typeof apiVersion !== 'string' || !apiVersions.includes(apiVersion)) {
    throw badRequest(`${String(sentKind)} in ${JSON.stringify(apiVersion)} cannot be handled as a ${kind}`);
  }
  const metadata = isObject(body['metadata']) ? body['metadata'] : {};
  if (metadata['name'] !== name) throw badRequest(`name in URL does not match name in ${kind} object`);
  return { ...body, apiVersion, kind, metadata: { ...metadata, name } };
}

/** Runs admission for the creation of an object that is not stored. Throws the error of a plugin. */
export async function admitSubresource(
  { cluster, context, resource, namespace, name }: Call,
  subresource: string,
  group: string,
  object: KubeObject,
): Promise<void> {
  const request = {
    operation: 'CREATE' as const,
    subresource,
    object,
    old: undefined,
    view: {
      kind: { group, version: 'v1', kind: object.kind },
      show: (shown: KubeObject) => shown,
      restore: (target: KubeObject, shown: JsonObject) => void Object.assign(target, shown),
    },
    ...context,
    resource,
    namespace,
    name,
  };
  await admit(cluster, request);
  await review(cluster, request);
}

/** Returns a pod with a condition of its present generation set, as the API server sets it. */
export function withOwnCondition(pod: KubeObject, condition: NewCondition, now: Date): KubeObject {
  const status = objectAt(pod, 'status');
  const { generation } = pod.metadata;
  const conditions = withPodCondition(
    objectsAt(status, 'conditions'),
    { ...condition, ...(generation !== undefined && { observedGeneration: generation }) },
    formatSeconds(now),
  );
  return { ...pod, status: { ...status, conditions } };
}
