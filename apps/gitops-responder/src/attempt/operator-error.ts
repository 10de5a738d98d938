import { isTyped, TypedError } from '@interlock/api';

/**
 * What the response cannot help: the configuration, the credential or the repository has to be corrected. The response
 * waits for it, and the attempt does not count.
 */
export class OperatorError extends TypedError {}

/** What SCMs refuse because of the change itself. */
const reasonsOfChanges: ReadonlySet<string> = new Set(['PathConflict', 'PathInvalid']);

/**
 * Runs work that uses a part of the configuration or of the repository, and throws what is refused for good as
 * {@link OperatorError}.
 */
export async function asOperators<T>(work: () => T | Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!isTyped(error, 'Invalid', 'Permanent') || reasonsOfChanges.has(error.reason)) throw error;
    throw new OperatorError(error.type, error.message, { reason: error.reason, cause: error });
  }
}
