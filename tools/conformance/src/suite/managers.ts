import type { Body, ManagedFields } from './body.js';

/** Returns the fields that a manager owns, as `managedFields` states them; undefined when it owns none. */
export function ownedBy(
  { metadata }: Body,
  manager: string,
  operation: 'Apply' | 'Update' = 'Apply',
  subresource?: string,
): Record<string, unknown> | undefined {
  return entriesOf(metadata.managedFields, manager).find(
    (entry) => entry.operation === operation && entry.subresource === subresource,
  )?.fieldsV1;
}

function entriesOf(entries: readonly ManagedFields[] = [], manager: string): ManagedFields[] {
  return entries.filter((entry) => entry.manager === manager);
}

/** Returns the names of the managers of an object. */
export function managersOf({ metadata }: Body): string[] {
  return (metadata.managedFields ?? []).map(({ manager }) => manager);
}
