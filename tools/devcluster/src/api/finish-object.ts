import { trackUpdate } from '../apply/index.js';
import type { KubeObject, ObjectMeta } from '../object.js';
import { checkKubeFinalizer, validateMetadata } from '../registry/names.js';
import { apiVersionOf, type Resource } from '../registry/resource.js';
import { invalid as invalidValue } from '../schema/field-error.js';
import type { Cause, JsonObject } from '../schema/types.js';
import { invalid } from './api-error.js';

/** Returns the object with replaced metadata fields; undefined removes a field. */
export function withMeta(object: KubeObject, change: Partial<Record<string, unknown>>): KubeObject {
  const metadata: JsonObject = { ...object.metadata };
  for (const [key, value] of Object.entries(change)) {
    if (value === undefined) Reflect.deleteProperty(metadata, key);
    else metadata[key] = value as JsonObject;
  }
  return { ...object, metadata: metadata as ObjectMeta };
}

/** Returns the fields that a write through this path cannot change (see ResetFields of the apply module). */
export function resetFieldsOf(resource: Resource, subresource: string | undefined): string[][] {
  if (!resource.strategy.status) return [];
  if (subresource === 'status') {
    return resource.strategy.statusKeepsMetadata ? [['spec'], ['metadata']] : [['spec']];
  }
  return subresource === undefined ? [['status']] : [];
}

/** Returns the object with the managedFields that result from an ordinary write. */
export function tracked(
  resource: Resource,
  before: KubeObject | undefined,
  after: KubeObject,
  write: { manager: string; subresource: string | undefined; now: Date },
): KubeObject {
  return trackUpdate({
    before,
    after,
    manager: write.manager,
    apiVersion: apiVersionOf(resource),
    schema: resource.schema,
    subresource: write.subresource,
    now: write.now,
    resetFields: resetFieldsOf(resource, write.subresource),
    empty: resource.empty,
  }) as KubeObject;
}

/**
 * Validates an object before it is stored. Throws a 422 with all causes; `found` contains causes that are already
 * known.
 */
export function validateObject(
  resource: Resource,
  object: KubeObject,
  old: KubeObject | undefined,
  found: readonly Cause[] = [],
): void {
  const { strategy } = resource;
  const metadata = validateMetadata(object, resource.namespaced, strategy.checkName);
  const causes: Cause[] = [
    ...metadata,
    ...found,
    ...unqualifiedFinalizers(resource, object),
    ...(old === undefined ? [] : metadataChanges(resource, object, old)),
    ...(resource.custom ? resource.compiled.validate(object, old) : []),
    ...(strategy.validate?.(object, old) ?? []),
    ...(old === undefined ? [] : (strategy.validateUpdate?.(object, old) ?? [])),
  ];
  if (causes.length > 0) throw invalidObject(resource, object.metadata.name, causes);
}

/** Returns the 422 of an object of this resource. */
export function invalidObject(resource: Resource, name: string, causes: readonly Cause[]): Error {
  return invalid({ group: validationGroup(resource), kind: resource.kind, name }, causes);
}

/** Returns the group for validation. Events are validated as core objects, independent of the group of the request. */
function validationGroup({ collection, group }: Resource): string {
  return collection === 'events' ? '' : group;
}

/** The groups whose kinds accept only qualified finalizers; others accept any name (core validation of Kubernetes). */
const groupsOfQualified = ['', 'apps', 'rbac.authorization.k8s.io'];

function unqualifiedFinalizers({ custom, group }: Resource, { metadata }: KubeObject): Cause[] {
  if (custom || !groupsOfQualified.includes(group)) return [];
  return (metadata.finalizers ?? []).flatMap((finalizer, index) => {
    const wrong = checkKubeFinalizer(finalizer);
    return wrong === undefined ? [] : [invalidValue(`metadata.finalizers[${index}]`, finalizer, wrong)];
  });
}

/** Metadata fields that a client may omit from an update, but not change. */
const immutableFields = ['uid', 'deletionTimestamp', 'deletionGracePeriodSeconds'] as const;

/** Returns a cause for each immutable field of the metadata that differs. Source: apiserver registry/rest/update.go. */
export function immutableMetadata({ metadata }: KubeObject, old: KubeObject): Cause[] {
  return immutableFields.flatMap((field) => {
    const value = metadata[field];
    const isIgnored = field === 'deletionTimestamp' && old.metadata.deletionTimestamp !== undefined;
    if (value === undefined || value === '' || value === old.metadata[field] || isIgnored) return [];
    return [invalidValue(`metadata.${field}`, value, 'field is immutable')];
  });
}

/**
 * Returns the causes for finalizers that were added after deletion was requested: they can then only be removed
 * (apimachinery validation, objectmeta.go).
 */
function metadataChanges(resource: Resource, object: KubeObject, old: KubeObject): Cause[] {
  if (old.metadata.deletionTimestamp === undefined) return [];
  const before = old.metadata.finalizers ?? [];
  const added = (object.metadata.finalizers ?? []).filter((finalizer) => !before.includes(finalizer));
  if (added.length === 0) return [];
  const list = added.map((finalizer) => JSON.stringify(finalizer)).join(', ');
  const cause: Cause = {
    reason: 'FieldValueForbidden',
    message: `Forbidden: no new finalizers can be added if the object is being deleted, found new finalizers []string{${list}}`,
    field: 'metadata.finalizers',
  };
  /* The real server checks custom resources twice: once as an object, and once in their own validator. */
  return resource.custom ? [cause, cause] : [cause];
}
