import { fieldManagers } from '@interlock/api';
import * as z from 'zod';

/**
 * A manager that set a field, as `metadata.managedFields` records it (Kubernetes documentation, "Server-Side Apply").
 */
export interface FieldOwner {
  manager: string;
  /** Whether the manager used server-side apply; otherwise, it used an update. */
  applies: boolean;
}

const entry = z.object({
  manager: z.string().default('unknown'),
  operation: z.string(),
  subresource: z.string().optional(),
  fieldsV1: z.record(z.string(), z.unknown()).default({}),
});

/**
 * Returns the managers that own a field.
 *
 * @param path such as `['f:spec', 'f:suspend']`
 */
export function ownersOf(managedFields: readonly unknown[] = [], path: readonly string[]): FieldOwner[] {
  return managedFields.flatMap((raw) => {
    const { data } = entry.safeParse(raw);
    if (data === undefined || !owns(data.fieldsV1, path)) return [];
    return [{ manager: data.manager, applies: data.operation === 'Apply' }];
  });
}

function owns(fields: unknown, [first, ...rest]: readonly string[]): boolean {
  if (first === undefined) return true;
  if (typeof fields !== 'object' || fields === null) return false;
  const below = Object.entries(fields).find(([name]) => name === first);
  return below !== undefined && owns(below[1], rest);
}

/** Returns whether this controller is among the owners. */
export function isOurs(owners: readonly FieldOwner[]): boolean {
  return owners.some(isUs);
}

/** Returns the owners other than this controller. */
export function others(owners: readonly FieldOwner[]): FieldOwner[] {
  return owners.filter((owner) => !isUs(owner));
}

function isUs({ manager, applies }: FieldOwner): boolean {
  return applies && manager === fieldManagers.gateController;
}

/** Managers that write manifests by updates, and therefore write the same values again. */
const updatingAppliers = new Set([
  'kubectl-client-side-apply',
  'helm',
  'argocd-controller',
  'argocd-application-controller',
]);

/** Returns whether an owner writes the values of a manifest, so that it would undo a change. */
export function writesManifests({ manager, applies }: FieldOwner): boolean {
  return applies || updatingAppliers.has(manager);
}
