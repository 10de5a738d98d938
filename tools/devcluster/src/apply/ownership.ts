import { compareTyped, excludeFields, type Comparison } from './compare.js';
import { FieldSet } from './field-set.js';
import { printPath } from './path-element.js';
import type { Manager, Managers, Operation } from './managed-fields.js';
import type { JsonObject } from '../schema/types.js';
import type { Type } from './types.js';

/** A field that another manager owns with another value. */
export interface ApplyConflict {
  manager: string;
  operation: Operation;
  apiVersion: string;
  subresource?: string | undefined;
  /** The path in the format of Status causes: `.spec.size`. */
  field: string;
}

/** Fields that have no managers in any object (apimachinery managedfields, stripmeta.go). */
const unmanaged = FieldSet.of(
  ['f:apiVersion'],
  ['f:kind'],
  ['f:metadata'],
  ...[
    'name',
    'namespace',
    'creationTimestamp',
    'selfLink',
    'uid',
    'clusterName',
    'generation',
    'managedFields',
    'resourceVersion',
  ].map((name) => ['f:metadata', `f:${name}`]),
);

/** Returns a set without the fields that have no managers. */
export function managedOnly(fields: FieldSet): FieldSet {
  return fields.difference(unmanaged);
}

/**
 * The fields that a request cannot change because the server resets them: `status` on the main resource, and on the
 * status subresource everything it may not write.
 */
export type ResetFields = readonly (readonly string[])[];

/** Returns the usual reset fields of a custom resource with a status subresource; for a kind without it, pass `[]`. */
export function defaultResetFields(subresource: string | undefined): ResetFields {
  if (subresource === undefined) return [['status']];
  return subresource === 'status' ? [['spec'], ['metadata']] : [];
}

/** Returns the reset fields as a set. */
export function resetSet(fields: ResetFields): FieldSet {
  return FieldSet.of(...fields.map((path) => path.map((name) => `f:${name}`)));
}

/** Returns the changes of a write, without the reset fields. */
export function changes(before: JsonObject, after: JsonObject, type: Type, reset: FieldSet): Comparison {
  return excludeFields(compareTyped(before, after, type), reset);
}

/** Returns the fields of other managers whose value a write changes. */
export function conflictsOf(
  managers: Managers,
  self: string,
  { added, modified }: Comparison,
): ApplyConflict[] {
  const changed = added.union(modified);
  return [...managers]
    .filter(([id]) => id !== self)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([, manager]) =>
      manager.fields
        .intersection(changed)
        .members()
        .map((path) => ({ ...identity(manager), field: printPath(path) })),
    );
}

function identity({ manager, operation, apiVersion, subresource }: Manager): Omit<ApplyConflict, 'field'> {
  return { manager, operation, apiVersion, subresource };
}

/** Returns all managers except `self` without the changed and removed fields. Managers without fields are dropped. */
export function disown(managers: Managers, self: string | undefined, change: Comparison): Managers {
  const lost = change.added.union(change.modified).union(change.removed);
  const left = [...managers].map(([id, manager]): [string, Manager] =>
    id === self ? [id, manager] : [id, { ...manager, fields: manager.fields.difference(lost) }],
  );
  return new Map(left.filter(([, { fields }]) => !fields.isEmpty()));
}
