import { goJson, isObject } from '../schema/json.js';
import type { Json, JsonObject } from '../schema/types.js';
import { compareTyped } from './compare.js';
import { FieldSet } from './field-set.js';
import { objectOf, withMetadata } from './json.js';
import type { ApplyConflict } from './ownership.js';
import { printPath } from './path-element.js';
import { toFieldSet } from './to-field-set.js';
import type { Type } from './types.js';

const annotation = 'kubectl.kubernetes.io/last-applied-configuration';

/**
 * Returns the conflicts that remain when `kubectl apply --server-side` takes over an object from client-side apply:
 * fields that still have the value in the last-applied annotation belong to kubectl. Source: apimachinery
 * managedfields, lastappliedmanager.go.
 */
export function conflictsBeyondLastApplied(
  conflicts: readonly ApplyConflict[],
  live: JsonObject,
  apiVersion: string,
  type: Type,
): ApplyConflict[] {
  const own = new Set(lastAppliedFields(live, apiVersion, type).members().map(printPath));
  return conflicts.filter(({ field }) => !own.has(field));
}

function lastAppliedFields(live: JsonObject, apiVersion: string, type: Type): FieldSet {
  const last = parse(annotations(live)[annotation]);
  if (last?.['apiVersion'] !== apiVersion) return new FieldSet();
  const { added, modified, removed } = compareTyped(last, live, type);
  return toFieldSet(last, type).difference(added.union(modified).union(removed));
}

function parse(text: Json | undefined): JsonObject | undefined {
  try {
    const parsed: unknown = typeof text === 'string' ? JSON.parse(text) : undefined;
    return isObject(parsed) ? parsed : undefined;
  } catch {
    return undefined;
  }
}

/** Returns the object with its last-applied annotation, when it has one, set to the configuration. */
export function syncLastApplied(object: JsonObject, config: JsonObject): JsonObject {
  const current = annotations(object);
  if (typeof current[annotation] !== 'string' || current[annotation] === '') return object;
  const { [annotation]: _, ...others } = annotations(config);
  const stated = withMetadata(config, { annotations: Object.keys(others).length === 0 ? undefined : others });
  return withMetadata(object, { annotations: { ...current, [annotation]: `${goJson(stated)}\n` } });
}

function annotations(object: JsonObject): JsonObject {
  return objectOf(objectOf(object['metadata'])['annotations']);
}
