import type { JsonObject } from '../schema/types.js';
import { FieldSet } from './field-set.js';
import type { Managers } from './managed-fields.js';
import { removeFields, withNamedParents } from './remove.js';
import { toFieldSet } from './to-field-set.js';
import type { Type } from './types.js';

/**
 * Returns the merged object without fields that the manager applied before (`last`) and does not apply now, and that
 * have no other owner. `owners` already contains the manager's new fields. Fields without an owner stay, unless their
 * last owned parent is removed. Source: structured-merge-diff merge/update.go (prune, addBackOwnedItems,
 * addBackDanglingItems).
 */
export function pruneUnapplied(
  merged: JsonObject,
  last: FieldSet | undefined,
  owners: Managers,
  type: Type,
): JsonObject {
  if (last === undefined || last.isEmpty()) return merged;
  const stated = (object: JsonObject): FieldSet => withNamedParents(toFieldSet(object, type), type);
  const all = stated(merged);
  const formerly = withNamedParents(last, type);
  const owned = [...owners.values()].reduce((union, { fields }) => union.union(fields), new FieldSet());

  const untouched = stated(removeFields(merged, formerly, type));
  const held = withNamedParents(owned, type);
  const unowned = all.difference(untouched.union(held));
  /* An owned field stays, even if all its content is removed. */
  const kept = stated(removeFields(merged, unowned, type)).union(all.intersection(held));
  return removeFields(merged, all.difference(kept).intersection(formerly), type);
}
