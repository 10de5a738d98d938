import { objectsAt, type KubeObject } from '../../object.js';
import type { JsonObject } from '../../schema/types.js';

/** The result of an attempt to empty a namespace. */
export interface Remainder {
  /** The objects that remain, with the names of their resources (`configmaps.`, `roles.rbac.authorization.k8s.io`). */
  readonly objects: readonly { readonly resource: string; readonly finalizers: readonly string[] }[];
  /** The reasons why resources could not be emptied, one text for each. */
  readonly errors: readonly string[];
}

/**
 * Returns the status of a namespace that is being deleted, in the words of the namespace controller
 * (pkg/controller/namespace/deletion/status_condition_utils.go). A condition keeps the time of its last transition.
 */
export function terminatingStatus(namespace: KubeObject, remainder: Remainder, now: string): JsonObject {
  const before = objectsAt(namespace, 'status', 'conditions');
  const conditions = [
    condition('NamespaceDeletionDiscoveryFailure', false, [
      'ResourcesDiscovered',
      'All resources successfully discovered',
    ]),
    condition('NamespaceDeletionGroupVersionParsingFailure', false, [
      'ParsedGroupVersions',
      'All legacy kube types successfully parsed',
    ]),
    contentFailure(remainder.errors),
    contentRemaining(remainder.objects.map(({ resource }) => resource)),
    finalizersRemaining(remainder.objects.flatMap(({ finalizers }) => finalizers)),
  ];
  return {
    phase: 'Terminating',
    conditions: conditions.map(({ type, status, reason, message }) => {
      const same = before.find((one) => one['type'] === type && one['status'] === status);
      return { type, status, lastTransitionTime: same?.['lastTransitionTime'] ?? now, reason, message };
    }),
  };
}

interface Condition {
  type: string;
  status: 'True' | 'False';
  reason: string;
  message: string;
}

function condition(type: string, isTrue: boolean, [reason, message]: readonly [string, string]): Condition {
  return { type, status: isTrue ? 'True' : 'False', reason, message };
}

function contentFailure(errors: readonly string[]): Condition {
  const type = 'NamespaceDeletionContentFailure';
  if (errors.length === 0) {
    return condition(type, false, [
      'ContentDeleted',
      'All content successfully deleted, may be waiting on finalization',
    ]);
  }
  const list = [...errors].sort().join(', ');
  return condition(type, true, [
    'ContentDeletionFailed',
    `Failed to delete all resource types, ${String(errors.length)} remaining: ${list}`,
  ]);
}

function contentRemaining(resources: readonly string[]): Condition {
  const type = 'NamespaceContentRemaining';
  if (resources.length === 0) {
    return condition(type, false, ['ContentRemoved', 'All content successfully removed']);
  }
  const counts = counted(resources).map(([name, count]) => `${name} has ${String(count)} resource instances`);
  return condition(type, true, ['SomeResourcesRemain', `Some resources are remaining: ${counts.join(', ')}`]);
}

function finalizersRemaining(finalizers: readonly string[]): Condition {
  const type = 'NamespaceFinalizersRemaining';
  if (finalizers.length === 0) {
    return condition(type, false, ['ContentHasNoFinalizers', 'All content-preserving finalizers finished']);
  }
  const counts = counted(finalizers).map(([name, count]) => `${name} in ${String(count)} resource instances`);
  return condition(type, true, [
    'SomeFinalizersRemain',
    `Some content in the namespace has finalizers remaining: ${counts.join(', ')}`,
  ]);
}

function counted(names: readonly string[]): [string, number][] {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return [...counts].sort(([a], [b]) => (a < b ? -1 : 1));
}
