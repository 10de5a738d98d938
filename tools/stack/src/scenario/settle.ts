import { setTimeout as sleep } from 'node:timers/promises';
import type { PromotionStrategy } from '@interlock/api';
import { readRefs } from '@interlock/forge';
import { hydratorNotesRef } from '@interlock/git';
import type { LocalRepository } from '../git.js';
import type { FoundEnvironment } from '../repository/environments.js';
import { drySHAOf } from '../repository/hydrated.js';
import { unsettled, type Tips } from './settled.js';

const pollMs = 100;

interface SettleOptions {
  repository: LocalRepository;
  environments: readonly FoundEnvironment[];
  /** Reads the current strategy from the API server. */
  strategy: () => PromotionStrategy | undefined;
  /** The environment branch for which a change waits for a CommitStatus until a user acts. */
  held?: string | undefined;
  timeoutMs: number;
  signal: AbortSignal;
}

/** Waits until the apps have no more work. @throws Error with the reason when they still have work after the timeout */
export async function settle(options: SettleOptions): Promise<void> {
  const { repository, environments, signal, timeoutMs } = options;
  const deadline = Date.now() + timeoutMs;
  let reason: string | undefined;
  const readTips = tipsReader(repository, environments);
  do {
    signal.throwIfAborted();
    const strategy = options.strategy();
    reason =
      strategy === undefined
        ? 'the strategy does not exist'
        : unsettled(strategy, await readTips(strategy.spec.dryBranch), options.held);
    if (reason === undefined) return;
    await sleep(pollMs);
  } while (Date.now() < deadline);
  throw new Error(`the environments did not settle within ${timeoutMs / 1000} s: ${reason}`);
}

/**
 * Returns a function that reads the commits of the environments. It runs git only for commits that it has not seen yet,
 * because it is called ten times a second.
 */
function tipsReader(
  repository: LocalRepository,
  environments: readonly FoundEnvironment[],
): (dryBranch: string) => Promise<Map<string, Tips>> {
  const drySHAOnce = once((proposed) => drySHAOf(repository, proposed));
  const isAncestorOnce = once((ancestor, descendant) => isAncestor(repository, ancestor, descendant));
  return async (dryBranch) => {
    const refs = readRefs(repository.path, ['refs/heads/', hydratorNotesRef]);
    const tipOf = (branch: string): string => refs.get(`refs/heads/${branch}`) ?? '';
    const notes = refs.get(hydratorNotesRef) ?? '';
    const entries = environments.map(async ({ branch, proposedBranch }): Promise<[string, Tips]> => {
      const active = tipOf(branch);
      const proposed = tipOf(proposedBranch);
      const proposedDrySHA = await drySHAOnce(proposed, notes);
      const isOnDryBranch = await isAncestorOnce(proposedDrySHA ?? '', tipOf(dryBranch));
      return [branch, { active, proposed, proposedDrySHA, isOnDryBranch }];
    });
    return new Map(await Promise.all(entries));
  };
}

/** Returns a function that asks once for each combination of arguments. */
function once<T>(
  ask: (...names: [string, string]) => Promise<T>,
): (...names: [string, string]) => Promise<T> {
  const answers = new Map<string, Promise<T>>();
  return (...names) => {
    const key = names.join(' ');
    const answer = answers.get(key) ?? ask(...names);
    answers.set(key, answer);
    return answer;
  };
}

/** Returns whether both are commits of the repository, and the first is the second or one of its ancestors. */
function isAncestor(repository: LocalRepository, ancestor: string, descendant: string): Promise<boolean> {
  return repository.git(['merge-base', '--is-ancestor', ancestor, descendant]).then(
    () => true,
    () => false,
  );
}
