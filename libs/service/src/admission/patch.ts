import type { KubeObject } from '@interlock/api';
import type { JsonPatchOperation } from './types.js';

/**
 * Returns the JSON patch that sets annotations of an object; a value of undefined removes an annotation. The patch is
 * empty if nothing differs.
 */
export function annotationPatch(
  { metadata }: KubeObject,
  desired: Readonly<Record<string, string | undefined>>,
): JsonPatchOperation[] {
  const present = metadata.annotations;
  const operations = Object.entries(desired).flatMap(([key, value]): JsonPatchOperation[] => {
    const path = `/metadata/annotations/${escapePointer(key)}`;
    const before = present !== undefined && Object.hasOwn(present, key) ? present[key] : undefined;
    if (value === before) return [];
    return value === undefined ? [{ op: 'remove', path }] : [{ op: 'add', path, value }];
  });
  if (operations.length === 0 || present !== undefined) return operations;
  return [{ op: 'add', path: '/metadata/annotations', value: {} }, ...operations];
}

/** Escapes one part of a JSON pointer (RFC 6901). */
function escapePointer(key: string): string {
  return key.replaceAll('~', '~0').replaceAll('/', '~1');
}
