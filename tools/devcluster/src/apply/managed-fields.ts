import { isObject } from '../schema/json.js';
import type { Json, JsonObject } from '../schema/types.js';
import { FieldSet } from './field-set.js';
import { objectOf, withMetadata } from './json.js';

export type Operation = 'Apply' | 'Update';

/** One decoded entry of `metadata.managedFields`. */
export interface Manager {
  manager: string;
  operation: Operation;
  apiVersion: string;
  subresource?: string | undefined;
  /** RFC 3339, seconds. */
  time?: string | undefined;
  fields: FieldSet;
}

/** Managers by identity. */
export type Managers = Map<string, Manager>;

const maxUpdateManagers = 10;
const oldUpdatesManager = 'ancient-changes';

/**
 * Returns the identity of an entry: manager, operation and subresource, and for updates also the API version. Source:
 * apimachinery managedfields, BuildManagerIdentifier.
 */
export function managerId({
  manager,
  operation,
  apiVersion,
  subresource,
}: Omit<Manager, 'fields' | 'time'>): string {
  return JSON.stringify({
    manager,
    operation,
    ...(operation === 'Update' ? { apiVersion } : {}),
    ...(subresource === undefined ? {} : { subresource }),
  });
}

/** Reads `metadata.managedFields`. Throws an Error when an entry is malformed. */
export function decodeManagers(object: JsonObject | undefined): Managers {
  const entries = objectOf(object?.['metadata'])['managedFields'];
  const managers: Managers = new Map();
  for (const entry of Array.isArray(entries) ? entries : []) {
    const manager = decodeManager(objectOf(entry));
    managers.set(managerId(manager), manager);
  }
  return managers;
}

function decodeManager(entry: JsonObject): Manager {
  const { operation, apiVersion, fieldsType, fieldsV1, manager, subresource, time } = entry;
  if (operation !== 'Apply' && operation !== 'Update')
    throw new Error('operation must be `Apply` or `Update`');
  if (typeof apiVersion !== 'string' || apiVersion === '') throw new Error('apiVersion must not be empty');
  if (fieldsType !== 'FieldsV1') throw new Error('fieldsType must be FieldsV1');
  return {
    manager: typeof manager === 'string' ? manager : '',
    operation,
    apiVersion,
    ...(typeof subresource === 'string' && subresource !== '' ? { subresource } : {}),
    ...(typeof time === 'string' ? { time } : {}),
    fields: FieldSet.fromFieldsV1(fieldsV1 ?? {}),
  };
}

/** Reads the managers like `decodeManagers`, but returns none if an entry is malformed. */
export function decodeManagersOrNone(object: JsonObject | undefined): Managers {
  try {
    return decodeManagers(object);
  } catch {
    return new Map();
  }
}

/** Returns whether the writer requests to remove all managers: with an empty list, or with one empty entry. */
export function resetsManagedFields(object: JsonObject): boolean {
  const entries = objectOf(object['metadata'])['managedFields'];
  if (!Array.isArray(entries)) return false;
  return (
    entries.length === 0 ||
    (entries.length === 1 && isObject(entries[0]) && Object.keys(entries[0]).length === 0)
  );
}

/** Returns the object with these managers as `metadata.managedFields`: Apply entries first, then by time and name. */
export function encodeManagers(object: JsonObject, managers: Managers): JsonObject {
  const entries = [...managers.values()].sort(compareManagers).map(encodeManager);
  return withMetadata(object, { managedFields: entries.length === 0 ? undefined : entries });
}

function encodeManager({ manager, operation, apiVersion, subresource, time, fields }: Manager): Json {
  return {
    manager,
    operation,
    apiVersion,
    ...(time === undefined ? {} : { time }),
    fieldsType: 'FieldsV1',
    fieldsV1: fields.toFieldsV1(),
    ...(subresource === undefined ? {} : { subresource }),
  };
}

function compareManagers(a: Manager, b: Manager): number {
  return (
    compareText(a.operation, b.operation) ||
    seconds(a) - seconds(b) ||
    compareText(a.manager, b.manager) ||
    compareText(a.apiVersion, b.apiVersion) ||
    compareText(a.subresource ?? '', b.subresource ?? '')
  );
}

function seconds({ time }: Manager): number {
  return time === undefined ? 0 : Math.floor(Date.parse(time) / 1000);
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/**
 * Limits update managers to ten: the oldest managers of an API version are merged into the manager `ancient-changes`.
 * Source: apimachinery managedfields, capmanagers.go.
 */
export function capUpdateManagers(managers: Managers): Managers {
  const updaters = [...managers].filter(([, { operation }]) => operation === 'Update');
  let excess = updaters.length - maxUpdateManagers;
  if (excess <= 0) return managers;
  const capped = new Map(managers);
  const oldest = new Map<string, Manager>();
  updaters.sort(([idA, a], [idB, b]) => seconds(a) - seconds(b) || compareText(idA, idB));
  for (const [id, current] of updaters) {
    if (excess <= 0) break;
    const first = oldest.get(current.apiVersion);
    if (first === undefined) {
      oldest.set(current.apiVersion, current);
      continue;
    }
    const { subresource: _, ...bucket } = { ...current, manager: oldUpdatesManager };
    const bucketId = managerId(bucket);
    const previous = (id === bucketId ? undefined : capped.get(bucketId)) ?? first;
    if (previous === first) capped.delete(managerId(first));
    capped.delete(id);
    capped.set(bucketId, { ...bucket, fields: current.fields.union(previous.fields) });
    excess -= 1;
  }
  return capped;
}

/** Returns an RFC 3339 time with seconds, as `metav1.Time` has it. */
export function formatTime(now: Date): string {
  return `${now.toISOString().slice(0, 19)}Z`;
}
