import { expect, test } from '@jest/globals';
import { Refusal } from '../wire/refusal.js';
import type { GithubApi } from './github-api.js';
import { parseGithubUrl, type GithubTarget } from './github-url.js';
import { Runners } from './runners.js';

function refusedWith(status: number): Runners {
  const details = { reason: 'x', status, kind: '', serverTime: undefined };
  const error = new Refusal('NotFound', `register runner a-1: HTTP ${status}`, details);
  const api: Pick<GithubApi, 'target' | 'read'> = {
    target: parseGithubUrl('https://github.com/acme', undefined) as GithubTarget,
    read: () => Promise.reject(error),
  };
  return new Runners(api as GithubApi);
}

const causes =
  '; check that the GitHub App is installed for orgs/acme and may write its self-hosted runners, and that runner group 7 is available to it';

test.each([
  [404, causes],
  [422, causes],
  [403, ''],
  [409, ''],
  [500, ''],
])('the refusal of a registration with status %i has the message that belongs to it', async (status, end) => {
  const runner = { name: 'a-1', labels: ['linux'], runnerGroupId: 7 };
  const error = await refusedWith(status)
    .register(runner, new AbortController().signal)
    .catch((one: unknown) => one);
  expect(error).toMatchObject({
    type: 'NotFound',
    status,
    message: `register runner a-1: HTTP ${status}${end}`,
  });
});
