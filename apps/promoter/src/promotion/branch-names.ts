import { branchRef, isTyped } from '@interlock/api';
import { Problem } from '@interlock/base';

/** A branch, and the field that names it, or that it follows from. */
export interface NamedBranch {
  field: string;
  branch: string;
}

/** How many characters the API server accepts in the name of a branch. */
const maxLength = 200;

/** Returns the first problem of names of branches that admission cannot detect: of derived names, or by rules of git. */
export function branchNameProblem(branches: readonly NamedBranch[]): Problem | undefined {
  for (const { field, branch } of branches) {
    const problem = problemOf(branch);
    if (problem === undefined) continue;
    const message = `${field}: ${problem}; choose another name`;
    return new Problem('InvalidBranchName', message, { transient: false });
  }
  return undefined;
}

function problemOf(branch: string): string | undefined {
  if ([...branch].length > maxLength) return `branch ${branch} is longer than ${maxLength} characters`;
  try {
    branchRef(branch);
    return undefined;
  } catch (error) {
    if (!isTyped(error, 'Invalid')) throw error;
    return error.message;
  }
}
