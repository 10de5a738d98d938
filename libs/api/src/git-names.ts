import { truncate } from '@interlock/base';
import { TypedError } from './errors.js';

const maxBytes = 1024;
const control = new RegExp('[\\u0000-\\u001f\\u007f]');

/**
 * Returns `ref` unchanged if it is a valid full reference name such as `refs/heads/main`.
 *
 * @throws TypedError `Invalid` if git-check-ref-format would refuse it, or if a part begins with `-`.
 */
export function checkRef(ref: string): string {
  const problem = refProblem(ref);
  if (problem === undefined) return ref;
  const message = `reference name ${JSON.stringify(truncate(ref, 200))} ${problem}`;
  throw new TypedError('Invalid', message, { reason: 'RefNameInvalid' });
}

/**
 * Returns the full reference name of a branch.
 *
 * @throws TypedError `Invalid` for a name that git does not allow.
 */
export function branchRef(branch: string): string {
  return checkRef(`refs/heads/${branch}`);
}

/** Returns whether git allows a branch with this name, see {@link checkRef}. */
export function isBranchName(branch: string): boolean {
  return refProblem(`refs/heads/${branch}`) === undefined;
}

/** Returns the abbreviated SHA of a commit, as messages show it; `unknown` if there is no commit. */
export function shortSHA(sha: string | undefined): string {
  return sha === undefined ? 'unknown' : sha.slice(0, 7);
}

function refProblem(ref: string): string | undefined {
  if (!ref.startsWith('refs/')) return 'must begin with refs/';
  if (Buffer.byteLength(ref) > maxBytes) return `is longer than ${maxBytes} bytes`;
  if (control.test(ref)) return 'contains a control character';
  if (/[ ~^:?*[\\]/.test(ref)) return 'contains a space or one of ~ ^ : ? * [ \\';
  if (ref.includes('..')) return 'contains ".."';
  if (ref.includes('@{')) return 'contains "@{"';
  if (ref.endsWith('.')) return 'ends with "."';
  for (const part of ref.split('/')) {
    if (part === '') return 'contains an empty part';
    if (part.startsWith('.')) return 'contains a part that begins with "."';
    if (part.startsWith('-')) return 'contains a part that begins with "-"';
    if (part.endsWith('.lock')) return 'contains a part that ends with ".lock"';
  }
  return undefined;
}
