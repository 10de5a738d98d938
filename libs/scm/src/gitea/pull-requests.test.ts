import { afterEach, describe, expect, test } from '@jest/globals';
import { openScriptedFixture, type Script, type ScriptedFixture } from '../testing/scripted-fixture.js';
import { giteaPlugin } from './plugin.js';

let fixture: ScriptedFixture;
afterEach(() => fixture.close());

async function open(answer: Script, plugin: 'gitea' | 'forgejo' = 'gitea'): Promise<void> {
  fixture = await openScriptedFixture(answer, {
    plugin: () => giteaPlugin(plugin),
    repository: { owner: 'acme', name: 'web' },
    secret: { token: 'of-the-test' },
  });
}

const sha = 'a'.repeat(40);
const pull = (number: number, more: object = {}) => ({
  number,
  html_url: `https://git.example.com/acme/web/pulls/${number}`,
  title: 't',
  body: '',
  state: 'open',
  merged: false,
  mergeable: true,
  merge_commit_sha: null,
  merged_by: null,
  closed_at: null,
  head: { ref: 'dev-next', sha, repo_id: 1 },
  base: { ref: 'dev', sha, repo_id: 1 },
  labels: null,
  created_at: '2026-01-01T00:00:00Z',
  updated_at: '2026-01-01T00:00:00Z',
  ...more,
});
const query = { head: 'dev-next', base: 'dev', state: 'open' } as const;

describe('a list', () => {
  const all = Array.from({ length: 25 }, (_, index) => pull(index + 1));

  test('is read to its end when the server returns fewer items on a page than requested', async () => {
    await open(({ query: asked }) => {
      const page = Number(asked.get('page'));
      return { body: all.slice((page - 1) * 10, page * 10), headers: { 'x-total-count': '25' } };
    });
    const found = await fixture.repository.findPullRequests(query);
    expect(found.map(({ id }) => id)).toEqual(all.map(({ number }) => number));
    expect(fixture.server.seen).toHaveLength(3);
    expect(fixture.server.seen[0]?.headers).toMatchObject({ authorization: 'token of-the-test' });
  });

  test('ends when the server announces more items than it returns', async () => {
    await open(({ query: asked }) => ({
      body: asked.get('page') === '1' ? all : [],
      headers: { 'x-total-count': '26' },
    }));
    expect(await fixture.repository.findPullRequests(query)).toHaveLength(25);
  });

  test('fails with the number of items that were read when it has too many pages', async () => {
    await open(() => ({ body: all, headers: { 'x-total-count': '9999' } }));
    await expect(fixture.repository.findPullRequests(query)).rejects.toMatchObject({
      reason: 'TooMany',
      message: expect.stringContaining('more than 100 pages (2500 items)'),
    });
  });

  test('excludes forks and other branches', async () => {
    const fork = { ref: 'dev-next', sha, repo_id: 2 };
    const other = { ref: 'dev-next-2', sha, repo_id: 1 };
    const body = [pull(1, { head: fork }), pull(2, { head: other }), pull(3)];
    await open(() => ({ body, headers: { 'x-total-count': '3' } }));
    expect((await fixture.repository.findPullRequests(query)).map(({ id }) => id)).toEqual([3]);
  });
});

describe('the refusal of a merge', () => {
  const merge = { base: 'env/dev', headSha: sha, method: 'merge' } as const;
  const branch = (more: object) => ({
    protected: true,
    enable_status_check: true,
    status_check_contexts: ['ci/*'],
    user_can_merge: true,
    ...more,
  });
  const statuses = (...contexts: string[]) => ({
    statuses: contexts.map((context) => ({
      id: 1,
      context,
      status: 'success',
      description: '',
      target_url: '',
    })),
  });

  test.each([
    ['HeadMoved', 409, 'head out of date', {}],
    ['BaseMoved', 409, 'merge push out of date', {}],
    ['MergeMethodNotAllowed', 405, 'squash is not allowed an allowed merge style for this repository', {}],
    ['MergeConflict', 405, 'Please try again later', { pull: { mergeable: false } }],
    ['MergeConflict', 409, '', { pull: { mergeable: false } }],
    ['NotOpen', 404, "The target couldn't be found.", { pull: { state: 'closed' } }],
    ['NotOpen', 405, '', { pull: { state: 'closed', merged: true, merge_commit_sha: sha } }],
    ['Blocked', 405, 'not ready to merge', { branch: branch({}), statuses: statuses('other') }],
    ['Blocked', 405, 'User not allowed to merge PR', { branch: branch({ user_can_merge: false }) }],
    ['NotMergeable', 405, 'Please try again later', { branch: branch({}), statuses: statuses('ci/build') }],
    ['NotMergeable', 405, 'Please try again later', { branch: branch({ protected: false }) }],
    [
      'NotMergeable',
      405,
      'a name with stars that matches',
      {
        branch: branch({ status_check_contexts: ['ci/*/b*d*', 'exact'] }),
        statuses: statuses('ci/x/build', 'exact'),
      },
    ],
  ] as const)(
    'is %s for HTTP %d %s',
    async (reason, status, message, state: { pull?: object; branch?: object; statuses?: object }) => {
      await open(({ method, path }) => {
        if (method === 'POST') return { status, body: { message } };
        if (path.includes('/branches/')) return { body: state.branch ?? branch({ protected: false }) };
        if (path.endsWith('/status')) return { body: state.statuses ?? { statuses: null } };
        return { body: pull(7, state.pull) };
      });
      const refused = fixture.clock.run(fixture.repository.mergePullRequest(7, merge));
      await expect(refused).rejects.toMatchObject({ reason });
      const sent = fixture.server.seen.find(({ method }) => method === 'POST');
      expect(JSON.parse(sent?.body ?? '{}')).toEqual({ Do: 'merge', head_commit_id: sha });
    },
  );
});

test.each(['gitea', 'forgejo'] as const)(
  'returns numeric ids of a status at %s, without a commit',
  async (name) => {
    await open(
      ({ method }) =>
        method === 'GET'
          ? { body: { statuses: null } }
          : { status: 201, body: { id: 26, context: 'n', status: 'success' } },
      name,
    );
    const ids = await fixture.repository.ensureCommitStatus({ sha, name: 'n', phase: 'success' });
    expect(ids).toEqual({ statusId: 26 });
    expect(fixture.server.seen.at(-1)?.path).toBe(`/api/v1/repos/acme/web/statuses/${sha}`);
  },
);
