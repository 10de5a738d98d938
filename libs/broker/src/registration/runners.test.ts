import { describe, expect, test } from '@jest/globals';
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

describe('the removal of a runner', () => {
  const { signal } = new AbortController();

  /** The API of https://github.com/acme/web, whose calls are recorded, and answered or refused. */
  function createApi(refusal?: Refusal) {
    const paths: string[] = [];
    const at = (target: GithubTarget): Partial<GithubApi> => ({
      target,
      send: ({ path }) => {
        paths.push(path);
        return refusal === undefined
          ? Promise.resolve({ status: 204, headers: {}, body: Buffer.alloc(0) })
          : Promise.reject(refusal);
      },
      withTarget: (other) => at(other) as GithubApi,
    });
    const target = parseGithubUrl('https://github.com/acme/web') as GithubTarget;
    return { runners: new Runners(at(target) as GithubApi), paths };
  }

  const denied = new Refusal('Unauthorized', 'remove runner 7: HTTP 403', {
    ...{ reason: 'AccessDenied', status: 403, kind: '', serverTime: undefined },
  });

  test.each([
    ['the present owner', 'https://github.com/acme/web', '/repos/acme/web/actions/runners/7'],
    [
      'the present owner, from a record of an earlier version',
      undefined,
      '/repos/acme/web/actions/runners/7',
    ],
    ['an earlier owner', 'https://github.com/acme', '/orgs/acme/actions/runners/7'],
    ['an earlier enterprise', 'https://github.com/enterprises/e', '/enterprises/e/actions/runners/7'],
  ])('is requested at %s', async (_title, githubUrl, path) => {
    const { runners, paths } = createApi();
    expect(await runners.remove({ name: 'a-1', runnerId: '7', githubUrl }, signal)).toBe('removed');
    expect(paths).toEqual([path]);
  });

  test.each(['https://ghes.acme.test/acme', 'https://github.com/a/b/c', 'x'])(
    'is not requested at %s, for which the credential is not meant',
    async (githubUrl) => {
      const { runners, paths } = createApi();
      expect(await runners.remove({ name: 'a-1', runnerId: '7', githubUrl }, signal)).toBe('inaccessible');
      expect(paths).toEqual([]);
    },
  );

  test('ends when an earlier owner denies access, but not when the present one does', async () => {
    const { runners } = createApi(denied);
    const runner = { name: 'a-1', runnerId: '7' };
    const githubUrl = 'https://github.com/acme';
    expect(await runners.remove({ ...runner, githubUrl }, signal)).toBe('inaccessible');
    await expect(runners.remove(runner, signal)).rejects.toBe(denied);
  });
});
