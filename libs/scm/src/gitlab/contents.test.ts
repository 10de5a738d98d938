import { afterEach, describe, expect, test } from '@jest/globals';
import type { NewCommit, RepositoryContents } from '../contents.js';
import type { ScriptedAnswer, SeenRequest } from '../testing/scripted-server.js';
import { openScriptedFixture, type ScriptedFixture } from '../testing/scripted-fixture.js';
import { gitlabPlugin } from './plugin.js';

let fixture: ScriptedFixture;
afterEach(() => fixture.close());

async function open(answer: (request: SeenRequest) => ScriptedAnswer): Promise<RepositoryContents> {
  fixture = await openScriptedFixture(answer, {
    plugin: gitlabPlugin,
    repository: { namespace: 'acme', name: 'web' },
    secret: { token: 'glpat-1' },
  });
  const { contents } = fixture.repository;
  if (contents === undefined) throw new Error('the plugin has no contents');
  return contents;
}

const [tip, other, made, last] = ['a', 'b', 'c', 'd'].map((letter) => letter.repeat(40)) as [
  string,
  string,
  string,
  string,
];
const branchAt = (id: string): ScriptedAnswer => ({
  body: { commit: { id, message: 'm\n', parent_ids: [] } },
});
const blob = (path: string) => ({ path, mode: '100644', type: 'blob', id: other });

describe('a folder', () => {
  const pages: Record<string, ScriptedAnswer> = {
    first: { body: [blob('a')] },
    second: { body: [blob('b')] },
    empty: { body: [] },
  };

  test.each([
    ['by page tokens', 'page=1&page_token=t%3D%3D', { page_token: 't==' }],
    ['by page numbers, if trees do not have page tokens', 'page=2', { page: '2' }],
  ])('is read to its end %s', async (_, next, asked) => {
    const contents = await open(({ query }) => {
      if (query.has('page')) return { ...pages['second'] };
      if (query.has('page_token')) return { ...pages['second'] };
      const link = `<${fixture.server.url}/api/v4/projects/7/repository/tree?${next}&per_page=100>; rel="next"`;
      return { ...pages['first'], headers: { link: `<x>; rel="first", ${link}` } };
    });
    const files = await contents.listFiles(tip, 'x');
    expect(files.map(({ path }) => path)).toEqual(['a', 'b']);
    expect(fixture.server.seen).toHaveLength(2);
    const [first, second] = fixture.server.seen.map(({ query }) => Object.fromEntries(query));
    expect(first).toMatchObject({ ref: tip, path: 'x', recursive: 'true', pagination: 'keyset' });
    expect(second).toMatchObject(asked);
  });

  test('ends with an empty page, even if the server announces another page', async () => {
    const contents = await open(() => ({
      ...pages['empty'],
      headers: { link: `<${fixture.server.url}/x?page_token=t>; rel="next"` },
    }));
    expect(await contents.listFolder(tip, 'x')).toBeUndefined();
    expect(await contents.listFolder(tip, '')).toEqual([]);
    expect(fixture.server.seen).toHaveLength(2);
  });

  test('of a missing project is not treated as a missing folder', async () => {
    const contents = await open(() => ({ status: 404, body: { message: '404 Project Not Found' } }));
    await expect(contents.listFolder(tip, 'x')).rejects.toMatchObject({ type: 'NotFound' });
    await expect(contents.branchTip('main')).rejects.toMatchObject({ type: 'NotFound' });
  });
});

describe('a commit on the tip of a branch', () => {
  const previous = { path: 'a', type: 'file', sha: other } as const;
  const commit: NewCommit = {
    branch: 'fix',
    onto: { tip },
    message: 'm',
    files: [
      { path: 'a', contents: Buffer.from('x'), previous },
      { path: 'b', previous: { ...previous, path: 'b' } },
      { path: 'c', contents: Buffer.from([0xff]) },
    ],
  };
  const answer =
    (answers: { post: ScriptedAnswer; after?: ScriptedAnswer }) =>
    ({ method, path }: SeenRequest): ScriptedAnswer => {
      if (method === 'POST') return answers.post;
      if (path.endsWith('/repository/tree')) return { body: [blob('a'), blob('b')] };
      if (path.endsWith('/repository/commits')) return { body: [{ id: last }] };
      const posted = fixture.server.seen.some((seen) => seen.method === 'POST');
      return (posted ? answers.after : undefined) ?? branchAt(tip);
    };

  test('names the last commit of each file, and contains deletions first', async () => {
    const contents = await open(answer({ post: { status: 201, body: { id: made, parent_ids: [tip] } } }));
    expect(await contents.commitFiles(commit)).toEqual({ sha: made });
    const sent: unknown = JSON.parse(fixture.server.seen.find(({ method }) => method === 'POST')?.body ?? '');
    expect(sent).toEqual({
      branch: 'fix',
      commit_message: 'm',
      stats: false,
      actions: [
        { action: 'delete', file_path: 'b', last_commit_id: last },
        { action: 'update', file_path: 'a', content: 'eA==', encoding: 'base64', last_commit_id: last },
        { action: 'create', file_path: 'c', content: '/w==', encoding: 'base64' },
      ],
    });
    const logs = fixture.server.seen.filter(({ path }) => path.endsWith('/repository/commits'));
    expect(logs.slice(0, 2).map(({ query }) => query.get('ref_name'))).toEqual([tip, tip]);
  });

  test('that was added to another tip is reported as HeadMoved', async () => {
    const contents = await open(answer({ post: { status: 201, body: { id: made, parent_ids: [other] } } }));
    await expect(contents.commitFiles(commit)).rejects.toMatchObject({ reason: 'HeadMoved' });
  });

  test.each([
    ['HeadMoved', branchAt(other)],
    ['BranchMissing', { status: 404, body: { message: '404 Branch Not Found' } }],
    ['Invalid', branchAt(tip)],
  ] as const)('that is refused is reported as %s, depending on the current tip', async (reason, after) => {
    const said = 'The file has changed since you started editing it: a';
    const contents = await open(answer({ post: { status: 400, body: { message: said } }, after }));
    await expect(contents.commitFiles(commit)).rejects.toMatchObject({ reason });
  });

  test('that would create a file and a folder with the same path is not sent', async () => {
    const contents = await open(answer({ post: { status: 500 } }));
    const files = ['d', 'd/e'].map((path) => ({ path, contents: Buffer.from('x') }));
    await expect(contents.commitFiles({ ...commit, files })).rejects.toMatchObject({
      reason: 'PathConflict',
    });
    expect(fixture.server.seen.filter(({ method }) => method === 'POST')).toEqual([]);
  });
});

test('creates a folder in place of a file that the same commit deletes', async () => {
  const contents = await open(({ method, path }) => {
    if (method === 'POST') return { status: 201, body: { id: made, parent_ids: [tip] } };
    return path.endsWith('/repository/tree') ? { body: [blob('a')] } : branchAt(tip);
  });
  const previous = { path: 'a', type: 'file', sha: other } as const;
  const files = [
    { path: 'a/b', contents: Buffer.from('x') },
    { path: 'a', previous },
  ];
  const onto = { base: 'main', sha: tip };
  expect(await contents.commitFiles({ branch: 'fix', onto, message: 'm', files })).toEqual({ sha: made });
});
