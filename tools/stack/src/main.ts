import { setTimeout as sleep } from 'node:timers/promises';
import { messageOf } from '@interlock/api';
import { noNeeds } from './cluster/plan.js';
import { cleanCommand, cleanGivenCluster, openGivenCluster, type GivenCluster } from './cluster/given.js';
import { parseFlags, type StackFlags } from './flags.js';
import type { FleetMode } from './fleet/fleet.js';
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

const settleTimeoutMs = 120_000;
const restartTimeoutMs = 60_000;
const forever = 2 ** 31 - 1;
/** As of a shell, for a process that SIGINT ended. */
const interruptedCode = 130;
const sameSignalMs = 500;
/** How often an app that ended by itself is started again, where the API server may be away. */
const appRestarts = 5;

const say = (line: string): void => {
  process.stdout.write(`${line}\n`);
};

const demoStories = {
  promote: demoStory,
  revert: demoRevertStory,
  freeze: demoFreezeStory,
  respond: demoRespondStory,
};

async function chooseStory(flags: StackFlags, folder: string): Promise<Story> {
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

/** Returns the URL from which a user of the forge clones, with the user's token. */
function cloneUrlFor({ login, token }: Stack['visitor'], cloneUrl: string): string {
  const url = new URL(cloneUrl);
  url.username = login;
  url.password = token;
  return url.href;
}

function explain(stack: Stack, mode: FleetMode): void {
  const { cluster, fleet, forge, repository, visitor, kubeconfig, strategy } = stack;
  const kubectl = kubeconfig.context === undefined ? 'kubectl' : `kubectl --context ${kubeconfig.context}`;
  say(`
Running:
  Kubernetes API  ${cluster.url}
  forge           ${repository.htmlUrl}
  gates           ${fleet.gatesUrl ?? ''}/v1/gates/<namespace>/<name>

Try:
  export KUBECONFIG=${kubeconfig.path}
  ${kubectl} get promotionstrategies,proposedcommits,pullrequests,revertcommits,commitstatuses,eventresponses -A
  ${kubectl} explain promotionstrategy.spec.environments
  ${kubectl} -n ${strategy.namespace ?? ''} get promotionstrategy ${strategy.name} -o yaml${mode === 'processes' ? '' : podCommands(kubectl, cluster)}

Change something, as the user ${visitor.login} of the forge:
  git clone ${cloneUrlFor(visitor, repository.cloneUrl)}
  export PULLS=${forge.apiUrl}/repos/${repository.fullName}/pulls
  curl -H 'Authorization: Bearer ${visitor.token}' "$PULLS?state=all"
  curl -H 'Authorization: Bearer ${visitor.token}' -X PATCH -d '{"state":"closed"}' $PULLS/1
  curl -H 'Authorization: Bearer ${visitor.token}' -X PUT $PULLS/1/merge
`);
}

/** Returns commands about the pods of the apps, a line each. */
function podCommands(kubectl: string, { namespaces: { system } }: Stack['cluster']): string {
  return ['get deployments,pods', 'logs deploy/promoter --tail 20']
    .map((command) => `\n  ${kubectl} -n ${system} ${command}`)
    .join('');
}

/** Plays a story, and waits for Ctrl-C unless it is to be played once. @returns the exit code. */
async function runStory(
  stack: Stack,
  story: Story,
  { once, fleet }: StackFlags,
  signal: AbortSignal,
): Promise<number> {
  if (!once) explain(stack, fleet);
  const problems = await play(stack, story, signal);
  for (const problem of problems) say(`PROBLEM: ${problem}`);
  if (problems.length === 0) say(`\n${story.ending ?? 'Every environment runs the newest dry commit.'}`);
  if (!once) {
    say('Press Ctrl-C to stop.');
    await sleep(forever, undefined, { signal });
  }
  if (problems.length > 0) return 1;
  const writes = await writesAfterRestart(stack, restartTimeoutMs);
  say(`After a restart of the apps: ${writes.length} writes at the forge.`);
  for (const write of writes) say(`PROBLEM: ${write}`);
  return writes.length === 0 ? 0 : 1;
}

async function run(flags: StackFlags, stopping: AbortSignal): Promise<number> {
  const folder = await temporaryFolder();
  const failure = new AbortController();
  const signal = AbortSignal.any([stopping, failure.signal]);
  const fail = (error: Error): void => failure.abort(error);
  let given: GivenCluster | undefined;
  let stack: Stack | undefined;
  let endSupervision: (() => void) | undefined;
  try {
    const story = await chooseStory(flags, folder.path);
    say(`Interlock: ${story.title}`);
    const open = async (kubeconfig: string) =>
      (given = await openGivenCluster({
        ...flags,
        kubeconfig,
        needs: story.needs ?? noNeeds,
        keeps: flags.keep ?? false,
        print: say,
        signal,
        onLost: fail,
      }));
    const { kubeconfig, webhookHost } = flags;
    const openCluster = kubeconfig === undefined ? undefined : () => open(kubeconfig);
    stack = await startStack({
      ...story.stack,
      folder: folder.path,
      openCluster,
      fleet: flags.fleet,
      webhookHost,
      print: say,
      signal,
    });
    endSupervision = stack.fleet.supervise({
      restarts: given === undefined ? 0 : appRestarts,
      print: say,
      onFailure: fail,
    });
    return await runStory(stack, story, flags, signal);
  } finally {
    endSupervision?.();
    await stack?.close();
    for (const problem of given?.problems ?? []) {
      say(`PROBLEM: ${problem}`);
      process.exitCode = 1;
    }
    if (!flags.keep) await folder.remove();
    else say(`Kept: ${folder.path}`);
  }
}

async function clean(flags: StackFlags, signal: AbortSignal): Promise<number> {
  const { kubeconfig = '', context } = flags;
  const problems = await cleanGivenCluster({ kubeconfig, context }, say, signal);
  for (const problem of problems) say(`PROBLEM: ${problem}`);
  return problems.length === 0 ? 0 : 1;
}

const flags = parseFlags();
const stopping = new AbortController();
let stoppedAt = Infinity;
for (const name of ['SIGINT', 'SIGTERM'] as const) {
  process.on(name, () => {
    if (!stopping.signal.aborted) {
      stoppedAt = Date.now();
      stopping.abort();
      return;
    }
    /* One Ctrl-C may arrive twice: from the terminal, and from the program that started this one. */
    if (Date.now() - stoppedAt < sameSignalMs) return;
    const { kubeconfig } = flags;
    const left =
      kubeconfig === undefined
        ? ''
        : ` What is left in the cluster: ${cleanCommand({ ...flags, kubeconfig })}`;
    say(`Ended at once.${left}`);
    process.exit(interruptedCode);
  });
}
try {
  const code = await (flags.clean ? clean : run)(flags, stopping.signal);
  process.exitCode ??= code;
} catch (error) {
  if (stopping.signal.aborted) say('Stopped.');
  else {
    say(`FAILED: ${messageOf(error)}`);
    process.exitCode = 1;
  }
}
