import { textAt, textsAt, type KubeObject } from '../../object.js';
import { checkKubeFinalizer, checkQualifiedName } from '../../registry/names.js';
import { invalid } from '../../schema/field-error.js';
import type { Cause } from '../../schema/types.js';

/** Returns the problems with a namespace. Source: Kubernetes pkg/apis/core/validation. */
export function validateNamespace(object: KubeObject, old: KubeObject | undefined): Cause[] {
  const causes = textsAt(object, 'spec', 'finalizers').flatMap((finalizer, index) => {
    const field = old === undefined ? 'spec.finalizers' : `spec.finalizers[${index}]`;
    return [checkQualifiedName(finalizer), checkKubeFinalizer(finalizer)].flatMap((wrong) =>
      wrong === undefined ? [] : [invalid(field, finalizer, wrong)],
    );
  });
  const isGoing = object.metadata.deletionTimestamp !== undefined;
  const phase = textAt(object, 'status', 'phase');
  if (isGoing === (phase === 'Terminating')) return causes;
  const detail = isGoing
    ? "may only be 'Terminating' if `deletionTimestamp` is not empty"
    : "may only be 'Active' if `deletionTimestamp` is empty";
  return [...causes, invalid('status.Phase', phase, detail)];
}
