import { isTyped, TypedError } from '@interlock/api';

/**
 * An error that the operator has to correct, in the configuration, the credential or the repository. The response waits for
 * it, and the attempt does not count.
 */
export class OperatorError extends TypedError {}

/** Reasons of refusals that are caused by the change itself. */
const reasonsOfChanges: ReadonlySet<string> = new Set(['PathConflict', 'PathInvalid']);

/**
 * Runs work that uses a part of the configuration or of the repository, and throws permanent refusals as {@link
 * OperatorError}.
 */
export async function asOperators<T>(work: () => T | Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!isTyped(error, 'Invalid', 'Permanent') || reasonsOfChanges.has(error.reason)) throw error;
    throw new OperatorError(error.type, error.message, { reason: error.reason, cause: error });
  }
}
