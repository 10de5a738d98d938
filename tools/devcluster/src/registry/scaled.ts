import { valueAt, type KubeObject } from '../object.js';
import { invalid } from '../schema/field-error.js';
import type { Cause } from '../schema/types.js';
import type { ScalePaths } from './resource.js';

const maxReplicas = 2 ** 31 - 1;

/** Returns the causes for which a custom object cannot be shown as a Scale. Source: apiextensions-apiserver pkg/registry/customresource/validator.go. */
export function checkScaled(
  object: KubeObject,
  { specReplicasPath, statusReplicasPath }: ScalePaths,
): Cause[] {
  return [specReplicasPath, statusReplicasPath].flatMap((path) => {
    const replicas = valueAt(object, ...pathKeys(path));
    if (typeof replicas !== 'number') return [];
    if (replicas < 0) return [invalid(path, replicas, 'should be a non-negative integer')];
    if (replicas <= maxReplicas) return [];
    return [invalid(path, replicas, `should be less than or equal to ${maxReplicas}`)];
  });
}

/** Returns the keys of a simple JSONPath: `.spec.replicas` → `spec`, `replicas`. */
export function pathKeys(path: string): string[] {
  return path.split('.').filter((key) => key !== '');
}
