import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { BareFolder } from './bare-folder.js';

const dev = 'refs/heads/env/dev';
const signature = 'Ann <ann@example.com> 1767225600 +0000';
const signatures = { author: signature, committer: signature };
const contents = { 'a-b': '1', 'a/b/c': '2', 'a/b.c': '', 'a.b': '3', 'z/ü': 'ü' };
let folder: BareFolder;

beforeEach(() => {
  folder = new BareFolder(mkdtempSync(join(tmpdir(), 'interlock-bare-')));
  folder.init('[uploadpack]\n\tallowFilter = true\n');
});
afterEach(() => rmSync(folder.path, { recursive: true, force: true }));

function git(args: readonly string[], input = ''): string {
  const [name, email, date] = ['Ann', 'ann@example.com', '1767225600 +0000'];
  const author = { GIT_AUTHOR_NAME: name, GIT_AUTHOR_EMAIL: email, GIT_AUTHOR_DATE: date };
  const committer = { GIT_COMMITTER_NAME: name, GIT_COMMITTER_EMAIL: email, GIT_COMMITTER_DATE: date };
  const env = { ...process.env, ...author, ...committer, GIT_DIR: folder.path };
  return execFileSync('git', args, { env, input, encoding: 'utf8' }).trim();
}

function treeOf(files: Readonly<Record<string, string>>, base?: string, mode = '100644'): string {
  const entries = Object.entries(files).map(([path, text]) => ({ path, mode, id: folder.putBlob(text) }));
  return folder.putTree(entries, base);
}

/** Returns the tree that git writes for the files, after those of the earlier calls. */
function treeByGit(files: Readonly<Record<string, string>>, mode = '100644'): string {
  const lines = Object.entries(files).map(
    ([path, text]) => `${mode} ${git(['hash-object', '-w', '--stdin'], text)}\t${path}\n`,
  );
  git(['update-index', '--add', '--replace', '--index-info'], lines.join(''));
  return git(['write-tree']);
}

describe('a bare repository without git', () => {
  it('has the objects that git writes', () => {
    const tree = treeOf(contents);
    const first = folder.putCommit({ tree, parents: [], message: '', ...signatures });
    const message = 'a commit\n\nA-trailer: x\n';
    const next = folder.putCommit({ tree, parents: [first], message, ...signatures });
    expect(git(['fsck', '--strict', '--no-dangling'])).toBe('');
    expect(treeByGit(contents)).toBe(tree);
    expect(git(['commit-tree', tree, '-F', '-'])).toBe(first);
    expect(git(['commit-tree', tree, '-p', first, '-F', '-'], message)).toBe(next);
    expect([folder.treeOf(next), folder.content(folder.putBlob('ü')).toString()]).toEqual([tree, 'ü']);
  });

  it('changes files of a tree as git does, also between files and folders', () => {
    const changes = { 'a-b/c': 'x', 'a/b/d': 'y', z: 'z' };
    treeByGit(contents);
    expect(treeOf(changes, treeOf(contents), '100755')).toBe(treeByGit(changes, '100755'));
  });

  it('has the references that git reads, and reads those that git packed', () => {
    const first = folder.putCommit({ tree: treeOf(contents), parents: [], message: '', ...signatures });
    const next = folder.putCommit({ tree: treeOf({}), parents: [first], message: '', ...signatures });
    folder.putRef(dev, first);
    expect(git(['for-each-ref', '--format=%(refname) %(objectname)'])).toBe(`${dev} ${first}`);
    git(['pack-refs', '--all', '--prune']);
    expect(folder.refs('refs/heads')).toEqual(new Map([[dev, first]]));
    folder.putRef(dev, next);
    folder.putRef('refs/heads/test', first);
    expect(git(['rev-parse', dev, `${dev}^`])).toBe(`${next}\n${first}`);
    expect([...folder.refs('refs/heads')].sort()).toEqual([
      [dev, next],
      ['refs/heads/test', first],
    ]);
    expect([folder.ref(dev), folder.ref('refs/heads/env'), folder.ref('refs/heads/e')]).toEqual([
      next,
      undefined,
      undefined,
    ]);
  });
});
