import { goQuote } from '../schema/json.js';
import type { JsonObject } from '../schema/types.js';
import type { ApplyConflict } from './ownership.js';

/** Returns the 409 Status for conflicts of a server-side apply. Source: apimachinery managedfields, conflict.go. */
export function conflictStatus(conflicts: readonly ApplyConflict[]): JsonObject {
  const causes = conflicts.map((conflict) => ({
    reason: 'FieldManagerConflict',
    message: `conflict with ${printManager(conflict)}`,
    field: conflict.field,
  }));
  return {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message: message(conflicts),
    reason: 'Conflict',
    details: { causes },
    code: 409,
  };
}

function message(conflicts: readonly ApplyConflict[]): string {
  const [first, ...others] = conflicts;
  if (first !== undefined && others.length === 0) {
    return `Apply failed with 1 conflict: conflict with ${printManager(first)}: ${first.field}`;
  }
  const byManager = new Map<string, string[]>();
  for (const conflict of conflicts) {
    const title = `conflicts with ${printManager(conflict)}:`;
    byManager.set(title, [...(byManager.get(title) ?? []), `- ${conflict.field}`]);
  }
  const lines = [...byManager].flatMap(([title, fields]) => [title, ...fields]);
  return `Apply failed with ${String(conflicts.length)} conflicts: ${lines.join('\n')}`;
}

function printManager({ manager, operation, apiVersion, subresource }: ApplyConflict): string {
  const name = goQuote(manager);
  const named = subresource === undefined ? name : `${name} with subresource ${goQuote(subresource)}`;
  return operation === 'Update' ? `${named} using ${apiVersion}` : named;
}
