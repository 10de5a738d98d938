import { shortSHA } from '@interlock/api';
import { createHash } from 'node:crypto';

const prefix = 'interlock/revert/';
const maxEnvironment = 120;

/**
 * @param taken branches of other RevertCommits.
 * @returns the branch of a revert: its environment, and the commit that it takes back. Where another RevertCommit has that
 *   name already, told apart by a hash of its own name.
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
