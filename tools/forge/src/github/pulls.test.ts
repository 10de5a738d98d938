import { afterEach, describe, expect, test } from '@jest/globals';
import { branch, closeAll, commit, git, refusal, sandbox, type Sandbox } from '../testing/forge.js';

afterEach(closeAll);

/** Opens a pull request from `feature`. */
async function opened(base: Sandbox) {
  const { data } = await base.bot.rest.pulls.create({
    ...base.at,
    title: 'Feature',
    head: 'feature',
    base: 'main',
    body: 'Why',
  });
  return data;
}

describe('creating a pull request', () => {
  test('returns the same fields as GitHub', async () => {
    const base = await sandbox();
    const { clone, forge } = base;
    const pull = await opened(base);
    expect(pull).toMatchObject({
      number: 1,
      state: 'open',
      title: 'Feature',
      body: 'Why',
      draft: false,
      html_url: `${forge.url}/acme/web/pull/1`,
      head: { ref: 'feature', sha: await git(clone, 'rev-parse', 'feature'), label: 'acme:feature' },
      base: { ref: 'main', sha: await git(clone, 'rev-parse', 'main'), repo: { full_name: 'acme/web' } },
      user: { login: 'interlock[bot]', type: 'Bot' },
      merged: false,
      merged_by: null,
      mergeable: true,
      mergeable_state: 'clean',
      commits: 1,
      changed_files: 1,
      additions: 1,
      deletions: 0,
    });
    await git(clone, 'fetch', '--quiet', 'origin', 'refs/pull/1/head', 'refs/pull/1/merge');
    expect(await git(clone, 'rev-parse', 'FETCH_HEAD')).toBe(pull.head.sha);
    expect(await git(clone, 'ls-remote', 'origin', 'refs/pull/1/merge')).toContain(pull.merge_commit_sha);
  });

  test.each([
    [
      'a head that does not exist',
      { head: 'nowhere' },
      [{ resource: 'PullRequest', field: 'head', code: 'invalid' }],
    ],
    [
      'a base that does not exist',
      { base: 'nowhere' },
      [{ resource: 'PullRequest', field: 'base', code: 'invalid' }],
    ],
    [
      'a head without commits to merge',
      { head: 'same' },
      [{ resource: 'PullRequest', code: 'custom', message: 'No commits between main and same' }],
    ],
    [
      'a second pull request',
      {},
      [
        {
          resource: 'PullRequest',
          code: 'custom',
          message: 'A pull request already exists for acme:feature.',
        },
      ],
    ],
    [
      'a head without a common history',
      { head: 'orphan' },
      [
        {
          resource: 'PullRequest',
          code: 'custom',
          message: 'The orphan branch has no history in common with main',
        },
      ],
    ],
  ])('refuses %s', async (_name, change, errors) => {
    const base = await sandbox();
    const { clone, bot, at } = base;
    await git(clone, 'push', '--quiet', 'origin', 'main:same');
    await git(clone, 'checkout', '--quiet', '--orphan', 'orphan');
    await commit(clone, { 'other.txt': 'x' });
    await git(clone, 'push', '--quiet', 'origin', 'orphan');
    await opened(base);
    const wanted = { ...at, title: 'Again', head: 'feature', base: 'main', ...change };
    expect(await refusal(bot.rest.pulls.create(wanted))).toMatchObject({
      status: 422,
      message: 'Validation Failed',
      errors,
    });
  });

  test('names a missing title in the error', async () => {
    const { bot, at } = await sandbox();
    const request = bot.request('POST /repos/{owner}/{repo}/pulls', { ...at, head: 'feature', base: 'main' });
    expect(await refusal(request)).toMatchObject({
      status: 422,
      message: 'Invalid request.\n\n"title" wasn\'t supplied.',
    });
  });
});

describe('listing pull requests', () => {
  test('supports pages and filters', async () => {
    const base = await sandbox();
    const { repository, clone, bot, at, forge } = base;
    const tree = await git(clone, 'rev-parse', 'feature^{tree}');
    const parent = await git(clone, 'rev-parse', 'main');
    const sha = await git(repository.path, 'commit-tree', tree, '-p', parent, '-m', 'many');
    const names = Array.from({ length: 150 }, (_, index) => `refs/heads/topic/${index}`);
    await git(repository.path, 'fetch', '--quiet', '.', ...names.map((name) => `${sha}:${name}`));
    const numbers: number[] = [];
    for (let index = 0; index < 150; index++) {
      const { data } = await bot.rest.pulls.create({
        ...at,
        title: `Topic ${index}`,
        head: `topic/${index}`,
        base: 'main',
      });
      numbers.push(data.number);
    }
    const since = forge.journal.seq;
    const all = await bot.paginate(bot.rest.pulls.list, { ...at, per_page: 100, direction: 'asc' });
    expect(all.map(({ number }) => number)).toEqual(numbers);
    expect(forge.journal.count({ since, route: '/repos/{owner}/{repo}/pulls' })).toBe(2);

    const first = await bot.rest.pulls.list({ ...at });
    expect(first.data).toHaveLength(30);
    expect(first.data[0]?.number).toBe(150);
    expect(first.headers.link).toMatch(/[?&]page=2>; rel="next", <[^>]+page=5>; rel="last"/);

    const { data: one } = await bot.rest.pulls.list({ ...at, head: 'acme:topic/7', base: 'main' });
    expect(one.map(({ title }) => title)).toEqual(['Topic 7']);
    const { data: none } = await bot.rest.pulls.list({ ...at, base: 'other' });
    expect(none).toEqual([]);
    await bot.rest.pulls.update({ ...at, pull_number: 1, state: 'closed' });
    const { data: closed } = await bot.rest.pulls.list({ ...at, state: 'closed' });
    expect(closed.map(({ number }) => number)).toEqual([1]);
  });
});

describe('a change of a branch', () => {
  test('is recorded when it is a push to the head', async () => {
    const base = await sandbox();
    await opened(base);
    const sha = await branch(base.clone, 'feature', { 'feature.txt': 'two\n' });
    const { data } = await base.bot.rest.pulls.get({ ...base.at, pull_number: 1 });
    expect(data).toMatchObject({ state: 'open', head: { sha } });
  });

  test('closes the pull request when the head branch is deleted, and does not reopen it', async () => {
    const base = await sandbox();
    const { clone, bot, at } = base;
    await opened(base);
    await git(clone, 'push', '--quiet', 'origin', ':feature');
    const { data } = await bot.rest.pulls.get({ ...at, pull_number: 1 });
    expect(data).toMatchObject({ state: 'closed', merged: false });
    expect(await refusal(bot.rest.pulls.update({ ...at, pull_number: 1, state: 'open' }))).toMatchObject({
      status: 422,
      errors: [{ message: 'state cannot be changed. The feature branch has been deleted.' }],
    });
  });

  test('marks the pull request as merged when its head is pushed to the base', async () => {
    const base = await sandbox();
    const { clone, bot, at, user } = base;
    await opened(base);
    await git(clone, 'push', '--quiet', 'origin', 'feature:main');
    const { data } = await bot.rest.pulls.get({ ...at, pull_number: 1 });
    expect(data).toMatchObject({
      state: 'closed',
      merged: true,
      merged_by: { login: user.login },
      merge_commit_sha: await git(clone, 'rev-parse', 'feature'),
      commits: 1,
    });
  });

  test('marks the pull request as merged by a pushed merge commit', async () => {
    const base = await sandbox();
    const { clone, bot, at } = base;
    await opened(base);
    await git(clone, 'checkout', '--quiet', 'main');
    await git(clone, 'merge', '--quiet', '--no-ff', '-m', 'by hand', 'feature');
    const sha = await git(clone, 'rev-parse', 'main');
    await commit(clone, { 'later.txt': 'x' });
    await git(clone, 'push', '--quiet', 'origin', 'main');
    const { data } = await bot.rest.pulls.get({ ...at, pull_number: 1 });
    expect(data).toMatchObject({ merged: true, merge_commit_sha: sha });
  });

  test('is detected when git makes it in the bare repository', async () => {
    const base = await sandbox();
    const { repository, bot, at } = base;
    await opened(base);
    await git(repository.path, 'update-ref', '-d', 'refs/heads/feature');
    const { data } = await bot.rest.pulls.get({ ...at, pull_number: 1 });
    expect(data.state).toBe('closed');
  });

  test('is not required to close, reopen or edit a pull request', async () => {
    const base = await sandbox();
    const { bot, at, clone } = base;
    await opened(base);
    await git(clone, 'push', '--quiet', 'origin', 'main:other');
    const pull_number = 1;
    const { data: closed } = await bot.rest.pulls.update({ ...at, pull_number, state: 'closed' });
    expect(closed).toMatchObject({ state: 'closed', merged: false, mergeable: null });
    const { data: issue } = await bot.rest.issues.get({ ...at, issue_number: pull_number });
    expect(issue.closed_by?.login).toBe('interlock[bot]');
    const { data: reopened } = await bot.rest.pulls.update({ ...at, pull_number, state: 'open' });
    expect(reopened).toMatchObject({ state: 'open', closed_at: null });
    const change = { title: 'New', body: 'Text', base: 'other' };
    const { data: edited } = await bot.rest.pulls.update({ ...at, pull_number, ...change });
    expect(edited).toMatchObject({ title: 'New', body: 'Text', base: { ref: 'other' } });
  });
});

test('commits, files and the diff start at the merge base', async () => {
  const base = await sandbox();
  const { bot, at, clone } = base;
  await opened(base);
  await git(clone, 'checkout', '--quiet', 'feature');
  await git(clone, 'mv', 'README.md', 'READ.md');
  await commit(clone, { 'feature.txt': 'feature\nmore\n' }, 'second change');
  await git(clone, 'push', '--quiet', 'origin', 'feature');
  await branch(clone, 'aside', { 'aside.txt': 'x' });
  await git(clone, 'push', '--quiet', 'origin', 'aside:main');
  const { data: commits } = await bot.rest.pulls.listCommits({ ...at, pull_number: 1 });
  expect(commits.map(({ commit: { message } }) => message)).toEqual(['change of feature', 'second change']);
  const { data: files } = await bot.rest.pulls.listFiles({ ...at, pull_number: 1 });
  expect(files).toMatchObject([
    { filename: 'READ.md', previous_filename: 'README.md', status: 'renamed', changes: 0 },
    { filename: 'feature.txt', status: 'added', additions: 2, deletions: 0 },
  ]);
  expect(files[1]?.patch).toBe('@@ -0,0 +1,2 @@\n+feature\n+more');
  const { data: diff } = await bot.rest.pulls.get({ ...at, pull_number: 1, mediaType: { format: 'diff' } });
  expect(diff).toContain('diff --git a/feature.txt b/feature.txt');
});
