import { shortSHA } from '@interlock/api';
import { createHash } from 'node:crypto';

const prefix = 'interlock/revert/';
const maxEnvironment = 120;

/**
 * Returns the branch of a revert, named after its environment and the rejected commit. If another RevertCommit already
 * has that branch, a hash of its name distinguishes it.
 *
 * @param taken branches of other RevertCommits.
 */
export function revertBranch(
  name: string,
  environment: string,
  revertOf: string,
  taken: readonly (string | undefined)[],
): string {
  const plain = `${prefix}${fit(environment)}-${shortSHA(revertOf)}`;
  return taken.includes(plain) ? `${plain}-${hash(name)}` : plain;
}

function fit(environment: string): string {
  if (environment.length <= maxEnvironment) return environment;
  const start = environment.slice(0, maxEnvironment).replace(/[^A-Za-z0-9]+$/, '');
  return `${start}-${hash(environment)}`;
}

function hash(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 8);
}
