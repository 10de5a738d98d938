import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { commitChange, createDemoRepository, dryBranch as demoDryBranch } from '../demo/repository.js';
import { demoChanges, demoEnvironments, environmentBranch } from '../demo/sources.js';
import { cloneMirror, type LocalRepository } from '../git.js';
import { findEnvironments, type FoundEnvironment } from '../repository/environments.js';
import { planReplay } from '../repository/replay.js';
import type { Remote, Stack, StackOptions } from '../stack.js';
import { Replayer } from './replay-run.js';

/** A thing to watch the fleet do. */
export interface Story {
  title: string;
  stack: Pick<StackOptions, 'from' | 'dryBranch' | 'environments' | 'prepare' | 'revertPolicy'>;
  /** The copy of the repository that the hydrator works in. */
  source: LocalRepository;
  /** What is pushed one after the other, with the fleet settling after each. */
  steps: Step[];
}

export interface Step {
  title: string;
  push: (remote: Remote, stack: Stack) => Promise<void>;
  /** Asked when the fleet has settled; waits for what takes longer. @returns what is wrong, a sentence each. */
  check?: (stack: Stack, signal: AbortSignal) => Promise<string[]>;
}

/** @returns a folder of its own, and a function that deletes it. */
export async function temporaryFolder(): Promise<{ path: string; remove: () => Promise<void> }> {
  const path = await mkdtemp(join(tmpdir(), 'interlock-'));
  return { path, remove: () => rm(path, { recursive: true, force: true }) };
}

/** The demo: a shop whose changes go from dev over test to prod. */
export async function demoStory(folder: string, now: () => number): Promise<Story> {
  const source = await createDemoRepository(join(folder, 'source.git'), now());
  const environments = demoEnvironments.map((environment): FoundEnvironment => {
    const branch = environmentBranch(environment);
    return { branch, proposedBranch: `${branch}-next` };
  });
  const pushAll = (remote: Remote) => push(source, remote, ['refs/heads/*:refs/heads/*']);
  return {
    title: 'a shop that is promoted from dev over test to prod',
    source,
    stack: { dryBranch: demoDryBranch, environments, prepare: pushAll },
    steps: demoChanges.slice(1).map((change) => ({
      title: change.message,
      push: async (remote) => {
        await commitChange(source, change, now());
        const proposed = environments.map(({ proposedBranch }) => `refs/heads/${proposedBranch}`);
        await push(source, remote, [`refs/heads/${demoDryBranch}`, ...proposed]);
      },
    })),
  };
}

/** A repository of the user's, as it is. */
export async function repositoryStory(folder: string, from: string): Promise<Story> {
  const source = await cloneMirror(from, join(folder, 'source.git'));
  const dryBranch = await defaultBranch(source);
  const { live, abandoned } = await findEnvironments(source, dryBranch);
  return {
    title: `${from}: ${live.map(({ branch }) => branch).join(' → ')}${without(abandoned)}`,
    source,
    stack: { from: { path: source.path }, dryBranch, environments: live, prepare: () => Promise.resolve() },
    steps: [],
  };
}

/** A repository of the user's, whose last promotions are lived through again. */
export async function replayStory(folder: string, from: string, count: number): Promise<Story> {
  const story = await repositoryStory(folder, from);
  const { source, stack } = story;
  const plan = await planReplay(source, stack.dryBranch, stack.environments, count);
  const replayers = new Map<string, Replayer>();
  const replayer = (remote: Remote): Replayer => {
    const known = replayers.get(remote.url) ?? new Replayer(source, plan, remote);
    replayers.set(remote.url, known);
    return known;
  };
  return {
    ...story,
    stack: { ...stack, prepare: (remote) => replayer(remote).rewind() },
    steps: plan.steps.map((step) => ({
      title: `${step.drySHA.slice(0, 7)} ${step.subject}`,
      push: (remote) => replayer(remote).step(step),
    })),
  };
}

async function defaultBranch(repository: LocalRepository): Promise<string> {
  const head = await repository.git(['symbolic-ref', '--short', 'HEAD']).catch(() => 'main');
  return (await repository.resolve(`refs/heads/${head}`)) === undefined ? 'main' : head;
}

async function push(source: LocalRepository, remote: Remote, refspecs: readonly string[]): Promise<void> {
  await source.git(['push', '--quiet', '--atomic', remote.url, ...refspecs], { env: remote.env });
}

function without(abandoned: readonly string[]): string {
  return abandoned.length === 0 ? '' : ` (${abandoned.join(', ')} is left behind and not promoted)`;
}
