import { TypedError, type EventResponse } from '@interlock/api';
import { parameterOf } from '../change/parse.js';
import { quoted } from '../problem.js';
import { eventNameOf, uidOf } from './identity.js';

const maxEventName = 100;
const maxBranch = 200;
const uidDigits = 8;

/**
 * Returns the branch of a response: the value of its parameter `branch`, otherwise `ugallu/<event name>/<first 8 of
 * its UID>`. It is always the same for the same response, and git allows its name: other characters become hyphens,
 * and a long event name is cut.
 * @param baseBranch the base branch of the route.
 * @throws TypedError `Invalid` (`BranchInvalid`) when the parameter is not a valid branch name, or names the base
 *   branch; it is never altered, because that would be another branch. `UIDInvalid`.
 */
export function branchOf(response: EventResponse, baseBranch: string): string {
  const id = uidOf(response);
  const given = parameterOf(response.spec.action.parameters ?? {}, 'branch') ?? '';
  if (given === '') return `ugallu/${segment(eventNameOf(response))}/${id.slice(0, uidDigits)}`;
  const problem = branchProblem(given, baseBranch);
  if (problem === undefined) return given;
  throw new TypedError('Invalid', `parameter branch ${quoted(given)}: ${problem}`, {
    reason: 'BranchInvalid',
  });
}

function segment(name: string): string {
  const plain = name
    .slice(0, maxEventName)
    .replace(/[^A-Za-z0-9_.-]+/g, '-')
    .replace(/\.{2,}/g, '.')
    .replace(/^[-.]+|[-.]+$/g, '')
    .replace(/\.lock$/i, '-lock');
  return plain === '' ? 'event' : plain;
}

/* Beyond git-check-ref-format: names that servers read as a reference or a commit, or tools as a flag. */
function branchProblem(name: string, baseBranch: string): string | undefined {
  if (Buffer.byteLength(name) > maxBranch) return `it is longer than ${maxBranch} bytes`;
  if (/[\p{C}\p{Z}~^:?*[\\]/u.test(name))
    return 'it contains a space, an invisible character or one of ~ ^ : ? * [ \\';
  if (name.includes('..') || name.includes('@{') || name === '@')
    return 'it contains ".." or "@{", or is "@"';
  if (name.endsWith('.')) return 'it ends with "."';
  if (name.split('/').some((part) => /^$|^[.-]|\.lock$/i.test(part)))
    return 'a part of it is empty, begins with "." or "-", or ends with ".lock"';
  if (/^refs\//i.test(name) || /^HEAD$/i.test(name)) return 'write the name of a branch, without refs/heads/';
  if (/^[0-9a-f]{40}([0-9a-f]{24})?$/i.test(name)) return 'it is the name of a commit';
  if (name.toLowerCase() === baseBranch.toLowerCase()) return 'it is the base of the pull request';
  return undefined;
}
