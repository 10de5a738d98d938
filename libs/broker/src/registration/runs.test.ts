import { expect, test } from '@jest/globals';
import { Fields } from '../wire/fields.js';
import type { GithubApi } from './github-api.js';
import { Runs } from './runs.js';

test.each([
  [3, 3],
  [0, 1],
  [undefined, 1],
])('reads the attempt %j of a run as %j, because attempts count from 1', async (run_attempt, attempt) => {
  const body = { id: 42, status: 'queued', run_attempt };
  const api = { read: () => Promise.resolve(body) } as unknown as GithubApi;
  expect(await new Runs(api).get('acme/web', '42', AbortSignal.timeout(60_000))).toMatchObject({ attempt });
});

test('searches the runs of a repository for the job of a runner only as long as it may', async () => {
  const runs = Array.from({ length: 300 }, (_one, index) => ({ id: index + 1, status: 'in_progress' }));
  let reads = 0;
  const list = ({ path }: { path: string }) => {
    if (!path.includes('/jobs?')) return Promise.resolve(runs.map((run) => new Fields(run)));
    reads += 1;
    const [, id] = /runs\/(\d+)\//.exec(path) ?? [];
    const job = { id: 1, run_id: id, status: 'in_progress', runner_name: `runner-${id}` };
    return Promise.resolve([new Fields(job)]);
  };
  const found = (runnerName: string) => {
    reads = 0;
    const search = { runnerName, mayContinue: () => reads < 20 };
    return new Runs({ list } as unknown as GithubApi).findByRunner(
      'acme/web',
      search,
      AbortSignal.timeout(60_000),
    );
  };
  expect(await found('runner-20')).toMatchObject({ runId: '20' });
  expect(await found('runner-21')).toBeUndefined();
  expect(reads).toBe(20);
});
