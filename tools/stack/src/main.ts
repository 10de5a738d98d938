import { setTimeout as sleep } from 'node:timers/promises';
import { messageOf } from '@interlock/api';
import { Command, InvalidArgumentError, Option } from 'commander';
import { startStack, type Stack } from './stack.js';
import { requestRefresh } from './fleet/tenant.js';
import { narrate } from './story/narrator.js';
import { settle } from './story/settle.js';
import type { Story } from './story/step.js';
import {
  demoFreezeStory,
  demoRespondStory,
  demoRevertStory,
  demoStory,
  replayRevertStory,
  replayStory,
  repositoryStory,
  temporaryFolder,
} from './story/story.js';
import { findProblems, recordMerges, writesAfterRestart } from './story/verify.js';

const scenarios = ['promote', 'revert', 'freeze', 'respond'] as const;
const settleTimeoutMs = 120_000;
const restartTimeoutMs = 60_000;
const forever = 2 ** 31 - 1;

interface Flags {
  scenario: (typeof scenarios)[number];
  once?: boolean;
  repo?: string;
  replay?: number;
  keep?: boolean;
}

const say = (line: string): void => {
  process.stdout.write(`${line}\n`);
};

function positive(text: string): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1) throw new InvalidArgumentError('write a whole number from 1.');
  return value;
}

const demoStories = {
  promote: demoStory,
  revert: demoRevertStory,
  freeze: demoFreezeStory,
  respond: demoRespondStory,
};

async function chooseStory(flags: Flags, folder: string): Promise<Story> {
  const { scenario, repo, replay } = flags;
  if (repo === undefined) {
    return demoStories[scenario](folder, Date.now);
  }
  if (scenario === 'revert') return replayRevertStory(folder, repo, replay ?? 1);
  return replay === undefined ? repositoryStory(folder, repo) : replayStory(folder, repo, replay);
}

/** Plays a story to its end. @returns what is wrong then, a sentence each. */
async function play(stack: Stack, story: Story, signal: AbortSignal): Promise<string[]> {
  const record = recordMerges(stack);
  const stopNarrating = narrate(say, stack.pullRequests, stack.strategies, stack.strategy.name);
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
    for (const [index, step] of story.steps.entries()) {
      say(`\n[${index + 1}/${story.steps.length}] ${step.title}`);
      await step.push(stack.remote, stack);
      await requestRefresh(stack.client, stack.strategy, Date.now());
      await settled(step.held);
      if (step.check === undefined) continue;
      problems.push(...(await step.check(stack, say, signal)));
      await settled();
    }
    return [...problems, ...(await findProblems(stack, record.merges))];
  } finally {
    record.stop();
    stopNarrating();
  }
}

function explain(stack: Stack): void {
  say(`
Running:
  Kubernetes API  ${stack.cluster.url}
  forge           ${stack.repository.htmlUrl}
  gates           ${stack.gatesUrl}/v1/gates/<namespace>/<name>

Try:
  export KUBECONFIG=${stack.kubeconfig.path}
  kubectl get promotionstrategies,proposedcommits,pullrequests,revertcommits,commitstatuses,eventresponses -A
  kubectl explain promotionstrategy.spec.environments
  kubectl -n ${stack.strategy.namespace ?? ''} get promotionstrategy ${stack.strategy.name} -o yaml
`);
}

async function run(flags: Flags, signal: AbortSignal): Promise<number> {
  const folder = await temporaryFolder();
  let stack: Stack | undefined;
  try {
    const story = await chooseStory(flags, folder.path);
    say(`Interlock: ${story.title}`);
    stack = await startStack({ folder: folder.path, ...story.stack });
    if (!flags.once) explain(stack);
    const failure = new AbortController();
    for (const app of Object.values(stack.fleet.processes)) {
      app.onCrash = (reason) => failure.abort(new Error(reason));
    }
    const problems = await play(stack, story, AbortSignal.any([signal, failure.signal]));
    for (const problem of problems) say(`PROBLEM: ${problem}`);
    if (problems.length === 0) say(`\n${story.ending ?? 'Every environment runs the newest dry commit.'}`);
    if (!flags.once) {
      say('Press Ctrl-C to stop.');
      await sleep(forever, undefined, { signal });
    }
    if (problems.length > 0) return 1;
    const writes = await writesAfterRestart(stack, restartTimeoutMs);
    say(`After a restart of the apps: ${writes.length} writes at the forge.`);
    for (const write of writes) say(`PROBLEM: ${write}`);
    return writes.length === 0 ? 0 : 1;
  } finally {
    await stack?.close();
    if (!flags.keep) await folder.remove();
    else say(`Kept: ${folder.path}`);
  }
}

const program = new Command('npm start --')
  .description(
    'Runs the whole fleet on this machine: an embedded Kubernetes API, a local forge and the apps.',
  )
  .addOption(
    new Option(
      '--scenario <name>',
      'promote: changes go from environment to environment; revert: one is bad; freeze: gates hold them; respond: security events are answered with pull requests',
    )
      .choices(scenarios)
      .default('promote'),
  )
  .option('--once', 'end when every environment is on the newest dry commit')
  .option('--repo <path>', 'a hydrated repository: a bundle, a repository on disk or a URL; default: a demo')
  .option('--replay <n>', 'go back by N promotions first and live through them again', positive)
  .option('--keep', 'do not delete the folder with kubeconfigs, repositories and logs at the end')
  .showHelpAfterError();

const flags = program.parse().opts<Flags>();
if (flags.replay !== undefined && flags.repo === undefined) {
  program.error("error: option '--replay <n>' replays a repository: name it with --repo");
}
if ((flags.scenario === 'freeze' || flags.scenario === 'respond') && flags.repo !== undefined) {
  program.error(`error: the scenario ${flags.scenario} plays with the demo; leave out '--repo'`);
}
const stopping = new AbortController();
for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => stopping.abort());
try {
  process.exitCode = await run(flags, stopping.signal);
} catch (error) {
  if (stopping.signal.aborted) say('Stopped.');
  else {
    say(`FAILED: ${messageOf(error)}`);
    process.exitCode = 1;
  }
}
