import type { Json, JsonObject } from './schema/types.js';

/** `metav1.OwnerReference`. */
export interface OwnerReference extends JsonObject {
  apiVersion: string;
  kind: string;
  name: string;
  uid: string;
  controller?: boolean;
  blockOwnerDeletion?: boolean;
}

/** `metav1.ObjectMeta`. Timestamps are RFC 3339 with whole seconds. */
export interface ObjectMeta extends JsonObject {
  name: string;
  generateName?: string;
  namespace?: string;
  uid?: string;
  resourceVersion?: string;
  generation?: number;
  creationTimestamp?: string;
  deletionTimestamp?: string;
  deletionGracePeriodSeconds?: number;
  labels?: Record<string, string>;
  annotations?: Record<string, string>;
  finalizers?: string[];
  ownerReferences?: OwnerReference[];
  managedFields?: JsonObject[];
}

/** Any object of the API. */
export interface KubeObject extends JsonObject {
  apiVersion: string;
  kind: string;
  metadata: ObjectMeta;
}

/** Returns a time in the format of `metav1.Time`: UTC, in seconds. */
export function formatSeconds(moment: Date): string {
  return `${moment.toISOString().slice(0, 19)}Z`;
}

/** Returns the value at a path of object keys, or undefined when any part is missing or is not an object. */
export function valueAt(object: JsonObject, ...path: string[]): Json | undefined {
  let value: Json | undefined = object;
  for (const key of path) {
    if (typeof value !== 'object' || value === null || Array.isArray(value) || !Object.hasOwn(value, key)) {
      return undefined;
    }
    value = value[key];
  }
  return value;
}

/** Returns the text at a path, empty when there is none. */
export function textAt(object: JsonObject, ...path: string[]): string {
  const value = valueAt(object, ...path);
  return typeof value === 'string' ? value : '';
}

/** Returns the objects of the list at a path; anything else counts as empty. */
export function objectsAt(object: JsonObject, ...path: string[]): JsonObject[] {
  const value = valueAt(object, ...path);
  return Array.isArray(value)
    ? value.filter(
        (item): item is JsonObject => typeof item === 'object' && item !== null && !Array.isArray(item),
      )
    : [];
}

/** Returns the object at a path, an empty one (not attached) when there is none. */
export function objectAt(object: JsonObject, ...path: string[]): JsonObject {
  const value = valueAt(object, ...path);
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : {};
}

/** Returns the strings of the list at a path; anything else counts as empty. */
export function textsAt(object: JsonObject, ...path: string[]): string[] {
  const value = valueAt(object, ...path);
  return Array.isArray(value) ? value.filter((item): item is string => typeof item === 'string') : [];
}
