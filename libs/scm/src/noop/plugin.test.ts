import { afterAll, describe, expect, test } from '@jest/globals';
import { createScmRegistry } from '../registry.js';
import { noopPlugin } from './plugin.js';

const registry = createScmRegistry({ plugins: [noopPlugin()] });
afterAll(() => registry.close());

function open(
  url = 'https://git.example.com/acme/web.git',
  secret: Record<string, string> = {},
  noop: object = { domain: 'git.example.com' },
) {
  const metadata = { name: 'dry', namespace: 'team' };
  const provider = { kind: 'ScmProvider', metadata, spec: { noop } };
  return registry.repository(provider, secret, { metadata, spec: { noop: { url } } });
}

describe('a dry run', () => {
  test('has no pull requests and no statuses', async () => {
    const repository = open();
    expect(await repository.findPullRequests({ head: 'a', base: 'b', state: 'all' })).toEqual([]);
    expect(await repository.listCommitStatuses('abc')).toEqual([]);
    await expect(repository.getPullRequest(1)).rejects.toMatchObject({ type: 'NotFound' });
  });

  const repository = open();
  const merge = { base: 'dev', headSha: 'abc', method: 'merge' } as const;
  test.each([
    [
      () => repository.createPullRequest({ head: 'a', base: 'b', title: 't', body: '' }),
      'open a pull request from a to b: t',
    ],
    [() => repository.updatePullRequest(1, {}), 'change pull request 1'],
    [() => repository.closePullRequest(1), 'close pull request 1'],
    [() => repository.mergePullRequest(1, merge), 'merge (merge) pull request 1 at abc'],
    [() => repository.ensureLabels(1, { add: ['x'] }), 'add the labels x to pull request 1'],
    [
      () => repository.ensureCommitStatus({ sha: 'abc', name: 'n', phase: 'success' }),
      'set the status n of abc to success',
    ],
  ])('reports what it would do: %#', async (act, what) => {
    await expect(act()).rejects.toMatchObject({
      type: 'Permanent',
      reason: 'DryRun',
      message: expect.stringContaining(`dry run of acme/web: would ${what}`),
    });
  });

  test('is read-only, with or without a token', async () => {
    expect(open()).toMatchObject({ readOnly: true, cloneUrl: 'https://git.example.com/acme/web.git' });
    expect(await open().gitCredentials()).toBeUndefined();
    const credentials = await open(undefined, { token: ' secret\n' }).gitCredentials();
    expect(credentials).toEqual({ username: 'x-access-token', password: 'secret' });
  });

  test.each(['git.example.com/acme', 'me@git.example.com', ''])('refuses the host %j', (domain) => {
    expect(() => open(undefined, {}, { domain })).toThrow(expect.objectContaining({ type: 'Invalid' }));
  });

  test.each(['ssh://git@example.com/x', 'file:///etc', 'https://me:pass@example.com/x', 'web'])(
    'refuses the repository URL %s',
    (url) => {
      expect(() => open(url)).toThrow(expect.objectContaining({ type: 'Invalid' }));
    },
  );
});
