import { apiVersionOf } from '@interlock/api';
import { Secret, type TypeName } from '@interlock/kube';

/** Returns whether objects of a type are Secrets. No keeper reads them, whatever permissions the controller has. */
export function isSecret({ apiVersion, kind }: TypeName): boolean {
  return kind === Secret.kind && apiVersion === apiVersionOf(Secret);
}
