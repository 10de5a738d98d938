import { setTimeout as sleep } from 'node:timers/promises';
import { RevertCommit } from '@interlock/api';
import { drySHAOf } from '../repository/hydrated.js';
import type { Remote, Stack } from '../stack.js';
import type { Print } from './narrator.js';
import type { Step, Scenario } from './step.js';

/** A change that is committed to the copy of the hydrator, but not pushed yet. */
export interface Prepared {
  drySHA: string;
  push: (remote: Remote) => Promise<void>;
}

/** The changes of a scenario with a revert. */
interface Plot {
  base: Scenario;
  /** The first change, which is healthy in every environment. */
  before: Step[];
  /** The change that fails in the middle environment. */
  bad: { title: string; prepare: () => Promise<Prepared> };
  /** The change after the revert, which is healthy in every environment. */
  good: { title: string; prepare: () => Promise<Prepared> };
}

const pollMs = 100;
const revertTimeoutMs = 60_000;
const maxCommits = 100;
const revertPolicy = { mode: 'Auto', afterFailedFor: '1s' } as const;

/**
 * Creates a scenario in which a bad change fails in the middle environment and is reverted automatically. The last
 * environment never receives it, and the next change is promoted to all environments. @throws Error if there are fewer
 * than two environments
 */
export function revertScenario({ base, before, bad, good }: Plot): Scenario {
  const branches = base.stack.environments.map(({ branch }) => branch);
  const position = Math.floor((branches.length - 1) / 2);
  const [middle, ...after] = branches.slice(position);
  if (middle === undefined || after.length === 0) {
    throw new Error('the scenario revert needs at least two environments');
  }
  const seen = { drySHA: '', commit: '' };
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
          seen.commit = await tipOf(stack, middle);
          stack.health.failOn(middle, drySHA);
          await push(remote);
        },
        check: async (stack, print, signal) => {
          const revertOf = await reverted(stack, middle, seen.drySHA, signal);
          return compareTrees(stack, print, middle, [seen.commit, revertOf, await tipOf(stack, middle)]);
        },
      },
      {
        title: good.title,
        push: async (remote) => (await good.prepare()).push(remote),
        check: async (stack, print) => [
          ...(await neverRan(stack, print, after, seen.drySHA)),
          ...(await stillInForce(stack, middle)),
        ],
      },
    ],
  };
}

/**
 * Compares the trees of an environment before a bad change, with it, and after the revert. @returns the problems, one
 * sentence each.
 */
async function compareTrees(
  { repository }: Stack,
  print: Print,
  branch: string,
  commits: readonly [before: string, bad: string, after: string],
): Promise<string[]> {
  const [before, bad, after] = await repository.local.lines([
    'rev-parse',
    ...commits.map((commit) => `${commit}^{tree}`),
  ]);
  const names = ['before', 'with it', 'after'];
  for (const [index, tree] of [before, bad, after].entries()) {
    print(`  git: tree of ${branch} ${names[index]?.padEnd(7)} ${tree}  (commit ${commits[index]})`);
  }
  return [
    ...(after === before ? [] : [`${branch} does not have the tree that it had before the bad change`]),
    ...(bad === before ? [`the bad change changed nothing in ${branch}`] : []),
  ];
}

/**
 * Waits until a dry commit is reverted in an environment, and the environment is healthy. @returns the reverted commit.
 * @throws Error after the timeout
 */
async function reverted(stack: Stack, branch: string, drySHA: string, signal: AbortSignal): Promise<string> {
  const deadline = Date.now() + revertTimeoutMs;
  for (;;) {
    signal.throwIfAborted();
    const revert = (await revertsOf(stack, branch)).find(({ status }) => status?.rejectedDrySHA === drySHA);
    const { environments = [] } = stack.strategies.get(stack.strategy)?.status ?? {};
    const active = environments.find((environment) => environment.branch === branch)?.active;
    const { state, inForce, revertOf } = revert?.status ?? {};
    const isBack = state === 'Merged' && inForce === true && active?.drySHA !== drySHA;
    if (isBack && revertOf !== undefined && active?.commitStatus === 'healthy') return revertOf;
    if (Date.now() > deadline) {
      const condition = revert?.status?.conditions?.find(({ type }) => type === 'Reverted');
      const why = condition?.message ?? 'there is no RevertCommit';
      throw new Error(`${branch} was not reverted within ${revertTimeoutMs / 1000} s: ${why}`);
    }
    await sleep(pollMs);
  }
}

/** Returns a sentence for each commit of these branches that was hydrated from a dry commit. */
async function neverRan(
  { repository }: Stack,
  print: Print,
  branches: readonly string[],
  drySHA: string,
): Promise<string[]> {
  const { local } = repository;
  const found: string[] = [];
  for (const branch of branches) {
    const log = ['rev-list', '--first-parent', `--max-count=${maxCommits}`, `refs/heads/${branch}`];
    const ran: string[] = [];
    for (const sha of await local.lines(log)) {
      if ((await drySHAOf(local, sha)) === drySHA) ran.push(`${branch} ran ${drySHA} as ${sha}`);
    }
    if (ran.length === 0) print(`  git: ${branch} never ran ${drySHA}`);
    found.push(...ran);
  }
  return found;
}

async function stillInForce(stack: Stack, branch: string): Promise<string[]> {
  const reverts = await revertsOf(stack, branch);
  return reverts
    .filter(({ status }) => status?.inForce !== false)
    .map(({ metadata }) => `RevertCommit ${metadata.name} still holds ${branch}`);
}

async function revertsOf({ client, strategy }: Stack, branch: string): Promise<RevertCommit[]> {
  const { namespace } = strategy;
  const { items } = await client.list(RevertCommit, namespace === undefined ? {} : { namespace });
  return items.filter(({ spec }) => spec.activeBranch === branch);
}

async function tipOf({ repository }: Stack, branch: string): Promise<string> {
  return repository.local.git(['rev-parse', `refs/heads/${branch}`]);
}
