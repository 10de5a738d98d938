import { jsonEqual } from '../schema/json.js';
import type { JsonObject, Schema } from '../schema/types.js';
import { checkTyped } from './check.js';
import { PatchError } from './errors.js';
import { objectOf, withMetadata } from './json.js';
import { conflictsBeyondLastApplied, syncLastApplied } from './last-applied.js';
import {
  decodeManagers,
  encodeManagers,
  formatTime,
  managerId,
  type Manager,
  type Managers,
} from './managed-fields.js';
import { mergeTyped } from './merge.js';
import {
  changes,
  conflictsOf,
  defaultResetFields,
  disown,
  managedOnly,
  resetSet,
  type ApplyConflict,
  type ResetFields,
} from './ownership.js';
import { pruneUnapplied } from './prune.js';
import { toFieldSet } from './to-field-set.js';
import { ownersAfterUpdate } from './track-update.js';
import { objectType } from './types.js';

/** A server-side apply request. */
export interface ApplyRequest {
  /** The stored object; undefined when the apply creates it. */
  live?: JsonObject | undefined;
  /** The applied configuration, as sent: not defaulted. */
  config: JsonObject;
  manager: string;
  force?: boolean | undefined;
  /** The version and kind of the request path, which the configuration must name. */
  apiVersion: string;
  kind: string;
  schema?: Schema | undefined;
  subresource?: string | undefined;
  now: Date;
  /** Default: `defaultResetFields(subresource)`. */
  resetFields?: ResetFields | undefined;
  /** See `UpdateRequest.empty`. */
  empty?: JsonObject | undefined;
}

export type ApplyResult = { object: JsonObject } | { conflicts: ApplyConflict[] };

/**
 * Merges an applied configuration into the live object. Returns the result with its managedFields, before defaulting,
 * or the conflicts with other managers. A field is removed if the manager applied it before and omits it now, and no
 * other manager owns it. Reset fields are not owned and not merged, except in the metadata, where they are merged, and
 * the caller resets them. When nothing changes, the result equals the live object, including times. Throws PatchError 400
 * for a configuration of another kind or with managedFields, 500 for a configuration that does not fit the schema.
 * Source: structured-merge-diff merge/update.go, apimachinery managedfields.
 */
export function applyServerSide(request: ApplyRequest): ApplyResult {
  const { live, config, manager } = request;
  checkConfig(request);
  const managers = live === undefined ? new Map<string, Manager>() : managersOf(request, live);
  let result = apply(request, managers);
  if ('conflicts' in result && live !== undefined && manager === 'kubectl') {
    const conflicts = conflictsBeyondLastApplied(
      result.conflicts,
      live,
      request.apiVersion,
      objectType(request.schema),
    );
    result = conflicts.length === 0 ? apply({ ...request, force: true }, managers) : { conflicts };
  }
  if ('object' in result && manager === 'kubectl') return { object: syncLastApplied(result.object, config) };
  return result;
}

function checkConfig({ config, apiVersion, kind, schema }: ApplyRequest): void {
  if (config['apiVersion'] !== apiVersion || config['kind'] !== kind) {
    throw new PatchError(400, 'BadRequest', `invalid object type: ${printKind(config)}`);
  }
  const metadata = objectOf(config['metadata']);
  if (metadata['managedFields'] !== undefined && metadata['managedFields'] !== null) {
    throw new PatchError(400, 'BadRequest', 'metadata.managedFields must be nil');
  }
  const problem = checkTyped(config, objectType(schema));
  if (problem !== undefined) {
    const text = (name: string): string => String(metadata[name] ?? '');
    const subject = `${text('namespace')}/${text('name')}; ${printKind(config)}`;
    throw new PatchError(500, undefined, `failed to create typed patch object (${subject}): ${problem}`);
  }
}

function printKind(object: JsonObject): string {
  const apiVersion = String(object['apiVersion'] ?? '');
  return `${apiVersion === '' ? '/' : apiVersion.includes('/') ? apiVersion : `/${apiVersion}`}, Kind=${String(object['kind'] ?? '')}`;
}

/** Returns the managers of the live object; an object without managers receives one for all of its fields. */
function managersOf(request: ApplyRequest, live: JsonObject): Managers {
  const managers = storedManagers(live);
  if (managers.size > 0) return managers;
  return ownersAfterUpdate(
    { ...request, before: undefined, after: live, manager: 'before-first-apply' },
    managers,
  );
}

function storedManagers(live: JsonObject): Managers {
  try {
    return decodeManagers(live);
  } catch (error) {
    throw new PatchError(500, undefined, `failed to decode managed fields: ${String(error)}`);
  }
}

/** Removes the reset fields, except in the metadata, whose name, uid and resourceVersion the server checks later. */
function withoutReset(config: JsonObject, reset: ResetFields): JsonObject {
  const fields = new Set(
    reset.flatMap(([name, ...below]) => (below.length > 0 || name === 'metadata' ? [] : [name])),
  );
  return Object.fromEntries(Object.entries(config).filter(([name]) => !fields.has(name)));
}

function apply(request: ApplyRequest, managers: Managers): ApplyResult {
  const { apiVersion, subresource, now } = request;
  const type = objectType(request.schema);
  const live = withMetadata(request.live ?? {}, { managedFields: undefined });
  const resetFields = request.resetFields ?? defaultResetFields(subresource);
  const reset = resetSet(resetFields);
  const config = withoutReset(request.config, resetFields);
  const self: Manager = {
    manager: request.manager,
    operation: 'Apply',
    apiVersion,
    subresource,
    fields: toFieldSet(config, type).recursiveDifference(reset),
  };
  const id = managerId(self);
  const owners = new Map(managers).set(id, self);
  const object = pruneUnapplied(mergeTyped(live, config, type), managers.get(id)?.fields, owners, type);
  const change = changes(live, object, type, reset);
  const conflicts = request.force === true ? [] : conflictsOf(owners, id, change);
  if (conflicts.length > 0) return { conflicts };
  const left = disown(owners, id, change);
  const fields = managedOnly(self.fields);
  const time = jsonEqual(live, object) ? managers.get(id)?.time : formatTime(now);
  if (fields.isEmpty()) left.delete(id);
  else left.set(id, { ...self, fields, time });
  return { object: encodeManagers(object, left) };
}
