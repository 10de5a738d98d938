import { promotionStatusKey, type CommitStatus } from '@interlock/api';
import { blocking } from './checks.js';
import type { CheckLine } from './model.js';

/**
 * @param lines what the rules say of the commit
 * @param otherwise what is said when all of them hold
 * @returns the CommitStatus in which people and branch protection read it.
 */
export function promotionStatusSpec(
  at: { repoRef: { name: string }; branch: string; sha: string },
  lines: readonly CheckLine[],
  otherwise: string,
): CommitStatus['spec'] {
  const block = blocking(lines);
  return {
    repoRef: at.repoRef,
    sha: at.sha,
    name: `${promotionStatusKey}/${at.branch}`.slice(0, 100),
    phase: block === undefined ? 'success' : block.state === 'failure' ? 'failure' : 'in_progress',
    description: block === undefined ? otherwise : block.message,
  };
}
