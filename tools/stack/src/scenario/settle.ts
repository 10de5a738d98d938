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
    const tips = await readTips();
    reason = strategy === undefined ? 'the strategy does not exist' : unsettled(strategy, tips, options.held);
    if (reason === undefined) return;
    await sleep(pollMs);
  } while (Date.now() < deadline);
  throw new Error(`the environments did not settle within ${timeoutMs / 1000} s: ${reason}`);
}

/**
 * Returns a function that reads the commits of the environments. It runs git only for proposed commits whose dry commit
 * may have changed since the previous call, because it is called every few milliseconds.
 */
function tipsReader(
  repository: LocalRepository,
  environments: readonly FoundEnvironment[],
): () => Promise<Map<string, Tips>> {
  const drySHAs = new Map<string, Promise<string | undefined>>();
  return async () => {
    const refs = readRefs(repository.path, ['refs/heads/', hydratorNotesRef]);
    const notes = refs.get(hydratorNotesRef) ?? '';
    const entries = environments.map(async ({ branch, proposedBranch }): Promise<[string, Tips]> => {
      const proposed = refs.get(`refs/heads/${proposedBranch}`) ?? '';
      const active = refs.get(`refs/heads/${branch}`) ?? '';
      const key = `${proposed} ${notes}`;
      const drySHA = drySHAs.get(key) ?? drySHAOf(repository, proposed);
      drySHAs.set(key, drySHA);
      return [branch, { active, proposed, proposedDrySHA: await drySHA }];
    });
    return new Map(await Promise.all(entries));
  };
}
