import { describe, expect, test } from '@jest/globals';
import type { MergeMethod } from '../scm.js';
import type { ScriptedAnswer } from '../testing/scripted-server.js';
import { useScriptedFixtures } from '../testing/scripted-fixture.js';
import { gitlabPlugin } from './plugin.js';

const fixture = useScriptedFixtures({
  plugin: gitlabPlugin,
  repository: { namespace: 'acme', name: 'web' },
  secret: { token: 'glpat-1' },
});

/** Returns a merge request from `next` to `main`, as GitLab returns it. */
const shown = (fields: Record<string, unknown> = {}) => ({
  iid: 7,
  web_url: 'https://gitlab.com/acme/web/-/merge_requests/7',
  title: 't',
  description: null,
  state: 'opened',
  draft: false,
  source_branch: 'next',
  target_branch: 'main',
  source_project_id: 1,
  target_project_id: 1,
  sha: 'a'.repeat(40),
  labels: [],
  created_at: '2026-01-01T00:00:00Z',
  updated_at: '2026-01-01T00:00:00Z',
  merge_commit_sha: null,
  squash_commit_sha: null,
  closed_by: null,
  merge_user: null,
  detailed_merge_status: 'mergeable',
  merge_error: null,
  ...fields,
});

test('excludes forks from a list', async () => {
  const { repository, server } = await fixture(() => ({
    body: [shown(), shown({ iid: 8, source_project_id: 2 })],
  }));
  const found = await repository.findPullRequests({ head: 'next', base: 'main', state: 'open' });
  expect(found.map(({ id }) => id)).toEqual([7]);
  const asked = Object.fromEntries(server.seen[0]?.query ?? []);
  expect(asked).toMatchObject({
    source_branch: 'next',
    target_branch: 'main',
    state: 'opened',
    per_page: '100',
  });
});

test.each([
  ['mergeable', 'mergeable'],
  ['conflict', 'conflicting'],
  ['broken_status', 'conflicting'],
  ['ci_must_pass', 'blocked'],
  ['ci_still_running', 'blocked'],
  ['draft_status', 'blocked'],
  ['not_approved', 'blocked'],
  ['unchecked', 'unknown'],
  ['checking', 'unknown'],
  ['preparing', 'unknown'],
  ['a_status_to_come', 'unknown'],
])('reports the merge status %s as %s', async (status, mergeability) => {
  const { repository } = await fixture(() => ({ body: shown({ detailed_merge_status: status }) }));
  expect(await repository.getPullRequest(7)).toMatchObject({ mergeability });
});

test.each([
  [{ merge_commit_sha: 'm', squash_commit_sha: 's' }, 'm'],
  [{ squash_commit_sha: 's' }, 's'],
  [{}, 'a'.repeat(40)],
])('reports a merge with %j as the commit %s', async (commits, mergeSha) => {
  const merge_user = { username: 'ada' };
  const { repository } = await fixture(() => ({ body: shown({ state: 'merged', merge_user, ...commits }) }));
  expect(await repository.getPullRequest(7)).toMatchObject({ state: 'merged', mergeSha, mergedBy: 'ada' });
});

test('keeps a draft when its title changes, and returns the title without the prefix', async () => {
  const { repository, server } = await fixture(() => ({ body: shown({ title: 'Draft: one', draft: true }) }));
  expect(await repository.getPullRequest(7)).toMatchObject({ title: 'one', draft: true });
  await repository.updatePullRequest(7, { title: 'two' });
  expect(server.seen.at(-1)?.body).toBe('{"title":"Draft: two"}');
});

test('refuses a label with a comma before anything is sent', async () => {
  const { repository, server } = await fixture(() => ({ body: shown() }));
  await expect(repository.ensureLabels(7, { add: ['a,b'] })).rejects.toMatchObject({ type: 'Invalid' });
  expect(server.seen).toEqual([]);
});

describe('a merge', () => {
  const sha = 'a'.repeat(40);
  const settings = { merge_method: 'merge', squash_option: 'default_off' };

  /** Returns a server with this response to the merge, and the merge request `fields` afterwards. */
  const refusing = (refusal: ScriptedAnswer, fields: Record<string, unknown> = {}, project = settings) =>
    fixture(({ method, path }) => {
      if (method === 'PUT') return refusal;
      return { body: path.includes('merge_requests') ? shown(fields) : project };
    });

  test('contains the head, the whole message, and the option to keep the branch', async () => {
    const { repository, server } = await refusing({ body: shown({ merge_commit_sha: 'm' }) });
    const merge = {
      base: 'env/dev',
      headSha: sha,
      method: 'merge',
      commitTitle: 'Promote',
      commitMessage: 'Trailer: x',
    } as const;
    expect(await repository.mergePullRequest(7, merge)).toEqual({ mergeSha: 'm' });
    expect(JSON.parse(server.seen.at(-1)?.body ?? '')).toEqual({
      sha,
      squash: false,
      should_remove_source_branch: false,
      merge_commit_message: 'Promote\n\nTrailer: x',
    });
  });

  test.each<[number, Record<string, unknown>, Record<string, string>]>([
    [409, {}, { type: 'Conflict', reason: 'HeadMoved' }],
    [405, { sha: 'b' }, { type: 'Conflict', reason: 'HeadMoved' }],
    [405, { state: 'closed' }, { type: 'Conflict', reason: 'NotOpen' }],
    [405, { detailed_merge_status: 'ci_must_pass' }, { type: 'Conflict', reason: 'Blocked' }],
    [405, { detailed_merge_status: 'checking' }, { type: 'Conflict', reason: 'NotMergeable' }],
    [406, { detailed_merge_status: 'conflict' }, { type: 'Conflict', reason: 'MergeConflict' }],
    [422, { detailed_merge_status: 'conflict' }, { type: 'Conflict', reason: 'MergeConflict' }],
    [401, {}, { type: 'Unauthorized', reason: 'Forbidden' }],
    [400, {}, { type: 'Invalid' }],
  ])(
    'that is answered with %i while the merge request is %j is reported as %j',
    async (status, fields, error) => {
      const { repository } = await refusing({ status, body: { message: 'no' } }, fields);
      await expect(
        repository.mergePullRequest(7, { base: 'env/dev', headSha: sha, method: 'merge' }),
      ).rejects.toMatchObject(error);
    },
  );

  /** Merges with a method in a project with these settings. */
  async function mergeBy(method: MergeMethod, merge_method: string, squash_option: string) {
    const { repository, server } = await refusing({ body: shown() }, {}, { merge_method, squash_option });
    const merged = repository.mergePullRequest(7, { base: 'env/dev', headSha: sha, method });
    return { merged, wasSent: () => server.seen.some((request) => request.method === 'PUT') };
  }

  test.each([
    ['merge', 'rebase_merge', 'never'],
    ['squash', 'ff', 'default_on'],
    ['rebase', 'ff', 'never'],
  ] as const)('by %s is sent when the project is set to %s and %s', async (method, project, squash) => {
    const { merged, wasSent } = await mergeBy(method, project, squash);
    await merged;
    expect(wasSent()).toBe(true);
  });

  test.each([
    ['merge', 'merge', 'always'],
    ['merge', 'ff', 'never'],
    ['squash', 'merge', 'never'],
    ['rebase', 'merge', 'never'],
    ['rebase', 'ff', 'always'],
  ] as const)('by %s is not sent when the project is set to %s and %s', async (method, project, squash) => {
    const { merged, wasSent } = await mergeBy(method, project, squash);
    await expect(merged).rejects.toMatchObject({ type: 'Permanent', reason: 'MergeMethodNotAllowed' });
    expect(wasSent()).toBe(false);
  });
});
