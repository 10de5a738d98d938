import { promotionStatusKey, type CommitStatus } from '@interlock/api';
import { truncate, truncateDistinct } from '@interlock/base';
import { blocking } from './checks.js';
import { isProposing, type CheckLine, type ObservedEnvironment } from './model.js';
import type { Environments } from './order.js';

const maxName = 100;
const maxDescription = 1024;

/** The subject of a `promotion` status. */
interface PromotionStatusSubject {
  repoRef: { name: string };
  branch: string;
  sha: string;
  /** The name that the SCM shows; default: the key. */
  name?: string | undefined;
}

/**
 * Returns the CommitStatus that users and branch protection read.
 * @param lines results of the rules for the commit
 * @param otherwise the message when all of them hold
 */
export function promotionStatusSpec(
  { repoRef, branch, sha, name = promotionStatusKey }: PromotionStatusSubject,
  lines: readonly CheckLine[],
  otherwise: string,
): CommitStatus['spec'] {
  const block = blocking(lines);
  const reason = block === undefined ? otherwise : block.message;
  return {
    repoRef,
    sha,
    name,
    phase: block === undefined ? 'success' : block.state === 'failure' ? 'failure' : 'in_progress',
    description: truncate(`${branch}: ${reason}`, maxDescription),
  };
}

/**
 * Returns the name under which the SCM shows the status of an environment. While an environment that it depends on proposes
 * the same commit, that environment has the static name: if both had it as a required check, each would wait for the other.
 * Pure.
 */
export function shownName(
  name: string | undefined,
  environments: Environments,
  environment: ObservedEnvironment,
): string {
  const fixed = name ?? promotionStatusKey;
  const sha = environment.proposed?.hydratedSHA;
  const isBefore = (before: ObservedEnvironment): boolean =>
    isProposing(before) && before.proposed?.hydratedSHA === sha;
  if (!environments.ancestorsOf(environment).some(isBefore)) return fixed;
  /* Two long branch names must not result in the same check. */
  return truncateDistinct(`${fixed}/${environment.branch}`, maxName);
}
