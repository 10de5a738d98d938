import { afterEach, describe, expect, test } from '@jest/globals';
import { closeAll } from '../testing/forge.js';
import { giteaSandbox, type GiteaSandbox } from '../testing/gitea.js';

afterEach(closeAll);

interface Tree {
  tree: { path: string; mode: string; type: string; sha: string }[];
  truncated: boolean;
  total_count: number;
}

interface Changed {
  commit: { sha: string; parents: { sha: string }[] };
}

const base64 = (text: string): string => Buffer.from(text).toString('base64');

async function tipOf({ ask }: GiteaSandbox, branch: string): Promise<string> {
  return ((await ask('GET', `/branches/${branch}`)).body as { commit: { id: string } }).commit.id;
}

async function treeOf({ ask }: GiteaSandbox, sha: string, query = 'recursive=true'): Promise<Tree> {
  return (await ask('GET', `/git/trees/${sha}?${query}`)).body as Tree;
}

describe('several files', () => {
  test('are changed in one commit on a new branch', async () => {
    const box = await giteaSandbox();
    const main = await tipOf(box, 'main');
    const [readme] = (await treeOf(box, main)).tree;
    const files = [
      { operation: 'delete', path: 'README.md', sha: readme?.sha },
      { operation: 'create', path: 'a/b.txt', content: base64('b') },
      { operation: 'create', path: 'run.sh', content: base64('#!/bin/sh') },
    ];
    const made = await box.ask('POST', '/contents', {
      branch: 'main',
      new_branch: 'x/fix',
      message: 'Fix\n\nit\n',
      files,
    });
    const { commit } = made.body as Changed;
    expect(made).toMatchObject({ status: 201, body: { files: [null, { path: 'a/b.txt' }, {}] } });
    expect(commit.parents.map(({ sha }) => sha)).toEqual([main]);
    expect(await tipOf(box, 'x/fix')).toBe(commit.sha);
    expect(await tipOf(box, 'main')).toBe(main);
    const shown = await box.ask('GET', `/git/commits/${commit.sha}`);
    expect(shown.body).toMatchObject({ commit: { message: 'Fix\n\nit' }, parents: [{ sha: main }] });
    const { tree } = await treeOf(box, commit.sha);
    expect(tree.map(({ mode, path }) => `${mode} ${path}`)).toEqual([
      '040000 a',
      '100644 a/b.txt',
      '100644 run.sh',
    ]);
  });

  test('keep their executable bit when they are updated or moved', async () => {
    const box = await giteaSandbox();
    const { owner, forge } = { owner: 'acme', forge: box.forge };
    const repository = forge.domain.repositories.find(owner, 'web');
    if (repository === undefined) throw new Error('no repository');
    const { gitData } = forge.domain;
    const main = await tipOf(box, 'main');
    const account = forge.domain.core.owner(repository);
    const changes = [{ path: 'run.sh', mode: '100755', content: 'a' }] as const;
    const tree = await gitData.createTree(repository, { base: main, changes });
    const wanted = { tree, parents: [main], message: 'm' };
    const sha = await gitData.createCommit(repository, account, wanted);
    await gitData.createReference(repository, 'refs/heads/exec', sha);
    const files = [
      { operation: 'update', path: 'run.sh', content: base64('b') },
      { operation: 'update', from_path: 'README.md', path: 'docs/README.md', content: base64('two') },
    ];
    const { body } = await box.ask('POST', '/contents', { branch: 'exec', message: 'm', files });
    const after = await treeOf(box, (body as Changed).commit.sha);
    expect(after.tree.map(({ mode, path }) => `${mode} ${path}`)).toEqual([
      '040000 docs',
      '100644 docs/README.md',
      '100755 run.sh',
    ]);
  });

  test.each([
    ['a base that does not exist', 404, /^branch does not exist/, { branch: 'absent' }],
    ['a branch that exists', 422, /^branch already exists/, { new_branch: 'feature' }],
    [
      'another id of a file',
      422,
      /^sha does not match/,
      { files: [{ operation: 'delete', path: 'README.md', sha: 'x' }] },
    ],
    [
      'a new file that exists',
      422,
      /already exists/,
      { files: [{ operation: 'create', path: 'README.md' }] },
    ],
    [
      'an old file that does not exist',
      500,
      /does not exist/,
      { files: [{ operation: 'delete', path: 'absent' }] },
    ],
    ['a path below a file', 422, /a file exists/, { files: [{ operation: 'create', path: 'README.md/x' }] }],
    ['a path that leads outside', 422, /malformed/, { files: [{ operation: 'create', path: '../x' }] }],
    ['no files', 422, /files/, { files: [] }],
  ])('are refused with %s', async (_, status, message, wanted) => {
    const box = await giteaSandbox();
    const files = [{ operation: 'create', path: 'new', content: '' }];
    const request = { branch: 'main', new_branch: 'fix', message: 'm', files, ...wanted };
    const answer = await box.ask('POST', '/contents', request);
    expect(answer).toMatchObject({ status, body: { message: expect.stringMatching(message) } });
    expect((await box.ask('GET', '/branches/fix')).status).toBe(404);
  });
});

test('trees are paged, and a missing tree is a bad request', async () => {
  const box = await giteaSandbox();
  const files = Array.from({ length: 120 }, (_, index) => ({
    operation: 'create',
    path: `many/${String(index).padStart(3, '0')}`,
    content: base64(`${index}`),
  }));
  const { body } = await box.ask('POST', '/contents', { branch: 'main', message: 'm', files });
  const { sha } = (body as Changed).commit;
  const [first, second] = [
    await treeOf(box, sha, 'recursive=1&per_page=1000'),
    await treeOf(box, sha, 'recursive=1&per_page=1000&page=2'),
  ];
  expect([first.tree.length, first.truncated, first.total_count]).toEqual([100, true, 122]);
  expect([second.tree.length, second.truncated]).toEqual([22, false]);
  const blob = await box.ask('GET', `/git/blobs/${second.tree.at(-1)?.sha}`);
  expect(blob.body).toMatchObject({ encoding: 'base64', content: base64('119'), size: 3 });
  for (const kind of ['trees', 'blobs']) {
    expect((await box.ask('GET', `/git/${kind}/${'0'.repeat(40)}`)).status).toBe(400);
  }
  expect((await box.ask('GET', `/git/commits/${'0'.repeat(40)}`)).status).toBe(404);
});

test('a branch can be deleted unless it is the default branch or protected', async () => {
  const { ask, forge } = await giteaSandbox();
  await forge.protectBranch({ owner: 'acme', name: 'web', branch: 'kept', requiredStatusChecks: [] });
  await ask('POST', '/contents', {
    branch: 'main',
    new_branch: 'kept',
    message: 'm',
    files: [{ operation: 'create', path: 'kept' }],
  });
  expect((await ask('DELETE', '/branches/main')).status).toBe(403);
  expect((await ask('DELETE', '/branches/kept')).status).toBe(403);
  expect((await ask('DELETE', '/branches/feature')).status).toBe(204);
  expect((await ask('DELETE', '/branches/feature')).status).toBe(404);
});

test('a pull request whose branch was deleted has a separate reference', async () => {
  const { ask } = await giteaSandbox();
  await ask('POST', '/pulls', { head: 'feature', base: 'main', title: 't' });
  const open = (await ask('GET', '/pulls/1')).body as { head: { sha: string } };
  expect(open.head).toMatchObject({ ref: 'feature', label: 'feature' });
  await ask('DELETE', '/branches/feature');
  const gone = { ref: 'refs/pull/1/head', label: 'feature', sha: open.head.sha };
  expect((await ask('GET', '/pulls/1')).body).toMatchObject({ state: 'closed', head: gone });
  const refs = await ask('GET', '/git/refs/pull/1/head');
  expect(refs.body).toMatchObject([{ ref: 'refs/pull/1/head', object: { sha: open.head.sha } }]);
  expect((await ask('GET', '/git/refs/pull/2/head')).status).toBe(404);
});

test('reviewers are requested one after the other, until one is refused', async () => {
  const { ask } = await giteaSandbox();
  await ask('POST', '/pulls', { head: 'feature', base: 'main', title: 't' });
  const request = (...reviewers: string[]) => ask('POST', '/pulls/1/requested_reviewers', { reviewers });
  expect(await request('guest', 'nobody')).toMatchObject({
    status: 404,
    body: { message: "User 'nobody' not exist" },
  });
  expect((await ask('GET', '/pulls/1/reviews')).body).toEqual([]);
  expect((await request('guest', 'eve', 'acme')).status).toBe(422);
  expect((await request('dev')).status).toBe(422);
  const asked = [{ user: { login: 'guest' }, state: 'REQUEST_REVIEW' }];
  expect((await ask('GET', '/pulls/1/reviews')).body).toMatchObject(asked);
  expect((await ask('GET', '/pulls/1')).body).toMatchObject({ requested_reviewers: [{ login: 'guest' }] });
  expect(await request('guest')).toMatchObject({ status: 201, body: [] });
});

test('all comments are returned on one page', async () => {
  const { ask } = await giteaSandbox();
  await ask('POST', '/pulls', { head: 'feature', base: 'main', title: 't' });
  for (let number = 0; number < 60; number++) {
    expect((await ask('POST', '/issues/1/comments', { body: `${number}` })).status).toBe(201);
  }
  const { body, headers } = await ask('GET', '/issues/1/comments?limit=10');
  expect(body).toHaveLength(60);
  expect(headers['x-total-count']).toBe('60');
  expect((await ask('GET', '/issues/2/comments')).status).toBe(404);
});
