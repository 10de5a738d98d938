import { afterEach, describe, expect, test } from '@jest/globals';
import { branch, closeAll, commit, git } from '../testing/forge.js';
import { gitlabSandbox, type GitlabSandbox } from '../testing/gitlab.js';

afterEach(closeAll);

interface Shown {
  iid: number;
  sha: string;
  merge_commit_sha: string | null;
}

/** Returns a merge request from `feature` to `main`. */
async function opened(wanted: object = {}): Promise<GitlabSandbox & { one: string; request: Shown }> {
  const base = await gitlabSandbox();
  const all = `${base.project}/merge_requests`;
  const fields = { source_branch: 'feature', target_branch: 'main', title: 'Feature', ...wanted };
  const { body } = await base.ask('POST', all, fields);
  const request = body as Shown;
  return { ...base, request, one: `${all}/${request.iid}` };
}

test('gitbeaker opens, changes, merges and lists merge requests', async () => {
  const { gitlab, repository, clone } = await gitlabSandbox();
  const made = await gitlab.MergeRequests.create(repository.fullName, 'feature', 'main', 'Feature', {
    description: 'Why',
    labels: 'b,a',
  });
  expect(made).toMatchObject({
    iid: 1,
    state: 'opened',
    description: 'Why',
    labels: ['a', 'b'],
    draft: false,
  });
  const changed = await gitlab.MergeRequests.edit(repository.id, 1, {
    title: 'Better',
    addLabels: 'c',
    removeLabels: 'a,absent',
  });
  expect(changed).toMatchObject({ title: 'Better', labels: ['b', 'c'], detailed_merge_status: 'mergeable' });
  const merged = await gitlab.MergeRequests.merge(repository.id, 1, {
    sha: made.sha,
    mergeCommitMessage: 'Promote\n\nTrailer: x',
  });
  expect(merged).toMatchObject({ state: 'merged', merge_user: { username: 'dev' }, closed_by: null });
  await git(clone, 'fetch', '--quiet', 'origin');
  expect(await git(clone, 'rev-parse', 'origin/main')).toBe(merged.merge_commit_sha);
  expect(await git(clone, 'log', '-1', '--format=%cn%n%B', 'origin/main')).toBe('dev\nPromote\n\nTrailer: x');
  expect(await git(clone, 'rev-parse', 'origin/main^2')).toBe(made.sha);
  const query = { projectId: repository.id, sourceBranch: 'feature' } as const;
  expect(await gitlab.MergeRequests.all({ ...query, state: 'merged' })).toHaveLength(1);
  expect(await gitlab.MergeRequests.all({ ...query, state: 'opened' })).toEqual([]);
});

describe('a merge request is refused', () => {
  test.each([
    [
      'if another merge request is open',
      409,
      { message: [expect.stringContaining('Another open merge request')] },
      {},
    ],
    ['if its branches are the same', 422, { message: [expect.any(String)] }, { target_branch: 'feature' }],
    ['without a title', 400, { error: 'title is missing' }, { title: undefined }],
    [
      'with a title that is too long',
      400,
      { message: { title: [expect.any(String)] } },
      { title: 'x'.repeat(256) },
    ],
  ])('%s', async (_, status, body, wanted) => {
    const { ask, project } = await opened();
    const fields = { source_branch: 'feature', target_branch: 'main', title: 'Again', ...wanted };
    expect(await ask('POST', `${project}/merge_requests`, fields)).toMatchObject({ status, body });
  });
});

test('a closed merge request names the user who closed it, and can be reopened', async () => {
  const { ask, one, tokens } = await opened();
  await ask('PUT', one, { state_event: 'close' }, { token: tokens.admin });
  expect((await ask('GET', one)).body).toMatchObject({
    state: 'closed',
    closed_by: { username: 'mo' },
    detailed_merge_status: 'not_open',
  });
  expect((await ask('PUT', `${one}/merge`)).status).toBe(405);
  await ask('PUT', one, { state_event: 'reopen' });
  expect((await ask('GET', one)).body).toMatchObject({ state: 'opened', closed_by: null });
});

describe('a merge', () => {
  test('of another head returns 409', async () => {
    const { ask, one, request, clone } = await opened();
    await git(clone, 'checkout', '--quiet', 'feature');
    await commit(clone, { 'more.txt': 'more\n' });
    await git(clone, 'push', '--quiet', 'origin', 'feature');
    const refused = await ask('PUT', `${one}/merge`, { sha: request.sha });
    expect(refused.status).toBe(409);
    expect(JSON.stringify(refused.body)).toContain('SHA does not match HEAD of source branch');
  });

  test('of a draft returns 405 until its title changes', async () => {
    const { ask, one } = await opened({ title: 'Draft: Feature' });
    expect((await ask('GET', one)).body).toMatchObject({
      draft: true,
      detailed_merge_status: 'draft_status',
    });
    expect((await ask('PUT', `${one}/merge`)).status).toBe(405);
    await ask('PUT', one, { title: 'Feature' });
    expect((await ask('PUT', `${one}/merge`)).status).toBe(200);
  });

  test('with conflicts returns 422', async () => {
    const { ask, one, clone } = await opened();
    await git(clone, 'checkout', '--quiet', 'main');
    await commit(clone, { 'feature.txt': 'other\n' });
    await git(clone, 'push', '--quiet', 'origin', 'main');
    expect((await ask('GET', one)).body).toMatchObject({
      detailed_merge_status: 'conflict',
      has_conflicts: true,
    });
    expect(await ask('PUT', `${one}/merge`)).toMatchObject({
      status: 422,
      body: { message: 'Branch cannot be merged' },
    });
  });

  test('is refused until the pipeline succeeds if the project requires it', async () => {
    const { ask, one, project, request, tokens } = await opened();
    await ask('PUT', project, { only_allow_merge_if_pipeline_succeeds: true }, { token: tokens.admin });
    const status = async (state: string): Promise<unknown> => {
      await ask('POST', `${project}/statuses/${request.sha}`, { state, name: 'gate' });
      return (await ask('GET', one)).body;
    };
    expect((await ask('GET', one)).body).toMatchObject({
      detailed_merge_status: 'ci_must_pass',
      head_pipeline: null,
    });
    expect(await status('running')).toMatchObject({
      detailed_merge_status: 'ci_still_running',
      head_pipeline: { status: 'running', source: 'external' },
    });
    expect((await ask('PUT', `${one}/merge`)).status).toBe(405);
    expect(await status('failed')).toMatchObject({ detailed_merge_status: 'ci_must_pass' });
    expect(await status('success')).toMatchObject({ detailed_merge_status: 'mergeable' });
    expect((await ask('PUT', `${one}/merge`)).status).toBe(200);
  });

  test.each([
    ['never', true, 2],
    ['always', false, 1],
    ['default_off', true, 1],
    ['default_off', false, 2],
  ])(
    'has the setting %s and the request %s for squashing, and creates a commit with %i parents',
    async (squash_option, squash, parents) => {
      const { ask, one, project, tokens, clone } = await opened();
      await ask('PUT', project, { squash_option }, { token: tokens.admin });
      await ask('PUT', `${one}/merge`, { squash });
      await git(clone, 'fetch', '--quiet', 'origin');
      expect((await git(clone, 'log', '-1', '--format=%P', 'origin/main')).split(' ')).toHaveLength(parents);
    },
  );

  test('deletes the branch on request', async () => {
    const { ask, one, clone } = await opened();
    await ask('PUT', `${one}/merge`, { should_remove_source_branch: true });
    expect(await git(clone, 'ls-remote', 'origin', 'refs/heads/feature')).toBe('');
  });

  test('returns 403 with read access only, and 404 for a missing merge request', async () => {
    const { ask, one, tokens, project } = await opened();
    expect((await ask('PUT', `${one}/merge`, {}, { token: tokens.read })).status).toBe(403);
    expect((await ask('PUT', `${project}/merge_requests/99/merge`)).status).toBe(404);
  });
});

test('a merge request is merged when its head is pushed to its base', async () => {
  const { ask, one, clone, request } = await opened();
  await git(clone, 'push', '--quiet', 'origin', 'feature:main');
  expect((await ask('GET', one)).body).toMatchObject({ state: 'merged', merge_commit_sha: request.sha });
});

test('lists are sorted as requested', async () => {
  const { ask, project, clone } = await opened();
  await branch(clone, 'other', { 'other.txt': 'x\n' });
  await ask('POST', `${project}/merge_requests`, {
    source_branch: 'other',
    target_branch: 'main',
    title: 'Other',
  });
  const iids = async (query: string): Promise<number[]> => {
    const { body } = await ask('GET', `${project}/merge_requests?${query}`);
    return (body as Shown[]).map(({ iid }) => iid);
  };
  expect(await iids('')).toEqual([2, 1]);
  expect(await iids('sort=asc&order_by=created_at')).toEqual([1, 2]);
  expect(await iids('source_branch=other')).toEqual([2]);
  expect(await iids('state=closed')).toEqual([]);
});
