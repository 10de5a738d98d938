import { TypedError } from '@interlock/api';

/** Errors that all plugins report with the same messages. */

/**
 * Returns the error with the operation and the repository in its message.
 * @param what the operation and the repository, as `whatOf` returns them.
 */
export function named(what: string, { type, message, reason }: TypedError): TypedError {
  return new TypedError(type, `${what}: ${message}`, { reason });
}

/**
 * Returns `Invalid`, reason `TooLarge`.
 * @param what such as `blob 1a2b`.
 */
export function tooLarge(what: string, bound: string): TypedError {
  return new TypedError('Invalid', `${what} is larger than ${bound}`, { reason: 'TooLarge' });
}

/** Returns `Invalid`, reason `BranchMissing`. */
export function branchMissing(branch: string): TypedError {
  return new TypedError('Invalid', `there is no branch ${branch}`, { reason: 'BranchMissing' });
}

/**
 * Returns `Conflict`, reason `HeadMoved`.
 * @param tip the current commit, if it is known.
 */
export function headMoved(branch: string, expected: string, tip = 'another commit'): TypedError {
  const message = `the branch ${branch} is at ${tip}, not at ${expected}`;
  return new TypedError('Conflict', message, { reason: 'HeadMoved' });
}

/** Returns `Conflict`, reason `Dequeued`, for a pull request that is no longer in a merge queue. */
export function dequeued(queue: string): TypedError {
  const message = `it was removed from ${queue}: its checks failed there, or a user removed it`;
  return new TypedError('Conflict', message, { reason: 'Dequeued' });
}

/** Returns `Conflict`, reason `AlreadyExists`. */
export function branchExists(branch: string): TypedError {
  return new TypedError('Conflict', `the branch ${branch} already exists`, { reason: 'AlreadyExists' });
}

/**
 * Returns `Invalid`, reason `PathConflict`.
 * @param obstacle the path that blocks the file.
 */
export function pathConflict(path: string, obstacle: string): TypedError {
  const why =
    path === obstacle ? 'is a folder' : `cannot be a file: ${JSON.stringify(obstacle)} is not a folder`;
  return new TypedError('Invalid', `${JSON.stringify(path)} ${why}`, { reason: 'PathConflict' });
}

/** Returns `Invalid`, reason `ReviewerUnknown`. */
export function reviewersUnknown(logins: readonly string[]): TypedError {
  const message = `these users cannot be requested as reviewers: ${logins.join(', ')}`;
  return new TypedError('Invalid', message, { reason: 'ReviewerUnknown' });
}
