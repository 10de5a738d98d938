import { expect, test } from '@jest/globals';
import { useScriptedFixtures } from '../testing/scripted-fixture.js';
import { githubPlugin } from './plugin.js';

const connect = useScriptedFixtures({
  plugin: githubPlugin,
  repository: { owner: 'acme', name: 'web' },
  secret: { token: 'ghp_1' },
});

/** Returns a pull request from `next` to `main`, as GitHub lists it; the repository of its head is `from`. */
const listed = (number: number, from: { id: number } | null, head = 'next') => ({
  number,
  html_url: `https://github.com/acme/web/pull/${number}`,
  title: 't',
  body: null,
  state: 'open',
  head: { ref: head, sha: 'a'.repeat(40), repo: from },
  base: { ref: 'main', sha: 'b'.repeat(40), repo: { id: 1 } },
  labels: [],
  created_at: '2026-01-01T00:00:00Z',
  updated_at: '2026-01-01T00:00:00Z',
  merged_at: null,
  merge_commit_sha: 'c'.repeat(40),
});

test('lists only pull requests from the requested branch of the same repository, and each once', async () => {
  const own = listed(3, { id: 1 });
  const body = [listed(1, { id: 2 }), listed(2, null), own, listed(4, { id: 1 }, 'next-2'), own];
  const { server, repository, clock } = await connect(() => ({ body }));
  const query = { head: 'next', base: 'main', state: 'open' } as const;
  const found = await clock.run(repository.findPullRequests(query));
  expect(found.map(({ id }) => id)).toEqual([3]);
  expect(server.seen[0]?.query.get('head')).toBe('acme:next');
});
