import { afterEach, describe, expect, test } from '@jest/globals';
import { branch, closeAll, commit, git, openForge, refusal, sandbox, userClient } from '../testing/forge.js';

afterEach(closeAll);

test('blobs, trees, commits and references form a commit', async () => {
  const { bot, at, clone } = await sandbox();
  const main = await git(clone, 'rev-parse', 'main');
  const bytes = Buffer.from([0, 255, 10]);
  const { data: blob } = await bot.rest.git.createBlob({
    ...at,
    content: bytes.toString('base64'),
    encoding: 'base64',
  });
  const { data: tree } = await bot.rest.git.createTree({
    ...at,
    base_tree: main,
    tree: [
      { path: 'deep/data.bin', mode: '100644', type: 'blob', sha: blob.sha },
      { path: 'run.sh', mode: '100755', type: 'blob', content: '#!/bin/sh\n' },
      { path: 'README.md', mode: '100644', type: 'blob', sha: null },
    ],
  });
  expect(tree.tree.map(({ path, type }) => `${type} ${path}`)).toEqual(['tree deep', 'blob run.sh']);
  const author = { name: 'Ada', email: 'ada@example.com', date: '2026-01-02T03:04:05Z' };
  const { data: made } = await bot.rest.git.createCommit({
    ...at,
    message: 'Build',
    tree: tree.sha,
    parents: [main],
    author,
  });
  expect(made).toMatchObject({ message: 'Build', author, committer: author, parents: [{ sha: main }] });
  await bot.rest.git.createRef({ ...at, ref: 'refs/heads/built', sha: made.sha });
  await git(clone, 'fetch', '--quiet');
  expect(await git(clone, 'ls-tree', '-r', 'origin/built')).toBe(
    `100644 blob ${blob.sha}\tdeep/data.bin\n100755 blob ${await git(clone, 'rev-parse', 'origin/built:run.sh')}\trun.sh`,
  );
  const { data: read } = await bot.rest.git.getBlob({ ...at, file_sha: blob.sha });
  expect(Buffer.from(read.content, 'base64')).toEqual(bytes);
  const { data: listed } = await bot.rest.git.getTree({ ...at, tree_sha: made.sha, recursive: '1' });
  expect(listed.tree.map(({ path }) => path)).toEqual(['deep', 'deep/data.bin', 'run.sh']);
  const { data: again } = await bot.rest.git.getCommit({ ...at, commit_sha: made.sha });
  expect(again).toEqual(made);
});

test('a folder is added to a tree by its id', async () => {
  const { bot, at, clone } = await sandbox();
  const sub = await git(clone, 'rev-parse', 'feature^{tree}');
  const { data } = await bot.rest.git.createTree({
    ...at,
    base_tree: await git(clone, 'rev-parse', 'main'),
    tree: [{ path: 'copy', mode: '040000', type: 'tree', sha: sub }],
  });
  expect(data.tree.find(({ path }) => path === 'copy')?.sha).toBe(sub);
});

test('deleting a missing file, and an entry with both an id and content, are refused', async () => {
  const { bot, at, clone } = await sandbox();
  const base_tree = await git(clone, 'rev-parse', 'main^{tree}');
  const create = (entry: { sha?: string | null; content?: string }) =>
    refusal(
      bot.rest.git.createTree({ ...at, base_tree, tree: [{ path: 'none', mode: '100644', ...entry }] }),
    );
  expect(await create({ sha: null })).toMatchObject({ status: 422, message: 'GitRPC::BadObjectState' });
  for (const entry of [{}, { sha: 'e'.repeat(40), content: 'x' }]) {
    expect((await create(entry)).message).toMatch(/^Must supply either tree\.sha or tree\.content/);
  }
});

test('a missing object cannot be added to a tree', async () => {
  const { bot, at } = await sandbox();
  const sha = 'e'.repeat(40);
  const tree = [{ path: 'x', mode: '100644', type: 'blob', sha }] as const;
  expect(await refusal(bot.rest.git.createTree({ ...at, tree: [...tree] }))).toMatchObject({
    status: 422,
    message: `tree.sha ${sha} is not a valid object`,
  });
});

test.each(['../up', 'a/../b', '/root', '.git/config'])('the path %s is refused', async (path) => {
  const { bot, at } = await sandbox();
  const tree = [{ path, mode: '100644', type: 'blob', content: 'x' }] as const;
  expect((await refusal(bot.rest.git.createTree({ ...at, tree: [...tree] }))).status).toBe(422);
});

describe('references', () => {
  test('can be read by their name or by a prefix', async () => {
    const { bot, at, clone } = await sandbox();
    await git(clone, 'push', '--quiet', 'origin', 'main:env/dev', 'main:env/dev-next');
    const sha = await git(clone, 'rev-parse', 'main');
    const { data } = await bot.rest.git.getRef({ ...at, ref: 'heads/env/dev' });
    expect(data).toMatchObject({ ref: 'refs/heads/env/dev', object: { sha, type: 'commit' } });
    expect((await refusal(bot.rest.git.getRef({ ...at, ref: 'heads/env/d' }))).status).toBe(404);
    const { data: matching } = await bot.rest.git.listMatchingRefs({ ...at, ref: 'heads/env/d' });
    expect(matching.map(({ ref }) => ref)).toEqual(['refs/heads/env/dev', 'refs/heads/env/dev-next']);
  });

  test('can be fast-forwarded, and reset only by force', async () => {
    const { bot, at, clone } = await sandbox();
    const [main, feature] = [await git(clone, 'rev-parse', 'main'), await git(clone, 'rev-parse', 'feature')];
    await bot.rest.git.updateRef({ ...at, ref: 'heads/main', sha: feature });
    const back = { ...at, ref: 'heads/main', sha: main };
    expect(await refusal(bot.rest.git.updateRef(back))).toMatchObject({
      status: 422,
      message: 'Update is not a fast forward',
    });
    await bot.rest.git.updateRef({ ...back, force: true });
    expect(await git(clone, 'ls-remote', 'origin', 'refs/heads/main')).toContain(main);
  });

  test('are refused with the texts of GitHub', async () => {
    const { bot, at, clone } = await sandbox();
    const sha = await git(clone, 'rev-parse', 'main');
    const create = (ref: string, object = sha) =>
      refusal(bot.rest.git.createRef({ ...at, ref, sha: object }));
    expect(await create('refs/heads/main')).toMatchObject({
      status: 422,
      message: 'Reference already exists',
    });
    expect(await create('refs/heads/new', 'e'.repeat(40))).toMatchObject({
      status: 422,
      message: 'Object does not exist',
    });
    for (const ref of ['main', 'refs/heads/a..b', 'refs/pull/1/head']) {
      expect((await create(ref)).message).toBe(`${ref} is not a valid ref name.`);
    }
    await bot.rest.git.createRef({ ...at, ref: 'refs/heads/env/dev', sha });
    for (const ref of ['refs/heads/main/below', 'refs/heads/env']) {
      expect(await create(ref)).toMatchObject({ status: 422, message: 'Reference update failed' });
    }
    const gone = { ...at, ref: 'heads/none' };
    expect(await refusal(bot.rest.git.updateRef({ ...gone, sha }))).toMatchObject({
      status: 422,
      message: 'Reference does not exist',
    });
    expect((await refusal(bot.rest.git.deleteRef(gone))).status).toBe(422);
    await bot.rest.git.deleteRef({ ...at, ref: 'heads/feature' });
    expect(await git(clone, 'ls-remote', 'origin', 'feature')).toBe('');
  });
});

describe('contents', () => {
  const text = (value: string): string => Buffer.from(value).toString('base64');

  test('can be read as a file, a folder or raw', async () => {
    const { bot, at } = await sandbox();
    const { data } = await bot.rest.repos.getContent({ ...at, path: 'README.md' });
    expect(data).toMatchObject({ type: 'file', name: 'README.md', encoding: 'base64', size: 4 });
    const folder = await bot.rest.repos.getContent({ ...at, path: '', ref: 'feature' });
    expect(folder.data).toMatchObject([{ name: 'README.md' }, { name: 'feature.txt', type: 'file' }]);
    const raw = await bot.rest.repos.getContent({ ...at, path: 'README.md', mediaType: { format: 'raw' } });
    expect(raw.data).toBe('one\n');
    expect((await refusal(bot.rest.repos.getContent({ ...at, path: 'none' }))).status).toBe(404);
    expect((await refusal(bot.rest.repos.getContent({ ...at, path: 'README.md', ref: 'no' }))).status).toBe(
      404,
    );
  });

  test('are created, changed and deleted with one commit each', async () => {
    const { bot, at, clone } = await sandbox();
    const file = { ...at, path: 'apps/web.yaml', branch: 'main' };
    const put = bot.rest.repos.createOrUpdateFileContents;
    const created = await put({ ...file, message: 'Add', content: text('one') });
    expect(created.status).toBe(201);
    const sha = created.data.content?.sha ?? '';
    expect(await refusal(put({ ...file, message: 'Change', content: text('two') }))).toMatchObject({
      status: 422,
      message: 'Invalid request.\n\n"sha" wasn\'t supplied.',
    });
    const changed = await put({ ...file, message: 'Change', content: text('two'), sha });
    expect(changed.status).toBe(200);
    expect(await refusal(put({ ...file, message: 'Late', content: text('three'), sha }))).toMatchObject({
      status: 409,
      message: `apps/web.yaml does not match ${sha}`,
    });
    const { data } = await bot.rest.repos.deleteFile({
      ...file,
      message: 'Delete',
      sha: changed.data.content?.sha ?? '',
    });
    expect(data.content).toBeNull();
    await git(clone, 'fetch', '--quiet');
    expect(await git(clone, 'log', '-3', '--format=%s', 'origin/main')).toBe('Delete\nChange\nAdd');
    expect(await git(clone, 'rev-parse', 'origin/main')).toBe(data.commit.sha);
  });

  test('can create the first commit of an empty repository', async () => {
    const forge = await openForge();
    const { token } = await forge.createUser({ login: 'acme' });
    await forge.createRepository({ owner: 'acme', name: 'empty' });
    const client = userClient(forge, token);
    const at = { owner: 'acme', repo: 'empty' };
    expect(await refusal(client.rest.repos.getContent({ ...at, path: '' }))).toMatchObject({
      status: 404,
      message: 'This repository is empty.',
    });
    expect((await refusal(client.rest.repos.listCommits(at))).status).toBe(409);
    const put = { ...at, path: 'README.md', message: 'Begin', content: text('x') };
    await client.rest.repos.createOrUpdateFileContents(put);
    expect((await client.rest.repos.listBranches(at)).data.map(({ name }) => name)).toEqual(['main']);
  });
});

describe('commits', () => {
  test('are listed and read with their files', async () => {
    const { bot, at, clone } = await sandbox();
    const { data: list } = await bot.rest.repos.listCommits({ ...at, sha: 'feature' });
    expect(list.map(({ commit: { message } }) => message)).toEqual(['change of feature', 'first']);
    const { data: of } = await bot.rest.repos.listCommits({ ...at, sha: 'feature', path: 'README.md' });
    expect(of.map(({ commit: { message } }) => message)).toEqual(['first']);
    const { data } = await bot.rest.repos.getCommit({ ...at, ref: 'feature' });
    expect(data).toMatchObject({
      sha: await git(clone, 'rev-parse', 'feature'),
      stats: { additions: 1, deletions: 0, total: 1 },
      files: [{ filename: 'feature.txt', status: 'added' }],
    });
    const root = await bot.rest.repos.getCommit({ ...at, ref: 'main' });
    expect(root.data.files).toMatchObject([{ filename: 'README.md', status: 'added' }]);
    const none = bot.rest.repos.getCommit({ ...at, ref: 'none' });
    expect(await refusal(none)).toMatchObject({ status: 422, message: 'No commit found for SHA: none' });
  });

  test('are compared from their merge base', async () => {
    const { bot, at, clone } = await sandbox();
    const start = await git(clone, 'rev-parse', 'main');
    await branch(clone, 'x/other', { 'other.txt': 'x' });
    const compare = async (basehead: string) =>
      (await bot.rest.repos.compareCommitsWithBasehead({ ...at, basehead })).data;
    expect(await compare('feature...x/other')).toMatchObject({
      status: 'diverged',
      ahead_by: 1,
      behind_by: 1,
      merge_base_commit: { sha: start },
      commits: [{ commit: { message: 'change of x/other' } }],
      files: [{ filename: 'other.txt' }],
    });
    expect(await compare('main...feature')).toMatchObject({ status: 'ahead', ahead_by: 1, total_commits: 1 });
    expect(await compare('feature...main')).toMatchObject({ status: 'behind', behind_by: 1, files: [] });
    expect(await compare('main...main')).toMatchObject({ status: 'identical', commits: [] });
    const missing = bot.rest.repos.compareCommitsWithBasehead({ ...at, basehead: 'main...none' });
    expect((await refusal(missing)).status).toBe(404);
  });

  test('are compared without paging up to 250 commits', async () => {
    const { bot, at, clone } = await sandbox();
    await git(clone, 'checkout', '--quiet', 'feature');
    for (let index = 0; index < 35; index++) await commit(clone, {}, `commit ${index}`);
    await git(clone, 'push', '--quiet', 'origin', 'feature');
    const { data } = await bot.rest.repos.compareCommitsWithBasehead({ ...at, basehead: 'main...feature' });
    expect([data.total_commits, data.commits.length]).toEqual([36, 36]);
  });
});

test('labels of a pull request can be added and removed, and its comments can be changed', async () => {
  const { bot, at } = await sandbox();
  await bot.rest.pulls.create({ ...at, title: 'Feature', head: 'feature', base: 'main' });
  const issue_number = 1;
  const names = (labels: { name: string }[]): string[] => labels.map(({ name }) => name);
  await bot.rest.issues.createLabel({ ...at, name: 'Known', color: '00FF00', description: 'd' });
  const known = { ...at, name: 'known' };
  expect(await refusal(bot.rest.issues.createLabel(known))).toMatchObject({
    status: 422,
    errors: [{ resource: 'Label', code: 'already_exists', field: 'name' }],
  });
  expect((await bot.rest.issues.getLabel(known)).data).toMatchObject({ name: 'Known', color: '00ff00' });
  const { data: added } = await bot.rest.issues.addLabels({ ...at, issue_number, labels: ['known', 'new'] });
  expect(names(added)).toEqual(['Known', 'new']);
  const { data: set } = await bot.rest.issues.setLabels({ ...at, issue_number, labels: ['other', 'new'] });
  expect(names(set)).toEqual(['new', 'other']);
  const { data: left } = await bot.rest.issues.removeLabel({ ...at, issue_number, name: 'NEW' });
  expect(names(left)).toEqual(['other']);
  expect((await refusal(bot.rest.issues.removeLabel({ ...at, issue_number, name: 'new' }))).status).toBe(404);
  expect(names((await bot.rest.issues.listLabelsForRepo(at)).data)).toEqual(['Known', 'new', 'other']);
  const { data: pull } = await bot.rest.pulls.get({ ...at, pull_number: 1 });
  expect(names(pull.labels)).toEqual(['other']);
  const { data: comment } = await bot.rest.issues.createComment({ ...at, issue_number, body: 'Hello' });
  await bot.rest.issues.updateComment({ ...at, comment_id: Number(comment.id), body: 'Goodbye' });
  const { data: comments } = await bot.rest.issues.listComments({ ...at, issue_number });
  expect(comments.map(({ body, user }) => [body, user?.login])).toEqual([['Goodbye', 'interlock[bot]']]);
});
