import { setTimeout as sleep } from 'node:timers/promises';
import { RevertCommit } from '@interlock/api';
import { drySHAOf } from '../repository/hydrated.js';
import type { Remote, Stack } from '../stack.js';
import type { Step, Story } from './step.js';

/** A change that is committed to the hydrator's copy, and not pushed yet. */
export interface Prepared {
  drySHA: string;
  push: (remote: Remote) => Promise<void>;
}

/** What a story about a revert is made of. */
export interface Plot {
  base: Story;
  /** Comes first, and is good everywhere. */
  before: Step[];
  /** Fails in the middle environment. */
  bad: { title: string; prepare: () => Promise<Prepared> };
  /** Comes after the revert, and is good everywhere. */
  good: { title: string; prepare: () => Promise<Prepared> };
}

const pollMs = 100;
const revertTimeoutMs = 60_000;
const looked = 100;
const revertPolicy = { mode: 'Auto', afterFailedFor: '1s' } as const;

/**
 * A bad change reaches the middle environment, which fails and is reverted by itself; the last one never sees it, and the
 * next change goes everywhere.
 * @throws Error when there are not at least two environments.
 */
export function revertStory({ base, before, bad, good }: Plot): Story {
  const { environments } = base.stack;
  const middle = environments[Math.floor((environments.length - 1) / 2)]?.branch;
  const last = environments.at(-1)?.branch;
  if (middle === undefined || last === undefined || middle === last) {
    throw new Error('the scenario revert needs at least two environments');
  }
  const seen = { drySHA: '', tree: '' };
  return {
    ...base,
    title: `${base.title}; a bad change is reverted in ${middle}`,
    stack: { ...base.stack, revertPolicy },
    steps: [
      ...before,
      {
        title: `${bad.title} (fails in ${middle})`,
        push: async (remote, stack) => {
          const { drySHA, push } = await bad.prepare();
          seen.drySHA = drySHA;
          seen.tree = await treeOf(stack, middle);
          stack.health.failOn(middle, drySHA);
          await push(remote);
        },
        check: async (stack, signal) => {
          await reverted(stack, middle, seen.drySHA, signal);
          return (await treeOf(stack, middle)) === seen.tree
            ? []
            : [`${middle} does not have the tree that it had before ${seen.drySHA}`];
        },
      },
      {
        title: good.title,
        push: async (remote) => (await good.prepare()).push(remote),
        check: async (stack) => [
          ...(await sightings(stack, last, seen.drySHA)),
          ...(await stillInForce(stack, middle)),
        ],
      },
    ],
  };
}

/** Waits until an environment was taken back from a dry commit, and is healthy. @throws Error when that takes too long. */
async function reverted(stack: Stack, branch: string, drySHA: string, signal: AbortSignal): Promise<void> {
  const deadline = Date.now() + revertTimeoutMs;
  for (;;) {
    signal.throwIfAborted();
    const revert = (await revertsOf(stack, branch)).find(({ status }) => status?.rejectedDrySHA === drySHA);
    const { environments = [] } = stack.strategies.get(stack.strategy)?.status ?? {};
    const active = environments.find((environment) => environment.branch === branch)?.active;
    const isBack = revert?.status?.state === 'Merged' && revert.status.inForce === true;
    if (isBack && active?.drySHA !== drySHA && active?.commitStatus === 'healthy') return;
    if (Date.now() > deadline) {
      const condition = revert?.status?.conditions?.find(({ type }) => type === 'Reverted');
      const why = condition?.message ?? 'there is no RevertCommit';
      throw new Error(`${branch} was not reverted within ${revertTimeoutMs / 1000} s: ${why}`);
    }
    await sleep(pollMs);
  }
}

/** @returns a sentence for each commit of a branch that was made from a dry commit. */
async function sightings({ repository }: Stack, branch: string, drySHA: string): Promise<string[]> {
  const { local } = repository;
  const found: string[] = [];
  const log = ['rev-list', '--first-parent', `--max-count=${looked}`, `refs/heads/${branch}`];
  for (const sha of await local.lines(log)) {
    if ((await drySHAOf(local, sha)) === drySHA) found.push(`${branch} ran ${drySHA} as ${sha}`);
  }
  return found;
}

async function stillInForce(stack: Stack, branch: string): Promise<string[]> {
  const reverts = await revertsOf(stack, branch);
  return reverts
    .filter(({ status }) => status?.inForce !== false)
    .map(({ metadata }) => `RevertCommit ${metadata.name} holds ${branch} still`);
}

async function revertsOf({ client, strategy }: Stack, branch: string): Promise<RevertCommit[]> {
  const { namespace } = strategy;
  const { items } = await client.list(RevertCommit, namespace === undefined ? {} : { namespace });
  return items.filter(({ spec }) => spec.activeBranch === branch);
}

async function treeOf({ repository }: Stack, branch: string): Promise<string> {
  return repository.local.git(['rev-parse', `refs/heads/${branch}^{tree}`]);
}
