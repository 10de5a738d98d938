import { TypedError } from '@interlock/api';
import type { Operation } from '../change/operation.js';
import type { LocatedDocument } from './document.js';

/** Returns whether an operation has no path, so that the subject has to be located. */
export function needsLocation(operations: readonly Operation[]): boolean {
  return operations.some(({ path }) => path === undefined);
}

/**
 * Returns the operations, all with a path: operations without a path apply to the located document.
 * @param isHelm whether the document is the HelmRelease whose chart renders the subject.
 * @throws TypedError `Invalid` (`SubjectFromChart`) when an operation would edit or delete a HelmRelease in place of
 *   the subject.
 */
export function withLocation(
  operations: readonly Operation[],
  { path, select }: LocatedDocument,
  isHelm: boolean,
): Operation[] {
  return operations.map((operation) => {
    if (operation.op === 'file.write' || operation.op === 'file.delete') return operation;
    if (operation.path !== undefined) return operation;
    if (isHelm && operation.op !== 'image.set')
      throw new TypedError(
        'Invalid',
        `${operation.op} requires a path, because a chart renders the subject; name the file of the HelmRelease, and change its values there`,
        { reason: 'SubjectFromChart' },
      );
    return { ...operation, path, select: operation.select ?? select };
  });
}
