import { setTimeout as sleep } from 'node:timers/promises';
import type { PromotionStrategy } from '@interlock/api';
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
  do {
    signal.throwIfAborted();
    const strategy = options.strategy();
    const tips = await readTips(repository, environments);
    reason = strategy === undefined ? 'the strategy does not exist' : unsettled(strategy, tips, options.held);
    if (reason === undefined) return;
    await sleep(pollMs);
  } while (Date.now() < deadline);
  throw new Error(`the environments did not settle within ${timeoutMs / 1000} s: ${reason}`);
}

async function readTips(
  repository: LocalRepository,
  environments: readonly FoundEnvironment[],
): Promise<Map<string, Tips>> {
  const refs = await repository.refs('refs/heads/');
  const entries = await Promise.all(
    environments.map(async ({ branch, proposedBranch }): Promise<[string, Tips]> => {
      const proposed = refs.get(`refs/heads/${proposedBranch}`) ?? '';
      const active = refs.get(`refs/heads/${branch}`) ?? '';
      return [branch, { active, proposed, proposedDrySHA: await drySHAOf(repository, proposed) }];
    }),
  );
  return new Map(entries);
}
