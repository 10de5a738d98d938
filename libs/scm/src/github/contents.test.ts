import { afterEach, describe, expect, test } from '@jest/globals';
import type { NewCommit, RepositoryContents } from '../contents.js';
import type { ScriptedAnswer } from '../testing/scripted-server.js';
import { openScriptedFixture, type ScriptedFixture } from '../testing/scripted-fixture.js';
import { githubPlugin } from './plugin.js';

const id = (digit: string): string => digit.repeat(40);
const [commit, root, made] = [id('a'), id('b'), id('c')];
const home = '/api/v3/repos/acme/web';
const notFound: ScriptedAnswer = { status: 404, body: { message: 'Not Found' } };
const refused = (message: string): ScriptedAnswer => ({ status: 422, body: { message } });

let fixture: ScriptedFixture | undefined;
afterEach(() => fixture?.close());

/** @param answers by method and path below the repository; anything else is a 404. */
async function connect(answers: Record<string, ScriptedAnswer | (() => ScriptedAnswer)>): Promise<{
  contents: RepositoryContents;
  run: ScriptedFixture['clock']['run'];
  sent: () => string[];
  bodyOf: (request: string) => unknown;
}> {
  const opened = await openScriptedFixture(
    ({ method, path }) => {
      const found = answers[keyOf(method, path)] ?? notFound;
      return typeof found === 'function' ? found() : found;
    },
    { plugin: githubPlugin, repository: { owner: 'acme', name: 'web' }, secret: { token: 'ghp_1' } },
  );
  fixture = opened;
  const { contents } = opened.repository;
  if (contents === undefined) throw new Error('the plugin has no contents');
  const sent = () => opened.server.seen.map(({ method, path }) => keyOf(method, path));
  return {
    contents,
    run: (promise) => opened.clock.run(promise),
    sent,
    bodyOf: (request) => JSON.parse(opened.server.seen[sent().indexOf(request)]?.body ?? 'null') as unknown,
  };
}

function keyOf(method: string, path: string): string {
  return `${method} ${decodeURIComponent(path.slice(home.length))}`;
}

const reads: Record<string, ScriptedAnswer> = {
  'GET /git/ref/heads/main': { body: { object: { sha: commit } } },
  [`GET /git/commits/${commit}`]: { body: { message: 'm', parents: [], tree: { sha: root } } },
  [`GET /git/trees/${commit}`]: { body: { tree: [], truncated: false } },
};
const writes: Record<string, ScriptedAnswer> = {
  'POST /git/blobs': { status: 201, body: { sha: id('d') } },
  'POST /git/trees': { status: 201, body: { sha: id('e') } },
  'POST /git/commits': { status: 201, body: { sha: made } },
  'POST /git/refs': { status: 201, body: { object: { sha: made } } },
};
const wanted: NewCommit = {
  branch: 'new',
  onto: { base: 'main', sha: commit },
  message: 'Write',
  files: [
    { path: 'text', contents: Buffer.from('a\r\n') },
    { path: 'binary', contents: Buffer.from([0xff]) },
    { path: 'zero', contents: Buffer.from('a\0b') },
    { path: 'gone', previous: { path: 'gone', type: 'file', sha: id('f') } },
  ],
};

test('finds no branch in a repository without commits', async () => {
  const empty = { status: 409, body: { message: 'Git Repository is empty.' } };
  const { contents, run } = await connect({ 'GET /git/ref/heads/main': empty });
  expect(await run(contents.branchTip('main'))).toBeUndefined();
});

describe('a commit', () => {
  test('is sent with all its texts in one request, without an explicit author and without force', async () => {
    const { contents, run, sent, bodyOf } = await connect({ ...reads, ...writes });
    expect(await run(contents.commitFiles(wanted))).toEqual({ sha: made });
    const posts = sent().filter((request) => request.startsWith('POST'));
    expect(posts).toEqual([
      'POST /git/blobs',
      'POST /git/blobs',
      'POST /git/trees',
      'POST /git/commits',
      'POST /git/refs',
    ]);
    const entry = { mode: '100644', type: 'blob' };
    expect(bodyOf('POST /git/trees')).toEqual({
      base_tree: root,
      tree: [
        { ...entry, path: 'text', content: 'a\r\n' },
        { ...entry, path: 'binary', sha: id('d') },
        { ...entry, path: 'zero', sha: id('d') },
        { ...entry, path: 'gone', sha: null },
      ],
    });
    expect(bodyOf('POST /git/commits')).toEqual({ message: 'Write', tree: id('e'), parents: [commit] });
    expect(bodyOf('POST /git/refs')).toEqual({ ref: 'refs/heads/new', sha: made });
  });

  test.each([
    ['exists in the meantime', true, { type: 'Conflict', reason: 'AlreadyExists' }],
    ['does not exist', false, { type: 'Invalid' }],
  ])('that GitHub refuses without a reason is explained when the branch %s', async (_, there, expected) => {
    const tip = { body: { object: { sha: id('9') } } };
    const { contents, run } = await connect({
      ...reads,
      ...writes,
      'GET ': { body: {} },
      'GET /git/ref/heads/new': there ? tip : notFound,
      'POST /git/refs': refused('Reference update failed'),
    });
    await expect(run(contents.commitFiles(wanted))).rejects.toMatchObject(expected);
  });

  test.each([
    ['Update is not a fast forward', { type: 'Conflict', reason: 'HeadMoved' }],
    ['Reference does not exist', { type: 'Invalid', reason: 'BranchMissing' }],
    ['Repository rule violations found', { type: 'Invalid' }],
  ])('on the tip of a branch is explained when it is refused with: %s', async (message, expected) => {
    const { contents, run, bodyOf } = await connect({
      ...reads,
      ...writes,
      'PATCH /git/refs/heads/main': refused(message),
    });
    const onto = { tip: commit };
    await expect(run(contents.commitFiles({ ...wanted, branch: 'main', onto }))).rejects.toMatchObject(
      expected,
    );
    expect(bodyOf('PATCH /git/refs/heads/main')).toEqual({ sha: made, force: false });
  });
});

test('does not treat a branch of an inaccessible repository as missing', async () => {
  const { contents, run } = await connect({});
  await expect(run(contents.branchTip('main'))).rejects.toMatchObject({ type: 'NotFound' });
  await expect(run(contents.deleteBranch('main', commit))).rejects.toMatchObject({ type: 'NotFound' });
});

test('accepts that a branch to delete does not exist', async () => {
  const { contents, run } = await connect({
    ...reads,
    'DELETE /git/refs/heads/main': refused('Reference does not exist'),
  });
  await run(contents.deleteBranch('main', commit));
});

const blob = (path: string) => ({ path, mode: '100644', type: 'blob', sha: id('1') });
const folder = (path: string, sha: string) => ({ path, mode: '040000', type: 'tree', sha });

describe('a list of files', () => {
  test('that GitHub truncates is read folder by folder', async () => {
    const { contents, run } = await connect({
      [`GET /git/trees/${commit}`]: () => {
        const recursive = fixture?.server.seen.at(-1)?.query.has('recursive') ?? false;
        const entries = [blob('z'), folder('b', id('2')), folder('a', id('3'))];
        return { body: { tree: recursive ? [blob('z')] : entries, truncated: recursive } };
      },
      [`GET /git/trees/${id('2')}`]: { body: { tree: [blob('y'), blob('deep/x')], truncated: false } },
      [`GET /git/trees/${id('3')}`]: { body: { tree: [blob('w')], truncated: false } },
    });
    const files = await run(contents.listFiles(commit, ''));
    expect(files.map(({ path }) => path)).toEqual(['a/w', 'b/deep/x', 'b/y', 'z']);
  });

  test('is bounded', async () => {
    const tree = Array.from({ length: 50_001 }, (_, index) => blob(String(index)));
    const { contents, run } = await connect({
      [`GET /git/trees/${commit}`]: { body: { tree, truncated: false } },
    });
    await expect(run(contents.listFiles(commit, ''))).rejects.toMatchObject({
      type: 'Invalid',
      reason: 'TooLarge',
    });
  });

  test('of one folder is never truncated silently', async () => {
    const { contents, run } = await connect({
      [`GET /git/trees/${commit}`]: { body: { tree: [], truncated: true } },
    });
    await expect(run(contents.listFolder(commit, ''))).rejects.toMatchObject({ reason: 'TooLarge' });
  });

  test('is read once, because a commit does not change', async () => {
    const { contents, run, sent } = await connect({
      [`GET /git/trees/${commit}`]: { body: { tree: [folder('a', id('2'))], truncated: false } },
      [`GET /git/trees/${id('2')}`]: { body: { tree: [blob('b')], truncated: false } },
    });
    for (let time = 0; time < 3; time++) {
      expect(await run(contents.listFolder(commit, 'a'))).toMatchObject([{ path: 'a/b' }]);
    }
    expect(sent()).toHaveLength(2);
    const signal = AbortSignal.abort(new Error('stop'));
    await expect(contents.listFolder(commit, 'a', { signal })).rejects.toThrow('stop');
  });
});

test.each<[string, ScriptedAnswer]>([
  ['the limit of the process', { body: { content: 'a'.repeat(17 * 1024 * 1024), encoding: 'base64' } }],
  ['the limit of GitHub', { status: 403, body: { message: 'too_large', errors: [{ code: 'too_large' }] } }],
])('reports a blob that is larger than %s as TooLarge', async (_, answer) => {
  const { contents, run } = await connect({ [`GET /git/blobs/${id('1')}`]: answer });
  await expect(run(contents.readBlob(id('1'), 1_000))).rejects.toMatchObject({
    type: 'Invalid',
    reason: 'TooLarge',
    message: expect.stringContaining('acme/web'),
  });
});
