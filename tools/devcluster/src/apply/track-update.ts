import type { JsonObject, Schema } from '../schema/types.js';
import { FieldSet } from './field-set.js';
import { objectOf, withMetadata } from './json.js';
import {
  capUpdateManagers,
  decodeManagersOrNone,
  encodeManagers,
  formatTime,
  managerId,
  resetsManagedFields,
  type Manager,
  type Managers,
} from './managed-fields.js';
import { changes, defaultResetFields, disown, managedOnly, resetSet, type ResetFields } from './ownership.js';
import { objectType } from './types.js';

/** A write that is not an apply. */
export interface UpdateRequest {
  /** The stored object; undefined on create. */
  before?: JsonObject | undefined;
  /** The object to store, decoded and defaulted, before admission and before the server's own changes. */
  after: JsonObject;
  /** `fieldManager`, or the first word of the user agent. */
  manager: string;
  /** The version of the request, such as `apps/v1`. */
  apiVersion: string;
  schema?: Schema | undefined;
  subresource?: string | undefined;
  now: Date;
  /** Default: `defaultResetFields(subresource)`. */
  resetFields?: ResetFields | undefined;
  /** The empty object of the kind, with which a create is compared: see `zeroObject`. Default: none. */
  empty?: JsonObject | undefined;
}

/**
 * Returns the object with the managedFields that follow from the write: changed and added fields belong to the manager
 * (operation Update), and all other managers lose changed and removed fields. The writer can specify managedFields, or
 * `[]` or `[{}]` to remove them. An object without managers is tracked again from the next apply. Source: apimachinery
 * managedfields, fieldmanager.go and skipnonapplied.go.
 */
export function trackUpdate(request: UpdateRequest): JsonObject {
  const { before, after, subresource } = request;
  const managers = managersOf(before, after, subresource);
  const bare = withMetadata(after, { managedFields: undefined });
  const exists = objectOf(before?.['metadata'])['uid'] !== undefined;
  if (managers.size === 0 && exists) return bare;
  return encodeManagers(bare, ownersAfterUpdate(request, managers));
}

function managersOf(
  before: JsonObject | undefined,
  after: JsonObject,
  subresource: string | undefined,
): Managers {
  if (subresource === undefined) {
    if (resetsManagedFields(after)) return new Map();
    const given = decodeManagersOrNone(after);
    if (given.size > 0) return given;
  }
  return decodeManagersOrNone(before);
}

/** Returns the managers after a write by `request.manager`. */
export function ownersAfterUpdate(request: UpdateRequest, managers: Managers): Managers {
  const { after, manager, apiVersion, schema, subresource, now } = request;
  const before = withMetadata(request.before ?? request.empty ?? {}, { managedFields: undefined });
  const reset = resetSet(request.resetFields ?? defaultResetFields(subresource));
  const change = changes(
    before,
    withMetadata(after, { managedFields: undefined }),
    objectType(schema),
    reset,
  );
  const owners = disown(managers, undefined, change);
  const taken = managedOnly(change.added.union(change.modified));
  if (!taken.isEmpty()) {
    const self: Manager = {
      manager: manager === '' ? 'unknown' : manager,
      operation: 'Update',
      apiVersion,
      subresource,
      time: formatTime(now),
      fields: taken,
    };
    const id = managerId(self);
    owners.set(id, { ...self, fields: taken.union(owners.get(id)?.fields ?? new FieldSet()) });
  }
  return capUpdateManagers(owners);
}
