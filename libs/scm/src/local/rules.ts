import type { MergeMethod } from '../scm.js';
import type { LocalGit } from './git.js';

/** The rules of the owner of a repository, in its `config`: `[interlock]` and `[interlock "<branch>"]`. */
interface Rules {
  /** The allowed methods; empty if all are allowed. */
  mergeMethods: readonly string[];
  /** Names of statuses that must be successful, by branch. */
  requiredStatuses: ReadonlyMap<string, readonly string[]>;
}

const prefix = 'interlock.';
const statusSuffix = '.requiredstatus';

/** Returns the rules of a repository: `interlock.mergeMethod` and `interlock.<branch>.requiredStatus`, each any number of times. */
export async function readRules(git: LocalGit, signal?: AbortSignal): Promise<Rules> {
  const args = ['config', '-z', '--get-regexp', `^interlock\\.`] as const;
  // Exit code 1: there is none.
  const { stdout } = await git.run(args, { accept: [0, 1], signal });
  const mergeMethods: string[] = [];
  const requiredStatuses = new Map<string, string[]>();
  for (const entry of stdout.toString('utf8').split('\0')) {
    const [key = '', value = ''] = entry.split('\n');
    if (key === `${prefix}mergemethod`) mergeMethods.push(value);
    if (!key.startsWith(prefix) || !key.endsWith(statusSuffix)) continue;
    const branch = key.slice(prefix.length, -statusSuffix.length);
    requiredStatuses.set(branch, [...(requiredStatuses.get(branch) ?? []), value]);
  }
  return { mergeMethods, requiredStatuses };
}

export function allowsMethod({ mergeMethods }: Rules, method: MergeMethod): boolean {
  return mergeMethods.length === 0 || mergeMethods.includes(method);
}
