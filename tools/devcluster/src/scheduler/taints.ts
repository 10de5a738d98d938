import { textAt } from '../object.js';
import type { JsonObject } from '../schema/types.js';

/** Returns whether a toleration matches a taint. Source: k8s.io/component-helpers/scheduling/corev1. */
export function tolerates(toleration: JsonObject, taint: JsonObject): boolean {
  const effect = textAt(toleration, 'effect');
  if (effect !== '' && effect !== textAt(taint, 'effect')) return false;
  const key = textAt(toleration, 'key');
  if (key !== '' && key !== textAt(taint, 'key')) return false;
  switch (textAt(toleration, 'operator') || 'Equal') {
    case 'Exists':
      return true;
    case 'Equal':
      return key !== '' && textAt(toleration, 'value') === textAt(taint, 'value');
    default:
      return false;
  }
}

/** Returns the taints with one of the effects that no toleration matches. */
export function untolerated(
  taints: readonly JsonObject[],
  tolerations: readonly JsonObject[],
  effects: readonly string[],
): JsonObject[] {
  return taints.filter(
    (taint) =>
      effects.includes(textAt(taint, 'effect')) &&
      !tolerations.some((toleration) => tolerates(toleration, taint)),
  );
}
