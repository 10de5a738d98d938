import type { KubeObject } from '../object.js';
import { fieldAt } from '../quantity/fields.js';

/** Returns the spec of a pod, or an empty one if there is none. */
export function podSpecOf(pod: KubeObject): object {
  const spec = fieldAt(pod, 'spec');
  return typeof spec === 'object' && spec !== null ? spec : {};
}
