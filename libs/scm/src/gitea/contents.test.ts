import { afterEach, describe, expect, test } from '@jest/globals';
import type { NewCommit, RepositoryContents } from '../contents.js';
import { openScriptedFixture, type Script, type ScriptedFixture } from '../testing/scripted-fixture.js';
import type { ScriptedAnswer } from '../testing/scripted-server.js';
import { giteaPlugin } from './plugin.js';

let fixture: ScriptedFixture;
afterEach(() => fixture.close());

async function open(answer: Script): Promise<RepositoryContents> {
  fixture = await openScriptedFixture(answer, {
    plugin: () => giteaPlugin('gitea'),
    repository: { owner: 'acme', name: 'web' },
    secret: { token: 'of-the-test' },
  });
  const { contents } = fixture.repository;
  if (contents === undefined) throw new Error('the plugin has no contents');
  return contents;
}

const [tip, moved, made, before, after] = ['a', 'b', 'c', 'd', 'e'].map((letter) => letter.repeat(40)) as [
  string,
  string,
  string,
  string,
  string,
];
const file = (path: string, sha = before) => ({ path, mode: '100644', type: 'blob', sha });

describe('a file', () => {
  test('that the server does not return is reported as TooLarge', async () => {
    const contents = await open(() => ({ body: { size: 20_000_000, content: null, encoding: null } }));
    await expect(contents.readBlob(before, 30_000_000)).rejects.toMatchObject({ reason: 'TooLarge' });
  });

  test('without content is empty', async () => {
    const contents = await open(() => ({ body: { size: 0, content: '', encoding: 'base64' } }));
    expect(await contents.readBlob(before, 10)).toEqual(Buffer.alloc(0));
  });
});

test('reads a folder to its end', async () => {
  const contents = await open(({ query }) => {
    const page = Number(query.get('page'));
    return { body: { tree: page < 3 ? [file(`f${page}`)] : null, truncated: true } };
  });
  expect((await contents.listFolder(tip, ''))?.map(({ path }) => path)).toEqual(['f1', 'f2']);
  expect(fixture.server.seen).toHaveLength(3);
});

describe('a commit', () => {
  const commit: NewCommit = {
    branch: 'fix',
    onto: { base: 'main', sha: tip },
    message: 'm',
    files: [
      { path: 'a', contents: Buffer.from('x'), previous: { path: 'a', type: 'file', sha: before } },
      { path: 'b', previous: { path: 'b', type: 'file', sha: before } },
      { path: 'c', contents: Buffer.from('y') },
    ],
  };
  interface There {
    /** Tips of branches, before and after the commit was tried. */
    before: Record<string, string>;
    after?: Record<string, string>;
    post: ScriptedAnswer;
    /** The root entries of the commit `moved`. */
    atMoved?: object[];
  }
  const there =
    (state: There): Script =>
    ({ method, path }) => {
      if (method === 'POST') return state.post;
      const posted = fixture.server.seen.some((seen) => seen.method === 'POST');
      const [, branch] = /\/branches\/(.+)$/.exec(path) ?? [];
      if (branch !== undefined) {
        const id = ((posted ? state.after : undefined) ?? state.before)[branch];
        return id === undefined ? { status: 404, body: { message: 'no' } } : { body: { commit: { id } } };
      }
      const [, sha] = /\/git\/commits\/(.+)$/.exec(path) ?? [];
      if (sha !== undefined) return { body: { sha, commit: { message: 'm\n' }, parents: [] } };
      const isMoved = path.endsWith(moved) && state.atMoved !== undefined;
      return { body: { tree: isMoved ? state.atMoved : [file('a'), file('b')], truncated: false } };
    };
  const created = { status: 201, body: { commit: { sha: made, commit: {}, parents: [{ sha: tip }] } } };

  test('on a new branch names the base, and the previous version of each file', async () => {
    const contents = await open(there({ before: { main: tip }, post: created }));
    expect(await contents.commitFiles(commit)).toEqual({ sha: made });
    const sent: unknown = JSON.parse(fixture.server.seen.at(-1)?.body ?? '');
    expect(sent).toEqual({
      branch: 'main',
      new_branch: 'fix',
      message: 'm',
      files: [
        { operation: 'update', path: 'a', content: 'eA==', sha: before },
        { operation: 'delete', path: 'b', sha: before },
        { operation: 'create', path: 'c', content: 'eQ==' },
      ],
    });
  });

  test.each([
    ['BaseMoved', 'changed', [file('a', after), file('b')]],
    ['BaseMoved', 'deleted', [file('b')]],
    ['BaseMoved', 'added', [file('a'), file('b'), file('c')]],
    ['Invalid', 'left unchanged', [file('a'), file('b'), file('z')]],
  ])('that is refused is reported as %s when a file was %s on the base', async (reason, _, atMoved) => {
    const post = { status: 422, body: { message: 'sha does not match' } };
    const tips = { main: moved };
    const contents = await open(there({ before: { main: tip }, after: tips, post, atMoved }));
    await expect(contents.commitFiles(commit)).rejects.toMatchObject({ reason });
  });

  test.each([
    ['AlreadyExists', { main: tip, fix: moved }],
    ['BranchMissing', {}],
    ['Transient', { main: tip }],
  ] as const)(
    'that fails unexpectedly is reported as %s, depending on the current branches',
    async (reason, left) => {
      const post = { status: 500, body: { message: '' } };
      const contents = await open(there({ before: { main: tip }, after: left, post }));
      await expect(contents.commitFiles(commit)).rejects.toMatchObject({ reason });
    },
  );

  describe('on the tip of a branch', () => {
    const onto = { tip };

    test('that was added to another tip is reported as HeadMoved', async () => {
      const body = { commit: { sha: made, commit: {}, parents: [{ sha: moved }] } };
      const contents = await open(there({ before: { fix: tip }, post: { status: 201, body } }));
      await expect(contents.commitFiles({ ...commit, onto })).rejects.toMatchObject({ reason: 'HeadMoved' });
      const sent: unknown = JSON.parse(fixture.server.seen.at(-1)?.body ?? '');
      expect(sent).toMatchObject({ branch: 'fix' });
      expect(sent).not.toHaveProperty('new_branch');
    });

    test('that is refused is reported as HeadMoved when the tip has moved', async () => {
      const post = { status: 500, body: { message: 'PushOutOfDate Error' } };
      const contents = await open(there({ before: { fix: tip }, after: { fix: moved }, post }));
      await expect(contents.commitFiles({ ...commit, onto })).rejects.toMatchObject({ reason: 'HeadMoved' });
    });
  });
});
