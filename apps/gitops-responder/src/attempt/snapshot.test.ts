import type { RepositoryContents, TreeEntry } from '@interlock/scm';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { Snapshot, textOf } from './snapshot.js';

const files: Record<string, Buffer> = {
  'a/one.yaml': Buffer.from('a: 1\n'),
  'a/binary': Buffer.from([0xff, 0xfe, 0x00]),
};
const many = Array.from({ length: 20 }, (_, index) => `large/${index}`);
for (const path of many) files[path] = Buffer.alloc(4_000_000);

let calls: string[];
const contents: Pick<RepositoryContents, 'listFiles' | 'listFolder' | 'readBlob'> = {
  listFiles: () => Promise.resolve([]),
  listFolder(_, folder) {
    calls.push(`list ${folder}`);
    if (folder === '') {
      return Promise.resolve([
        { path: 'a', type: 'folder', sha: 'a' },
        { path: 'large', type: 'folder', sha: 'l' },
        { path: 'link', type: 'symlink', sha: 'k' },
        { path: 'module', type: 'submodule', sha: 'm' },
      ]);
    }
    const entries = Object.keys(files).filter((path) => path.startsWith(`${folder}/`));
    return Promise.resolve(entries.map((path): TreeEntry => ({ path, type: 'file', sha: path })));
  },
  readBlob(sha) {
    calls.push(`read ${sha}`);
    return Promise.resolve(files[sha] ?? Buffer.alloc(0));
  },
};
let snapshot: Snapshot;
beforeEach(() => {
  calls = [];
  snapshot = new Snapshot(contents, 'c', new AbortController().signal);
});

describe('Snapshot', () => {
  it('reads no file twice', async () => {
    const [one, again] = await Promise.all([snapshot.file('a/one.yaml'), snapshot.file('a/one.yaml')]);
    expect(one).toBe(again);
    expect(one?.contents.toString()).toBe('a: 1\n');
    expect(await snapshot.file('a/two.yaml')).toBeUndefined();
    expect(calls).toEqual(['list ', 'list a', 'read a/one.yaml']);
  });

  it('reports the existing files, including links, which are not followed', async () => {
    const states = await snapshot.states(['a/one.yaml', 'a/two.yaml', 'link'], []);
    expect([...states]).toEqual([
      ['a/one.yaml', { text: 'a: 1\n' }],
      ['a/two.yaml', undefined],
      ['link', { text: '', symbolicLink: true }],
    ]);
  });

  it('does not follow a link or enter a submodule', async () => {
    const states = await snapshot.states(['link/ci.yaml'], []);
    expect([...states]).toEqual([['link/ci.yaml', { text: '', symbolicLink: true }]]);
    for (const path of ['module', 'module/ci.yaml'])
      await expect(snapshot.states([path], [])).rejects.toMatchObject({ reason: 'NotAFile' });
  });

  it('requires only edited files to be text', async () => {
    await expect(snapshot.states(['a/binary'], [])).rejects.toMatchObject({ reason: 'NotText' });
    const states = await snapshot.states(['a/binary'], [{ op: 'file.delete', path: 'a/binary' }]);
    expect(states.get('a/binary')).toBeDefined();
  });

  it('reads no more than the memory bound allows', async () => {
    const read = async () => {
      for (const path of many) await snapshot.file(path);
    };
    await expect(read()).rejects.toMatchObject({ type: 'Invalid', reason: 'TooLarge' });
    expect(calls.filter((call) => call.startsWith('read'))).toHaveLength(5);
  });
});

it('keeps a byte order mark, and refuses files that are not text', () => {
  expect(textOf('a', Buffer.from('\uFEFFa'))).toBe('\uFEFFa');
  expect(() => textOf('a', Buffer.from([0xff]))).toThrow('"a" is not UTF-8 text');
});
