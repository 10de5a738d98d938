import { ApiError, conflict } from '../../api/api-error.js';
import { updateObject } from '../../api/update.js';
import { objectAt, objectsAt, textAt, type KubeObject } from '../../object.js';
import type { Call, CallAnswer } from '../../registry/resource.js';
import { notSupported, required } from '../../schema/field-error.js';
import { admitSubresource, asNamed, created, withOwnCondition } from './subresource.js';

/** Handles `POST …/pods/<name>/binding`: assigns the pod to a node once. Throws ApiError. */
export async function bindPod(call: Call): Promise<CallAnswer> {
  const { cluster, namespace, name, context, resource } = call;
  const binding = asNamed(call, ['v1'], 'Binding');
  const node = nodeOf(binding);
  await admitSubresource(call, 'binding', '', binding);
  const change = (pod: KubeObject): KubeObject => assigned(pod, binding, node, cluster.now());
  const update = { namespace, name, subresource: 'binding', managed: true, change };
  await updateObject({ ...cluster, admission: [] }, resource, update, context);
  return created;
}

/** Returns the name of the node. Throws a 500, because the API server does not convert these errors to a 422. */
function nodeOf(binding: KubeObject): string {
  const kind = textAt(binding, 'target', 'kind');
  const name = textAt(binding, 'target', 'name');
  const causes = [
    ...(kind === '' || kind === 'Node' ? [] : [notSupported('target.kind', kind, ['Node', '<empty>'])]),
    ...(name === '' ? [required('target.name')] : []),
  ];
  if (causes.length === 0) return name;
  const texts = causes.map(({ field, message }) => `${field}: ${message}`);
  throw new ApiError(500, undefined, texts.length === 1 ? texts.join() : `[${texts.join(', ')}]`);
}

/** Returns the pod on its node. Throws a 409 when it cannot be assigned. */
function assigned(pod: KubeObject, binding: KubeObject, node: string, now: Date): KubeObject {
  const { name, uid, deletionTimestamp } = pod.metadata;
  const refused = (why: string): ApiError => conflict({ group: '', kind: 'pods/binding', name }, why);
  const expected = binding.metadata.uid ?? '';
  if (expected !== '' && expected !== uid) {
    throw refused(`Precondition failed: UID in precondition: ${expected}, UID in object meta: ${uid ?? ''}`);
  }
  const present = textAt(pod, 'spec', 'nodeName');
  if (deletionTimestamp !== undefined) {
    throw refused(`pod ${name} is being deleted, cannot be assigned to a host`);
  }
  if (present !== '') throw refused(`pod ${name} is already assigned to node "${present}"`);
  if (objectsAt(pod, 'spec', 'schedulingGates').length > 0) {
    throw refused(`pod ${name} has non-empty .spec.schedulingGates`);
  }
  const { nominatedNodeName: _nominated, ...status } = objectAt(pod, 'status');
  const annotations = { ...pod.metadata.annotations, ...binding.metadata.annotations };
  const metadata = Object.keys(annotations).length > 0 ? { ...pod.metadata, annotations } : pod.metadata;
  const bound = { ...pod, metadata, spec: { ...objectAt(pod, 'spec'), nodeName: node }, status };
  return withOwnCondition(bound, { type: 'PodScheduled', status: 'True' }, now);
}
