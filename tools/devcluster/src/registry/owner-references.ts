import type { KubeObject } from '../object.js';
import { invalid } from '../schema/field-error.js';
import { isObject, jsonEqual } from '../schema/json.js';
import type { Cause } from '../schema/types.js';

/** Returns the problems with owner references. Source: apimachinery/pkg/api/validation, objectmeta.go. */
export function validateOwners(owners: readonly object[]): Cause[] {
  const causes: Cause[] = [];
  const controllers: string[] = [];
  /* The causes do not contain the index of the owner. */
  const field = 'metadata.ownerReferences';
  for (const owner of owners) {
    if (!isObject(owner)) continue;
    const text = (key: string): string => (typeof owner[key] === 'string' ? owner[key] : '');
    if (text('apiVersion') === '')
      causes.push(invalid(`${field}.apiVersion`, '', 'version must not be empty'));
    for (const key of ['kind', 'name', 'uid']) {
      if (text(key) === '') causes.push(invalid(`${field}.${key}`, '', 'must not be empty'));
    }
    if (text('apiVersion') === 'v1' && text('kind') === 'Event') {
      causes.push(invalid(field, owner, '/v1, Kind=Event is disallowed from being an owner'));
    }
    if (owner['controller'] === true) controllers.push(`${text('kind')}/${text('name')}`);
  }
  if (controllers.length > 1) {
    const named = controllers.slice(0, 2).join(' and ');
    const detail = `Only one reference can have Controller set to true. Found "true" in references for ${named}`;
    causes.push(invalid(field, owners, detail));
  }
  return causes;
}

/** Drops owner references that equal an earlier one, with a warning. Source: apiserver endpoints/handlers/rest.go. */
export function dropRepeatedOwners({ metadata }: KubeObject, warn: (text: string) => void, when = ''): void {
  const { ownerReferences = [] } = metadata;
  const repeated = ownerReferences.filter((owner, index) =>
    ownerReferences.slice(0, index).some((earlier) => jsonEqual(earlier, owner)),
  );
  if (repeated.length === 0) return;
  metadata.ownerReferences = ownerReferences.filter((owner) => !repeated.includes(owner));
  warn(
    `.metadata.ownerReferences contains duplicate entries${when}; API server dedups owner references in 1.20+, and may reject such requests as early as 1.24; please fix your requests; duplicate UID(s) observed: ${repeated.map(({ uid }) => uid).join(', ')}`,
  );
}
