import { expect, test } from '@jest/globals';
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
