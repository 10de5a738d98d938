import { setTimeout as sleep } from 'node:timers/promises';
import { noNeeds } from '../cluster/plan.js';
import { openGivenCluster, type GivenCluster } from '../cluster/given.js';
import type { StackFlags } from '../flags.js';
import { requestRefresh } from '../fleet/tenant.js';
import { startStack, type Stack } from '../stack.js';
import { explanation } from './explanation.js';
import { narrate, type Print } from './narrator.js';
import { settle } from './settle.js';
import type { Scenario } from './step.js';
import {
  demoFreezeScenario,
  demoRespondScenario,
  demoRevertScenario,
  demoScenario,
  replayRevertScenario,
  replayScenario,
  repositoryScenario,
} from './scenarios.js';
import { findProblems, recordMerges, writesAfterRestart } from './verify.js';

const settleTimeoutMs = 120_000;
const restartTimeoutMs = 60_000;
const forever = 2 ** 31 - 1;
/** Maximum number of restarts of an app that exits, in a cluster whose API server may be unavailable. */
const appRestarts = 5;

const demoScenarios = {
  promote: demoScenario,
  revert: demoRevertScenario,
  freeze: demoFreezeScenario,
  respond: demoRespondScenario,
};

/** The flags of a scenario in which changes are promoted. */
interface ScenarioFlags extends StackFlags {
  scenario: keyof typeof demoScenarios;
}

interface ScenarioRun {
  flags: ScenarioFlags;
  /** Folder for the files of the scenario. */
  folder: string;
  print: Print;
  /** Aborts the run. */
  stopping: AbortSignal;
}

async function chooseScenario({ flags, folder }: ScenarioRun): Promise<Scenario> {
  const { scenario, repo, replay } = flags;
  if (repo === undefined) {
    return demoScenarios[scenario](folder, Date.now);
  }
  if (scenario === 'revert') return replayRevertScenario(folder, repo, replay ?? 1);
  return replay === undefined ? repositoryScenario(folder, repo) : replayScenario(folder, repo, replay);
}

/** Runs a scenario to its end. Returns the problems, one sentence each. */
async function runSteps(
  stack: Stack,
  scenario: Scenario,
  print: Print,
  signal: AbortSignal,
): Promise<string[]> {
  const record = recordMerges(stack);
  const stopNarrating = narrate(print, stack.pullRequests, stack.strategies, stack.strategy.name);
  const settled = (held?: string) =>
    settle({
      held,
      repository: stack.repository.local,
      environments: stack.environments,
      strategy: () => stack.strategies.get(stack.strategy),
      timeoutMs: settleTimeoutMs,
      signal,
    });
  try {
    const problems: string[] = [];
    await settled();
    for (const [index, step] of scenario.steps.entries()) {
      print(`\n[${index + 1}/${scenario.steps.length}] ${step.title}`);
      await step.push(stack.remote, stack);
      await requestRefresh(stack.client, stack.strategy, Date.now());
      await settled(step.held);
      if (step.check === undefined) continue;
      problems.push(...(await step.check(stack, print, signal)));
      await settled();
    }
    return [...problems, ...(await findProblems(stack, record.merges))];
  } finally {
    record.stop();
    stopNarrating();
  }
}

/** Runs a scenario, and then waits for Ctrl-C unless it runs once. Returns the exit code. */
async function playToEnd(
  stack: Stack,
  scenario: Scenario,
  { flags: { once, fleet }, print }: ScenarioRun,
  signal: AbortSignal,
): Promise<number> {
  if (!once) print(explanation(stack, fleet));
  const problems = await runSteps(stack, scenario, print, signal);
  for (const problem of problems) print(`PROBLEM: ${problem}`);
  if (problems.length === 0) print(`\n${scenario.ending ?? 'Every environment runs the newest dry commit.'}`);
  if (!once) {
    print('Press Ctrl-C to stop.');
    await sleep(forever, undefined, { signal });
  }
  if (problems.length > 0) return 1;
  const writes = await writesAfterRestart(stack, restartTimeoutMs);
  print(`After a restart of the apps: ${writes.length} writes at the forge.`);
  for (const write of writes) print(`PROBLEM: ${write}`);
  return writes.length === 0 ? 0 : 1;
}

/**
 * Starts the apps and runs the scenario that the flags name. Returns the exit code. @throws Error when the scenario
 * cannot run
 */
export async function runScenario(run: ScenarioRun): Promise<number> {
  const { flags, folder, print, stopping } = run;
  const failure = new AbortController();
  const signal = AbortSignal.any([stopping, failure.signal]);
  const fail = (error: Error): void => failure.abort(error);
  let given: GivenCluster | undefined;
  let stack: Stack | undefined;
  let endSupervision: (() => void) | undefined;
  try {
    const scenario = await chooseScenario(run);
    print(`Interlock: ${scenario.title}`);
    const open = async (kubeconfig: string) =>
      (given = await openGivenCluster({
        ...flags,
        kubeconfig,
        needs: scenario.needs ?? noNeeds,
        keeps: flags.keep ?? false,
        print,
        signal,
        onLost: fail,
      }));
    const { kubeconfig, webhookHost, fleet } = flags;
    const openCluster = kubeconfig === undefined ? undefined : () => open(kubeconfig);
    stack = await startStack({
      ...scenario.stack,
      folder,
      openCluster,
      fleet,
      webhookHost,
      print,
      signal,
    });
    endSupervision = stack.fleet.supervise({
      restarts: given === undefined ? 0 : appRestarts,
      print,
      onFailure: fail,
    });
    return await playToEnd(stack, scenario, run, signal);
  } finally {
    endSupervision?.();
    await stack?.close();
    for (const problem of given?.problems ?? []) {
      print(`PROBLEM: ${problem}`);
      process.exitCode = 1;
    }
  }
}
