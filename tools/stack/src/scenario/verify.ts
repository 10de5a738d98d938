import { setTimeout as sleep } from 'node:timers/promises';
import { CommitStatus } from '@interlock/api';
import type { Stack } from '../stack.js';
import { apps } from '../fleet/fleet.js';

/** A merge of the promoter. */
interface Merge {
  branch: string;
  sha: string;
}

/** Records the merges in their order. @returns the growing list, and a function that stops recording. */
export function recordMerges(stack: Stack): { merges: Merge[]; stop: () => void } {
  const merges: Merge[] = [];
  const stop = stack.pullRequests.subscribe((event) => {
    if (event.type === 'deleted') return;
    const { spec, status } = event.object;
    const sha = status?.mergeSHA;
    if (status?.state !== 'merged' || sha === undefined || merges.some((merge) => merge.sha === sha)) return;
    merges.push({ branch: spec.targetBranch, sha });
  });
  return { merges, stop };
}

/**
 * Checks the end of a scenario: every environment has the proposed tree and is on the newest dry commit. The merges
 * followed the order of the environments, and each has its trailers. @returns the problems, one sentence each.
 */
export async function findProblems(stack: Stack, merges: readonly Merge[]): Promise<string[]> {
  return [...(await environmentProblems(stack)), ...(await mergeProblems(stack, merges))];
}

async function environmentProblems({
  repository: { local },
  environments,
  ...stack
}: Stack): Promise<string[]> {
  const problems: string[] = [];
  const reported = stack.strategies.get(stack.strategy)?.status?.environments ?? [];
  const newest = reported.at(0)?.proposed?.drySHA;
  for (const { branch, proposedBranch } of environments) {
    const tree = await local.resolve(`refs/heads/${branch}^{tree}`);
    if (tree !== (await local.resolve(`refs/heads/${proposedBranch}^{tree}`))) {
      problems.push(`${branch} does not have the tree of ${proposedBranch}`);
    }
    const state = reported.find((one) => one.branch === branch);
    if (state?.active?.drySHA !== newest) {
      const waiting =
        state?.checks?.find((check) => check.state !== 'success')?.message ?? 'no reason is reported';
      problems.push(
        `${branch} runs ${state?.active?.drySHA ?? 'nothing'}, not ${newest ?? 'anything'}: ${waiting}`,
      );
    }
  }
  return problems;
}

async function mergeProblems(stack: Stack, merges: readonly Merge[]): Promise<string[]> {
  const problems: string[] = [];
  const order = stack.environments.map(({ branch }) => branch);
  const furthest = new Map<string, number>();
  for (const { branch, sha } of merges) {
    const drySHA = await trailerOf(stack, sha, 'Sha-dry-proposed');
    if (drySHA === '') problems.push(`merge ${sha} of ${branch} has no trailer Sha-dry-proposed`);
    /* A revert goes back to an earlier commit, and affects one environment. */
    if ((await trailerOf(stack, sha, 'Revert-of')) !== '') continue;
    const position = order.indexOf(branch);
    if (position < (furthest.get(drySHA) ?? -1)) problems.push(`${drySHA} reached ${branch} out of order`);
    furthest.set(drySHA, position);
  }
  return problems;
}

async function trailerOf(stack: Stack, sha: string, key: string): Promise<string> {
  const format = `--format=%(trailers:key=${key},valueonly)`;
  return (await stack.repository.local.git(['show', '-s', format, sha])).trim();
}

const idlePolls = 3;
const pollMs = 200;

/**
 * Restarts the apps and waits until they have reconciled everything. @returns the resulting writes at the SCM, of which
 * there should be none. @throws Error after the timeout
 */
export async function writesAfterRestart(stack: Stack, timeoutMs: number): Promise<string[]> {
  const { fleet, forge } = stack;
  const deadline = Date.now() + timeoutMs;
  while (!(await isMirrored(stack))) {
    if (Date.now() > deadline)
      throw new Error(`CommitStatuses were not mirrored within ${timeoutMs / 1000} s`);
    await sleep(pollMs);
  }
  const { seq } = forge.journal;
  await fleet.stop();
  await fleet.start();
  for (let quiet = 0; quiet < idlePolls;) {
    if (Date.now() > deadline)
      throw new Error(`the apps did not settle within ${timeoutMs / 1000} s after their restart`);
    await sleep(pollMs);
    quiet = (await isIdle(stack)) ? quiet + 1 : 0;
  }
  const writes = forge.journal.entries({ since: seq, kind: 'write' });
  return writes.map(({ method, path, summary = '' }) => `${method} ${path} ${summary}`);
}

/* Returns whether commit-status-sync has handled the current generation of every CommitStatus. */
async function isMirrored({ client }: Stack): Promise<boolean> {
  const { items } = await client.list(CommitStatus);
  return items.every(({ metadata, status }) => status?.observedGeneration === metadata.generation);
}

/* Returns whether every queue is empty and no worker is busy, after some work since the start. */
async function isIdle({ fleet }: Stack): Promise<boolean> {
  for (const app of apps) {
    if (!(await fleet.ready(app))) return false;
    const metrics = await fleet.metrics(app);
    const sum = (name: string) =>
      [...metrics.matchAll(new RegExp(`^${name}(?:\\{[^}]*\\})? (\\S+)$`, 'gm'))].reduce(
        (total, [, value]) => total + Number(value),
        0,
      );
    if (sum('workqueue_depth') > 0 || sum('controller_runtime_active_workers') > 0) return false;
    /* Without a gate, the gate controller has no work. */
    const reconciled =
      app === 'gate-controller' ? 'leader_election_master_status' : 'controller_runtime_reconcile_total';
    if (sum(reconciled) === 0) return false;
  }
  return true;
}
