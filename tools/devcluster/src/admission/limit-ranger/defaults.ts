import { objectAt, objectsAt, textAt, type KubeObject } from '../../object.js';
import type { JsonObject } from '../../schema/types.js';

const annotation = 'kubernetes.io/limit-ranger';

/**
 * Sets the default limits and requests of containers that do not specify them, and records the changes in an
 * annotation.
 */
export function applyLimitDefaults(pod: KubeObject, limits: readonly JsonObject[]): void {
  const forContainers = limits.filter(({ type }) => type === 'Container');
  const defaultsOf = (field: string): JsonObject =>
    Object.assign({}, ...forContainers.map((limit) => objectAt(limit, field))) as JsonObject;
  const defaults = { requests: defaultsOf('defaultRequest'), limits: defaultsOf('default') };
  const notes = [
    ...objectsAt(pod, 'spec', 'containers').flatMap((one) => complete(one, 'container', defaults)),
    ...objectsAt(pod, 'spec', 'initContainers').flatMap((one) => complete(one, 'init container', defaults)),
  ];
  if (notes.length === 0) return;
  const text = `LimitRanger plugin set: ${notes.join('; ')}`;
  pod.metadata.annotations = { ...pod.metadata.annotations, [annotation]: text };
}

/** Returns a description of the changes, such as `cpu, memory request for container app`. */
function complete(
  container: JsonObject,
  what: string,
  defaults: { requests: JsonObject; limits: JsonObject },
): string[] {
  return (['requests', 'limits'] as const).flatMap((field) => {
    const stated = objectAt(container, 'resources', field);
    const missing = Object.keys(defaults[field]).filter((name) => !Object.hasOwn(stated, name));
    if (missing.length === 0) return [];
    const resources = { ...objectAt(container, 'resources'), [field]: { ...defaults[field], ...stated } };
    container['resources'] = resources;
    return [`${missing.sort().join(', ')} ${field.slice(0, -1)} for ${what} ${textAt(container, 'name')}`];
  });
}
