import { TypedError } from '@interlock/api';
import type { CallOptions } from './call-options.js';
import { refusePaths } from './commit-paths.js';
import type { NewCommit, NewFile, RepositoryContents } from './contents.js';
import { contentsCall, whatOf, type Call } from './http/call.js';
import { RefusalError } from './http/errors.js';
import { branchExists, branchMissing, headMoved, named } from './refusals.js';

/** A commit that passed all checks. */
interface PreparedCommit {
  call: Call;
  /** The operation and the repository, for messages. */
  what: string;
  /** Options of the calls that the commit needs. */
  urgent: CallOptions;
}

/**
 * Checks that a commit can be made, for an SCM that does not check it itself.
 *
 * @throws TypedError `Conflict` with reason `HeadMoved`, `Invalid` with reason `BranchMissing`, `PathInvalid` or `PathConflict`.
 */
export async function prepareCommit(
  contents: RepositoryContents,
  fullName: string,
  commit: NewCommit,
  options?: CallOptions,
): Promise<PreparedCommit> {
  const call = contentsCall('create', 'write', options, `commit for branch ${commit.branch}`);
  const what = whatOf(call, fullName);
  const urgent: CallOptions = { priority: 'write', ...options };
  await requireStart(contents, what, commit, urgent);
  await refusePaths(contents, what, commit, urgent);
  return { call, what, urgent };
}

/**
 * Checks that a commit can start at the requested place.
 *
 * @param what the operation and the repository, for messages.
 * @throws TypedError `Conflict` with reason `HeadMoved`, `Invalid` with reason `BranchMissing`.
 */
async function requireStart(
  contents: RepositoryContents,
  what: string,
  { branch, onto }: NewCommit,
  options?: CallOptions,
): Promise<void> {
  const start = 'tip' in onto ? branch : onto.base;
  const found = await contents.branchTip(start, options);
  if (found === undefined) throw named(what, branchMissing(start));
  if ('tip' in onto && found.sha !== onto.tip) throw named(what, headMoved(branch, onto.tip, found.sha));
}

/**
 * Returns whether there is a branch to delete, whose tip is `tip`; false if it does not exist.
 * @param what the operation and the repository, for messages.
 * @throws TypedError `Conflict` with reason `HeadMoved`.
 */
export async function isStillAt(
  contents: RepositoryContents,
  what: string,
  { branch, tip }: { branch: string; tip: string },
  options?: CallOptions,
): Promise<boolean> {
  const found = await contents.branchTip(branch, options);
  if (found !== undefined && found.sha !== tip) throw named(what, headMoved(branch, tip, found.sha));
  return found !== undefined;
}

/**
 * Explains the refusal of a commit. SCMs state the reason in texts that change, or hide it; the current state of the
 * repository shows it too.
 *
 * @param what the operation and the repository, for messages.
 * @param isChanged whether a file differs at a commit from the one that was read; absent if that cannot be the cause.
 * @returns the error to throw; `refused` itself if nothing explains it.
 */
export async function commitError(
  contents: RepositoryContents,
  what: string,
  commit: NewCommit,
  refused: unknown,
  options?: CallOptions,
  isChanged?: (file: NewFile, commit: string) => Promise<boolean>,
): Promise<unknown> {
  if (!(refused instanceof RefusalError) || !explainable.has(refused.status)) return refused;
  const explained = await explanation(contents, commit, options, isChanged);
  return explained === undefined ? refused : named(what, explained);
}

/** The statuses to explain: client errors, and the status of an unexpected server error. */
const explainable = new Set([400, 404, 409, 422, 500]);

async function explanation(
  contents: RepositoryContents,
  { branch, onto, files }: NewCommit,
  options?: CallOptions,
  isChanged?: (file: NewFile, commit: string) => Promise<boolean>,
): Promise<TypedError | undefined> {
  const found = await contents.branchTip(branch, options);
  if ('tip' in onto) {
    if (found === undefined) return branchMissing(branch);
    return found.sha === onto.tip ? undefined : headMoved(branch, onto.tip, found.sha);
  }
  if (found !== undefined) return branchExists(branch);
  const base = await contents.branchTip(onto.base, options);
  if (base === undefined) return branchMissing(onto.base);
  if (isChanged === undefined || base.sha === onto.sha) return undefined;
  for (const file of files) {
    if (!(await isChanged(file, base.sha))) continue;
    const message = `${JSON.stringify(file.path)} has changed on ${onto.base}`;
    return new TypedError('Conflict', message, { reason: 'BaseMoved' });
  }
  return undefined;
}
