import { afterEach, describe, expect, test } from '@jest/globals';
import { closeAll, git } from '../testing/forge.js';
import { gitlabSandbox, type GitlabSandbox } from '../testing/gitlab.js';

afterEach(closeAll);

/** Returns the entries of a branch from `git ls-tree`, as `<mode> <path>`. */
async function treeOf({ clone }: GitlabSandbox, branch: string): Promise<string[]> {
  await git(clone, 'fetch', '--quiet', 'origin');
  const lines = (await git(clone, 'ls-tree', '-r', `origin/${branch}`)).split('\n');
  return lines.map((line) => line.replace(/ .*\t/, ' '));
}

test('gitbeaker commits actions to a new branch and to an existing branch', async () => {
  const box = await gitlabSandbox();
  const { gitlab, repository, clone } = box;
  const main = await git(clone, 'rev-parse', 'main');
  const made = await gitlab.Commits.create(
    repository.id,
    'x/fix',
    'Fix\n\nit',
    [
      { action: 'create', filePath: 'run.sh', content: '#!/bin/sh', execute_filemode: true },
      { action: 'chmod', filePath: 'run.sh', execute_filemode: true },
      {
        action: 'create',
        filePath: 'a/b',
        content: Buffer.from([0xff]).toString('base64'),
        encoding: 'base64',
      },
      { action: 'move', filePath: 'docs/README.md', previousPath: 'README.md' },
    ],
    { startSha: main },
  );
  expect(made).toMatchObject({ message: 'Fix\n\nit', parent_ids: [main] });
  expect(await treeOf(box, 'x/fix')).toEqual(['100644 a/b', '100644 docs/README.md', '100755 run.sh']);
  const next = await gitlab.Commits.create(repository.id, 'x/fix', 'Again', [
    { action: 'update', filePath: 'run.sh', content: 'echo' },
    { action: 'delete', filePath: 'a/b' },
  ]);
  expect(next.parent_ids).toEqual([made.id]);
  expect(await treeOf(box, 'x/fix')).toEqual(['100644 docs/README.md', '100755 run.sh']);
  expect(await git(clone, 'rev-parse', 'origin/main')).toBe(main);
});

describe('a commit is refused', () => {
  const create = { action: 'create', file_path: 'new', content: '' };
  test.each([
    ['onto a branch that exists', { branch: 'feature', start_branch: 'main' }, /^A branch called 'feature'/],
    ['from a commit that does not exist', { start_sha: '0'.repeat(40) }, /^Cannot find start_sha/],
    ['on a branch that does not exist', { branch: 'absent' }, /when you are on a branch/],
    ['with an invalid name', { branch: 'a..b', start_branch: 'main' }, /Branch name is invalid/],
    ['for a new file that exists', { actions: [{ ...create, file_path: 'README.md' }] }, /already exists/],
    [
      'for an old file that does not exist',
      { actions: [{ action: 'delete', file_path: 'absent' }] },
      /doesn't exist/,
    ],
    ['for a path that leads outside', { actions: [{ ...create, file_path: 'a/../../x' }] }, /traversal/],
    [
      'for a file that has changed in the meantime',
      { actions: [{ action: 'delete', file_path: 'README.md', last_commit_id: '0'.repeat(40) }] },
      /has changed since you started editing it/,
    ],
  ])('%s', async (_, wanted, message) => {
    const box = await gitlabSandbox();
    const request = { branch: 'main', commit_message: 'm', actions: [create], ...wanted };
    const answer = await box.ask('POST', `${box.project}/repository/commits`, request);
    expect(answer).toMatchObject({ status: 400, body: { message: expect.stringMatching(message) } });
    expect(await treeOf(box, 'main')).toEqual(['100644 README.md']);
  });

  test('without actions, and for users with read access only', async () => {
    const { ask, project, tokens } = await gitlabSandbox();
    const path = `${project}/repository/commits`;
    const wanted = { branch: 'main', commit_message: 'm' };
    expect((await ask('POST', path, wanted)).body).toEqual({ error: 'actions is missing' });
    const actions = [create];
    expect((await ask('POST', path, { ...wanted, actions }, { token: tokens.read })).status).toBe(403);
  });
});

describe('a tree', () => {
  async function many(): Promise<{ box: GitlabSandbox; tree: string }> {
    const box = await gitlabSandbox();
    const actions = Array.from({ length: 25 }, (_, index) => ({
      action: 'create',
      file_path: `many/${String(index).padStart(2, '0')}`,
      content: `${index}`,
    }));
    const tree = `${box.project}/repository/tree`;
    await box.ask('POST', `${box.project}/repository/commits`, {
      branch: 'main',
      commit_message: 'm',
      actions,
    });
    return { box, tree };
  }

  test('is paged with tokens for the next page', async () => {
    const { box, tree } = await many();
    const paths: string[] = [];
    let next: string | undefined = `${tree}?recursive=true&pagination=keyset&per_page=10`;
    while (next !== undefined) {
      const { body, headers } = await box.ask('GET', next);
      paths.push(...(body as { path: string }[]).map(({ path }) => path));
      const [, url] = /<([^>]+)>; rel="next"/.exec(String(headers['link'])) ?? [];
      next = url?.slice(url.indexOf('/projects/'));
    }
    expect(paths.slice(0, 3)).toEqual(['README.md', 'many', 'many/00']);
    expect(paths).toHaveLength(27);
  });

  test('is otherwise paged with numbers, starting at a folder', async () => {
    const { box, tree } = await many();
    const { body, headers } = await box.ask('GET', `${tree}?path=many&per_page=10&page=3`);
    expect(body).toMatchObject([
      { path: 'many/20', name: '20', mode: '100644', type: 'blob' },
      {},
      {},
      {},
      {},
    ]);
    expect(headers).toMatchObject({ 'x-total': '25' });
    for (const query of ['path=absent', 'path=README.md', 'ref=absent']) {
      expect((await box.ask('GET', `${tree}?${query}`)).status).toBe(404);
    }
  });
});

test('blobs, and the commits that change a file, can be read', async () => {
  const { gitlab, repository, clone } = await gitlabSandbox();
  const id = await git(clone, 'rev-parse', 'main:README.md');
  const blob = await gitlab.Repositories.showBlob(repository.id, id);
  expect(blob).toEqual({ size: 4, encoding: 'base64', content: 'b25lCg==', sha: id });
  await expect(gitlab.Repositories.showBlob(repository.id, '0'.repeat(40))).rejects.toThrow(
    '404 Blob Not Found',
  );
  const log = await gitlab.Commits.all(repository.id, { refName: 'feature', path: 'feature.txt' });
  expect(log.map(({ title }) => title)).toEqual(['change of feature']);
});

describe('a merge request', () => {
  test('has the reviewers of the last request who may see the project', async () => {
    const { gitlab, repository } = await gitlabSandbox();
    await gitlab.MergeRequests.create(repository.id, 'feature', 'main', 'Feature');
    const idOf = async (username: string): Promise<number> =>
      (await gitlab.Users.all({ username }))[0]?.id ?? 0;
    const [guest, owner, stranger] = [await idOf('Guest'), await idOf('mo'), await idOf('eve')];
    expect(await gitlab.Users.all({ username: 'absent' })).toEqual([]);
    const reviewerIds = [guest, stranger];
    const first = await gitlab.MergeRequests.edit(repository.id, 1, { reviewerIds });
    expect(first.reviewers).toMatchObject([{ username: 'guest' }]);
    const second = await gitlab.MergeRequests.edit(repository.id, 1, { reviewerIds: [owner] });
    expect(second.reviewers).toMatchObject([{ username: 'mo' }]);
  });

  test('has notes, newest first by default', async () => {
    const { gitlab, repository } = await gitlabSandbox();
    await gitlab.MergeRequests.create(repository.id, 'feature', 'main', 'Feature');
    for (const body of ['one', 'two']) await gitlab.MergeRequestNotes.create(repository.id, 1, body);
    const notes = await gitlab.MergeRequestNotes.all(repository.id, 1);
    expect(notes).toMatchObject([{ body: 'two', system: false }, { body: 'one' }]);
    const oldest = await gitlab.MergeRequestNotes.all(repository.id, 1, { sort: 'asc' });
    expect(oldest.map(({ body }) => body)).toEqual(['one', 'two']);
  });
});
