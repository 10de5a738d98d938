import { expect, it } from '@jest/globals';
import { ConfigMap } from '@interlock/kube';
import type { AgcContext } from '../context.js';
import { MemoryClient } from '../job/testing/memory-client.js';
import { group, now } from '../job/testing/builders.js';
import { actOnRerun } from './act.js';
import { decideRerun, type RunView } from './decide.js';
import { RerunStore, rerunOf } from './store.js';

const signal = AbortSignal.timeout(60_000);
const key = { name: 'rerun-linux-42', namespace: 'team-a' };
const run: RunView = { isCompleted: true, conclusion: 'failure', attempt: 1, othersActive: 0 };

/** The requested reruns of a run, whose reconciles call GitHub. */
function createReruns({ leads = true } = {}) {
  const memory = new MemoryClient();
  const reruns = new RerunStore(memory.client, { now: () => now });
  const calls: string[] = [];
  const runs = {
    rerunJob: async (_repository: string, id: string) => void calls.push(`job ${id}`),
    rerunFailedJobs: async () => void calls.push('failed jobs'),
  };
  const groups = { get: () => (leads ? {} : undefined) };
  const context = { runs, reruns, groups } as unknown as AgcContext;
  const request = (runnerName: string, restJobId: string | undefined, runAttempt?: number) => {
    const reference = { repository: 'acme/web', runId: '42', runAttempt, restJobId };
    const rerun = { run: reference, cause: 'eviction', isCancelled: false, runnerName } as const;
    return reruns.schedule(group, rerun, signal);
  };
  /** Reconciles the rerun, whose run is at an attempt. */
  const reconcile = async (attempt = 1) => {
    const config = memory.read(ConfigMap, key)!;
    const nothing = { maxRetries: 2, delayMs: 0, found: undefined, madeByOthers: 0, isShared: false };
    const observed = { ...nothing, config, record: rerunOf(config)!, run: { ...run, attempt } };
    await actOnRerun(context, decideRerun(observed, now), observed, { signal, now });
  };
  return { memory, calls, request, reconcile };
}

it('runs all failed jobs again when the id of one of two disrupted jobs is not known', async () => {
  const { calls, request, reconcile } = createReruns();
  await request('linux-1', '7', 1);
  await request('linux-2', undefined, 1);
  await reconcile();
  expect(calls).toEqual(['failed jobs']);
});

it('runs a run of unknown attempt again once when the rerun is not recorded', async () => {
  const { memory, calls, request, reconcile } = createReruns();
  await request('linux-1', '7');
  memory.before = () => {
    if (calls.length === 1) throw new Error('the process ended');
  };
  for (let left = 3; left > 0 && calls.length === 0; left--) await reconcile().catch(() => undefined);
  memory.before = () => undefined;
  await reconcile(2);
  expect(calls).toEqual(['job 7']);
});

it('runs nothing again after the lease of the group was lost, because the next leader may have done so', async () => {
  const { calls, request, reconcile } = createReruns({ leads: false });
  await request('linux-1', '7', 1);
  await reconcile();
  expect(calls).toEqual([]);
});
