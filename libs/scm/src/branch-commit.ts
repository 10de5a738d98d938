import { TypedError } from '@interlock/api';
import type { NewCommit, NewFile, RepositoryContents } from './contents.js';
import { RefusalError } from './http/errors.js';
import type { CallOptions } from './scm.js';

/**
 * Looks whether a commit can begin where it is to, for an SCM that does not look itself.
 *
 * @param what for messages, such as `commit to fix of acme/web`.
 * @throws TypedError `Conflict` with reason `HeadMoved`, `Invalid` with reason `BranchMissing`.
 */
export async function requireStart(
  contents: RepositoryContents,
  what: string,
  { branch, onto }: NewCommit,
  options?: CallOptions,
): Promise<void> {
  const start = 'tip' in onto ? branch : onto.base;
  const found = await contents.branchTip(start, options);
  if (found === undefined) throw branchMissing(what, start);
  if ('tip' in onto && found.sha !== onto.tip) throw headMoved(what, found.sha);
}

/**
 * @returns whether there is a branch to delete, whose tip is `tip`; false: it is gone.
 * @throws TypedError `Conflict` with reason `HeadMoved`.
 */
export async function isStillAt(
  contents: RepositoryContents,
  what: string,
  { branch, tip }: { branch: string; tip: string },
  options?: CallOptions,
): Promise<boolean> {
  const found = await contents.branchTip(branch, options);
  if (found !== undefined && found.sha !== tip) throw headMoved(what, found.sha);
  return found !== undefined;
}

/**
 * What the refusal of a commit means. SCMs say it in texts that change, and hide some; what is there now tells it too.
 *
 * @param isChanged whether a file is another one at a commit than it was when it was read; absent: cannot be the cause.
 * @returns what is to be thrown.
 */
export async function commitError(
  contents: RepositoryContents,
  what: string,
  { branch, onto, files }: NewCommit,
  refused: unknown,
  options?: CallOptions,
  isChanged?: (file: NewFile, commit: string) => Promise<boolean>,
): Promise<unknown> {
  if (!(refused instanceof RefusalError) || ![400, 404, 409, 422, 500].includes(refused.status))
    return refused;
  const found = await contents.branchTip(branch, options);
  if ('tip' in onto) {
    if (found === undefined) return branchMissing(what, branch);
    return found.sha === onto.tip ? refused : headMoved(what, found.sha);
  }
  if (found !== undefined) {
    return new TypedError('Conflict', `${what}: the branch exists`, { reason: 'AlreadyExists' });
  }
  const base = await contents.branchTip(onto.base, options);
  if (base === undefined) return branchMissing(what, onto.base);
  if (isChanged === undefined || base.sha === onto.sha) return refused;
  for (const file of files) {
    if (!(await isChanged(file, base.sha))) continue;
    const message = `${what}: ${JSON.stringify(file.path)} is not the same any more on ${onto.base}`;
    return new TypedError('Conflict', message, { reason: 'BaseMoved' });
  }
  return refused;
}

export function headMoved(what: string, tip: string): TypedError {
  return new TypedError('Conflict', `${what}: the branch is at ${tip}`, { reason: 'HeadMoved' });
}

function branchMissing(what: string, branch: string): TypedError {
  return new TypedError('Invalid', `${what}: there is no branch ${branch}`, { reason: 'BranchMissing' });
}
