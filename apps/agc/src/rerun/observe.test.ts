import { describe, expect, it } from '@jest/globals';
import { runnerLabels, TypedError, type Kind, type KubeObject } from '@interlock/api';
import { silentLog } from '@interlock/base';
import { FakeClock } from '@interlock/base/testing';
import type { Runs } from '@interlock/broker';
import { ConfigMap, createCache, type Cache, type Client } from '@interlock/kube';
import { agcCaches, type AgcCaches } from '../caches.js';
import type { AgcContext } from '../context.js';
import { group, now } from '../job/testing/builders.js';
import { memoryCaches } from '../job/testing/memory-caches.js';
import { decideRerun } from './decide.js';
import { observeRerun } from './observe.js';
import { encodeRerun, withRequest, type RerunRecord } from './record.js';

const signal = AbortSignal.timeout(60_000);
const record = withRequest(undefined, { cause: 'claimLost', isCancelled: false, runnerName: 'linux-1' }, now);
const config: ConfigMap = {
  ...{ apiVersion: 'v1', kind: 'ConfigMap' },
  metadata: { name: 'rerun-linux-lost', labels: { [runnerLabels.runnerGroup]: 'linux' } },
  data: { 'rerun.json': encodeRerun(record) },
};

/** Returns the caches of a process with these reruns. */
function cachesOf(...reruns: readonly ConfigMap[]): AgcCaches {
  return agcCaches(memoryCaches(group, ...reruns), 'team-a');
}

type Search = Parameters<Runs['findByRunner']>[1];

/** Observes the rerun of a lost claim. Returns the observation. @param find searches a repository, from its running to its ended runs */
function observe(
  clock: FakeClock,
  repositories: number,
  find: (name: string, search: Search) => Promise<undefined>,
) {
  const context = {
    ...{ namespace: 'team-a', manager: { clock } },
    groups: { get: () => ({}) },
    caches: cachesOf(),
    runs: { findByRunner: find, findEndedByRunner: find },
    repositories: async () => Array.from({ length: repositories }, (_, number) => `acme/${number}`),
  } as unknown as AgcContext;
  return observeRerun(context, config, { now: now + 60_000, signal });
}

it('ends the search for a lost claim after a while when the installation has many repositories', async () => {
  const clock = new FakeClock();
  const searched: string[] = [];
  const find = async (repository: string): Promise<undefined> => {
    searched.push(repository);
    await clock.advance(1_000);
    if (searched.length > 1_000) throw new TypedError('Transient', 'the search does not end');
    return undefined;
  };
  const observed = await observe(clock, 1_000, find);
  expect(observed).toMatchObject({ found: undefined, run: undefined });
  expect(searched.slice(0, 2)).toEqual(['acme/0', 'acme/0']);
});

it('ends the search for a lost claim in time when a repository has many runs, and reads ended runs as well', async () => {
  const clock = new FakeClock();
  const startedAt = clock.monotonic();
  const runs: number[] = [];
  const find = async (_repository: string, { mayContinue }: Search): Promise<undefined> => {
    let read = 0;
    for (; read < 1_000 && mayContinue(); read++) await clock.advance(1_000);
    runs.push(read);
    return undefined;
  };
  expect(await observe(clock, 1, find)).toMatchObject({ found: undefined, run: undefined });
  expect(runs.every((read) => read > 20)).toBe(true);
  /* A reconciliation that takes longer is aborted, and the last call may take half a minute. */
  expect(clock.monotonic() - startedAt).toBeLessThan(90_000);
});

describe('the reruns of a run whose claims are lost again and again', () => {
  const run = { repository: 'acme/web', runId: '42', restJobIds: ['7'] };

  function configOf(runnerName: string, changes: Partial<RerunRecord>, groupName = 'linux'): ConfigMap {
    const { metadata, ...rest } = config;
    return {
      ...rest,
      metadata: {
        name: `rerun-lost-${runnerName}`,
        labels: { ...metadata.labels, [runnerLabels.runnerGroup]: groupName },
      },
      data: { 'rerun.json': encodeRerun({ ...record, ...run, runners: [runnerName], ...changes }) },
    };
  }

  const made = (runAttempt: number): Partial<RerunRecord> => ({
    ...{ runAttempt, made: 1, result: 'made', endedAt: now - 1_000 },
  });

  async function decisionAfter(others: readonly ConfigMap[]): Promise<string> {
    const own = configOf('linux-9', { runAttempt: 3 });
    const context = {
      ...{ namespace: 'team-a', groups: { get: () => ({}) } },
      caches: cachesOf(own, ...others),
      runs: {
        get: async () => ({ id: '42', attempt: 3, status: 'completed', conclusion: 'cancelled' }),
      },
    } as unknown as AgcContext;
    const observed = await observeRerun(context, own, { now: now + 60_000, signal });
    if (!('record' in observed)) throw new Error('the rerun was not observed');
    const decision = decideRerun(observed, now + 60_000);
    return decision.type === 'end' ? decision.result : decision.type;
  }

  it.each<[title: string, others: readonly ConfigMap[], decision: string]>([
    [
      'end at maxEvictionRetries, although each claim has its own record',
      [configOf('linux-1', made(1)), configOf('linux-2', made(2))],
      'exhausted',
    ],
    [
      'count one rerun once if several claims requested it',
      [configOf('linux-1', made(2)), configOf('linux-2', made(2))],
      'rerun',
    ],
    [
      'do not count those of other runs',
      [configOf('linux-1', { ...made(1), runId: '41' }), configOf('linux-2', made(2))],
      'rerun',
    ],
    [
      'do not count those of other RunnerGroups',
      [configOf('linux-1', made(1), 'arm'), configOf('linux-2', made(2))],
      'rerun',
    ],
  ])('%s', async (_title, others, decision) => {
    expect(await decisionAfter(others)).toBe(decision);
  });

  it('are read without the records of other runs', async () => {
    let reads = 0;
    const others = Array.from({ length: 50 }, (_, number) => {
      const { data, ...rest } = configOf(`linux-${number}`, { runId: String(100 + number) });
      return Object.defineProperty(rest, 'data', { get: () => (reads++, data) }) as ConfigMap;
    });
    const own = configOf('linux-99', { runAttempt: 3 });
    const items = [own, configOf('linux-98', made(2)), ...others];
    const client = {
      async *listPages() {
        yield { items, resourceVersion: '1' };
      },
      watch: () => ({ [Symbol.asyncIterator]: () => ({ next: () => new Promise(() => undefined) }) }),
    } as unknown as Client;
    const dependencies = { clock: new FakeClock(now), random: () => 0, log: silentLog };
    const reruns = createCache(client, ConfigMap, {}, dependencies);
    const filled = memoryCaches(group);
    const cache = <T extends KubeObject>(kind: Kind<T>) =>
      kind.kind === ConfigMap.kind ? (reruns as unknown as Cache<T>) : filled.cache(kind);
    const caches = agcCaches({ cache }, 'team-a');
    void reruns.run(signal);
    await reruns.waitForSync(signal);
    reads = 0;
    const context = { namespace: 'team-a', groups: { get: () => ({}) }, caches } as unknown as AgcContext;
    expect(await observeRerun(context, own, { now, signal })).toMatchObject({ madeByOthers: 1 });
    expect(reads).toBe(0);
  });
});

it.each([
  [
    'does not list the jobs of the run of an eviction, because the decision does not depend on them',
    'eviction',
    0,
  ],
  ['lists the jobs of a run whose job cannot start, which is ended if it has no others', 'abandoned', 1],
] as const)('%s', async (_title, cause, lists) => {
  const own = { ...record, cause, repository: 'acme/web', runId: '42', runAttempt: 1 };
  const waiting: ConfigMap = { ...config, data: { 'rerun.json': encodeRerun(own) } };
  let listed = 0;
  const context = {
    ...{ namespace: 'team-a', groups: { get: () => ({}) }, caches: cachesOf(waiting) },
    runs: {
      get: async () => ({ id: '42', attempt: 1, status: 'in_progress', conclusion: undefined }),
      jobs: async () => (listed++, []),
    },
  } as unknown as AgcContext;
  const observed = await observeRerun(context, waiting, { now: now + 60_000, signal });
  expect(observed).toMatchObject({ run: { isCompleted: false, othersActive: 0 } });
  expect(listed).toBe(lists);
});
