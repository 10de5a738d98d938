import { objectAt, objectsAt, textAt, textsAt, valueAt, type KubeObject } from '../object.js';
import type { JsonObject } from '../schema/types.js';

/** Returns whether a node has the labels of the pod's nodeSelector and of its required node affinity. */
export function selectsNode(pod: KubeObject, node: KubeObject): boolean {
  const labels = node.metadata.labels ?? {};
  const selector = Object.entries(objectAt(pod, 'spec', 'nodeSelector'));
  if (!selector.every(([key, value]) => labels[key] === value)) return false;
  const path = ['affinity', 'nodeAffinity', 'requiredDuringSchedulingIgnoredDuringExecution'];
  if (valueAt(pod, 'spec', ...path) === undefined) return true;
  return objectsAt(pod, 'spec', ...path, 'nodeSelectorTerms').some((term) => matchesTerm(term, node));
}

/** Returns whether a term matches a node. A term without any requirement matches none. */
function matchesTerm(term: JsonObject, node: KubeObject): boolean {
  const byLabel = objectsAt(term, 'matchExpressions');
  const byField = objectsAt(term, 'matchFields');
  if (byLabel.length + byField.length === 0) return false;
  return (
    byLabel.every((requirement) => meets(requirement, node.metadata.labels ?? {})) &&
    byField.every((requirement) => meets(requirement, { 'metadata.name': node.metadata.name }))
  );
}

function meets(requirement: JsonObject, values: Readonly<Record<string, string>>): boolean {
  const key = textAt(requirement, 'key');
  const value = Object.hasOwn(values, key) ? values[key] : undefined;
  const listed = textsAt(requirement, 'values');
  switch (textAt(requirement, 'operator')) {
    case 'In':
      return value !== undefined && listed.includes(value);
    case 'NotIn':
      return value === undefined || !listed.includes(value);
    case 'Exists':
      return value !== undefined;
    case 'DoesNotExist':
      return value === undefined;
    case 'Gt':
      return isInteger(value) && Number(value) > Number(listed[0]);
    case 'Lt':
      return isInteger(value) && Number(value) < Number(listed[0]);
    default:
      return false;
  }
}

function isInteger(value: string | undefined): boolean {
  return value !== undefined && /^[+-]?\d+$/.test(value);
}
