import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { rbacFiles } from '../demo/rbac.js';
import { commitChange, createDemoRepository, dryBranch as demoDryBranch } from '../demo/repository.js';
import { demoChanges, demoEnvironments, environmentBranch, type DemoChange } from '../demo/sources.js';
import { cloneMirror, type LocalRepository } from '../git.js';
import { findEnvironments, type FoundEnvironment } from '../repository/environments.js';
import { takeBack } from '../repository/take-back.js';
import { planReplay, type ReplayStep } from '../repository/replay.js';
import type { Remote } from '../stack.js';
import { Replayer } from './replay-run.js';
import { freezeScenario } from './freeze.js';
import { respondScenario } from './respond.js';
import { revertScenario, type Prepared } from './revert.js';
import type { Step, Scenario } from './step.js';

/** Returns a new temporary folder, and a function that deletes it. */
export async function temporaryFolder(): Promise<{ path: string; remove: () => Promise<void> }> {
  const path = await mkdtemp(join(tmpdir(), 'interlock-'));
  return { path, remove: () => rm(path, { recursive: true, force: true }) };
}

/** Returns the demo: a shop whose changes are promoted from dev to test to prod. */
export async function demoScenario(folder: string, now: () => number): Promise<Scenario> {
  const { base, prepare } = await demo(folder, now);
  const steps = demoChanges.slice(1).map((change) => stepOf(change.message, () => prepare(change)));
  return { ...base, steps };
}

/** Returns the demo, in which a change is not healthy in test. */
export async function demoRevertScenario(folder: string, now: () => number): Promise<Scenario> {
  const { base, prepare } = await demo(folder, now);
  const [, tea, cake] = demoChanges;
  if (tea === undefined || cake === undefined) throw new Error('the demo has too few changes');
  const fixed = { message: 'Sell cake without nuts', version: '1.2.1' };
  return revertScenario({
    base,
    before: [stepOf(tea.message, () => prepare(tea))],
    bad: { title: cake.message, prepare: () => prepare(cake) },
    good: { title: fixed.message, prepare: () => prepare(fixed) },
  });
}

/** Returns the demo, in which a change freeze holds a change before prod. */
export async function demoFreezeScenario(folder: string, now: () => number): Promise<Scenario> {
  const { base, prepare } = await demo(folder, now);
  const [, tea, cake] = demoChanges;
  if (tea === undefined || cake === undefined) throw new Error('the demo has too few changes');
  const planned = (change: DemoChange) => ({ title: change.message, prepare: () => prepare(change) });
  return freezeScenario({ base, now, before: planned(tea), held: planned(cake) });
}

/** Returns the demo with responses to security events. */
export async function demoRespondScenario(folder: string, now: () => number): Promise<Scenario> {
  const { base } = await demo(folder, now, rbacFiles);
  return respondScenario(base);
}

async function demo(folder: string, now: () => number, more?: ReadonlyMap<string, string>) {
  const source = await createDemoRepository(join(folder, 'source.git'), now(), more);
  const environments = demoEnvironments.map((environment): FoundEnvironment => {
    const branch = environmentBranch(environment);
    return { branch, proposedBranch: `${branch}-next` };
  });
  const pushAll = (remote: Remote) => push(source, remote, ['refs/heads/*:refs/heads/*']);
  const base: Scenario = {
    title: 'a shop that is promoted from dev to test to prod',
    source,
    stack: { dryBranch: demoDryBranch, environments, prepare: pushAll },
    steps: [],
  };
  const proposed = environments.map(({ proposedBranch }) => `refs/heads/${proposedBranch}`);
  const prepare = async (change: DemoChange): Promise<Prepared> => ({
    drySHA: await commitChange(source, change, now()),
    push: (remote) => push(source, remote, [`refs/heads/${demoDryBranch}`, ...proposed]),
  });
  return { base, prepare };
}

/** Returns a repository of the user, in its current state. */
export async function repositoryScenario(folder: string, from: string): Promise<Scenario> {
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

/** Returns a repository of the user, whose last promotions are replayed. */
export async function replayScenario(folder: string, from: string, count: number): Promise<Scenario> {
  const { base, plan, replayed } = await replay(folder, from, count);
  return { ...base, steps: plan.steps.map(replayed) };
}

/**
 * Returns the scenario of {@link replayScenario} up to the last promotion that changes every environment. This
 * promotion is not healthy in the middle environment, and is reverted.
 */
export async function replayRevertScenario(folder: string, from: string, count: number): Promise<Scenario> {
  const { base, plan, replayer, replayed } = await replay(folder, from, count);
  const { environments } = plan;
  const isWhole = ({ proposed }: ReplayStep) =>
    environments.every(({ proposedBranch }) => proposed.has(proposedBranch));
  const position = plan.steps.findLastIndex(isWhole);
  const bad = plan.steps[position];
  if (bad === undefined) throw new Error(`none of the last ${count} promotions changes every environment`);
  const start = environments.map(({ proposedBranch, proposed }): [string, string] => [
    proposedBranch,
    proposed,
  ]);
  const before = new Map([
    ...start,
    ...plan.steps.slice(0, position).flatMap(({ proposed }) => [...proposed]),
  ]);
  return revertScenario({
    base,
    before: plan.steps.slice(0, position).map(replayed),
    bad: {
      title: titleOf(bad),
      prepare: () =>
        Promise.resolve({ drySHA: bad.drySHA, push: (remote: Remote) => replayer(remote).step(bad) }),
    },
    good: {
      title: `revert ${titleOf(bad)}`,
      prepare: async () => {
        const { drySHA, proposed } = await takeBack(
          base.source,
          bad.drySHA,
          environments,
          before,
          bad.proposed,
        );
        const step = { drySHA, subject: '', proposed, noted: [] };
        return { drySHA, push: (remote) => replayer(remote).step(step) };
      },
    },
  });
}

async function replay(folder: string, from: string, count: number) {
  const scenario = await repositoryScenario(folder, from);
  const { source, stack } = scenario;
  const plan = await planReplay(source, stack.dryBranch, stack.environments, count);
  const replayers = new Map<string, Replayer>();
  const replayer = (remote: Remote): Replayer => {
    const known = replayers.get(remote.url) ?? new Replayer(source, plan, remote);
    replayers.set(remote.url, known);
    return known;
  };
  const base: Scenario = { ...scenario, stack: { ...stack, prepare: (remote) => replayer(remote).rewind() } };
  const replayed = (step: ReplayStep): Step => ({
    title: titleOf(step),
    push: (remote) => replayer(remote).step(step),
  });
  return { base, plan, replayer, replayed };
}

function titleOf({ drySHA, subject }: ReplayStep): string {
  return `${drySHA.slice(0, 7)} ${subject}`;
}

function stepOf(title: string, prepare: () => Promise<Prepared>): Step {
  return { title, push: async (remote) => (await prepare()).push(remote) };
}

async function defaultBranch(repository: LocalRepository): Promise<string> {
  const head = await repository.git(['symbolic-ref', '--short', 'HEAD']).catch(() => 'main');
  return (await repository.resolve(`refs/heads/${head}`)) === undefined ? 'main' : head;
}

async function push(source: LocalRepository, remote: Remote, refspecs: readonly string[]): Promise<void> {
  await source.git(['push', '--quiet', '--atomic', remote.url, ...refspecs], { env: remote.env });
}

function without(abandoned: readonly string[]): string {
  return abandoned.length === 0 ? '' : ` (no longer hydrated, so not promoted: ${abandoned.join(', ')})`;
}
