import { describe, expect, test } from '@jest/globals';
import type { Mirror } from './index.js';
import type { GitOptions } from './options.js';
import { useGit } from './testing/use-git.js';

const devBranch = 'refs/heads/dev';
const nextBranch = 'refs/heads/dev-next';
const notes = 'refs/notes/hydrator.metadata';

const given = useGit();

function open(options: Partial<GitOptions> = {}): Mirror {
  return given
    .open({ gitPath: given.sandbox.gitWrapper(), ...options })
    .mirror({ url: given.remote.url, tenant: 'team-a/github' });
}

const operations = () => given.sandbox.processes().map(({ args }) => args[0]);

describe('refresh', () => {
  test('starts exactly one git process when no reference has changed', async () => {
    const dev = given.remote.commit(devBranch, { a: '1' });
    const next = given.remote.commit(nextBranch, { a: '2' });
    const mirror = open();
    const names = [devBranch, nextBranch, notes];
    const first = await mirror.refresh(names);
    expect(first.refs).toEqual(
      new Map([
        [devBranch, dev],
        [nextBranch, next],
      ]),
    );
    expect(first.changed).toEqual(names);
    expect(operations().filter((name) => name === 'fetch')).toHaveLength(1);

    const second = await mirror.refresh(names);
    expect(second).toEqual({ refs: first.refs, changed: [] });
    expect(operations()).toEqual(['ls-remote']);
  });

  test('fetches all changed references in one process', async () => {
    given.remote.commit(devBranch, { a: '1' });
    const next = given.remote.commit(nextBranch, { a: '2' });
    const mirror = open();
    await mirror.refresh([devBranch, nextBranch, notes]);
    operations();
    const dev2 = given.remote.commit(devBranch, { a: '3' });
    given.remote.note(notes, next, 'text');
    const { changed, refs } = await mirror.refresh([devBranch, nextBranch, notes]);
    expect(changed).toEqual([devBranch, notes]);
    expect(refs.get(devBranch)).toBe(dev2);
    expect(operations()).toEqual(['ls-remote', 'fetch']);
  });

  test('distinguishes branches whose names have the same ending', async () => {
    given.remote.commit('refs/heads/x/dev', { a: '1' });
    const mirror = open();
    expect((await mirror.refresh([devBranch])).refs.size).toBe(0);
    const dev = given.remote.commit(devBranch, { a: '2' });
    expect((await mirror.refresh([devBranch])).refs).toEqual(new Map([[devBranch, dev]]));
    // Positive control: the same name as a pattern matches both.
    given.remote.commit('refs/heads/x/refs/heads/dev', { a: '3' });
    expect(given.remote.git(['ls-remote', given.remote.url, devBranch]).split('\n')).toHaveLength(2);
    expect((await mirror.refresh([devBranch])).refs).toEqual(new Map([[devBranch, dev]]));
  });

  test('reports that a branch was rewritten, deleted and replaced by a folder of the same name', async () => {
    given.remote.commit(devBranch, { a: '1' });
    const mirror = open();
    await mirror.refresh([devBranch]);
    const rewritten = given.remote.commit(devBranch, { a: '2' }, 'another history', []);
    expect((await mirror.refresh([devBranch])).refs.get(devBranch)).toBe(rewritten);
    given.remote.git(['update-ref', '-d', devBranch]);
    const below = given.remote.commit(`${devBranch}/x`, { a: '3' });
    expect(await mirror.refresh([devBranch, `${devBranch}/x`])).toEqual({
      refs: new Map([[`${devBranch}/x`, below]]),
      changed: [devBranch, `${devBranch}/x`],
    });
    expect((await mirror.commit(below)).sha).toBe(below);
  });

  test('serves concurrent callers with few processes', async () => {
    const dev = given.remote.commit(devBranch, { a: '1' });
    const mirror = open();
    const results = await Promise.all(Array.from({ length: 20 }, () => mirror.refresh([devBranch])));
    expect(results.every(({ refs }) => refs.get(devBranch) === dev)).toBe(true);
    expect(operations().filter((name) => name === 'ls-remote').length).toBeLessThanOrEqual(2);
  });

  test('recovers the content of the mirror after a restart', async () => {
    given.remote.commit(devBranch, { a: '1' });
    await open().refresh([devBranch]);
    given.git.close();
    operations();
    await open().refresh([devBranch]);
    expect(operations()).not.toContain('fetch');
  });
});

describe('a mirror', () => {
  test('returns a commit', async () => {
    const first = given.remote.commit(devBranch, { a: '1' });
    const sha = given.remote.commit(
      devBranch,
      { a: '2' },
      'Subject\nsecond line\n\nBody.\n\nSha-dry-proposed: abc\nSigned-off-by: Ada <a@b>\n',
    );
    const mirror = open();
    await mirror.refresh([devBranch]);
    expect(await mirror.commit(sha)).toEqual({
      sha,
      tree: given.remote.git(['rev-parse', `${sha}^{tree}`]),
      parents: [first],
      author: { name: 'Ada', email: 'ada@example.com', date: '2023-11-14T22:13:20Z' },
      committer: { name: 'Grace', email: 'grace@example.com', date: '2023-11-14T22:14:20Z' },
      subject: 'Subject second line',
      body: 'Body.\n\nSha-dry-proposed: abc\nSigned-off-by: Ada <a@b>',
      trailers: { 'Sha-dry-proposed': ['abc'], 'Signed-off-by': ['Ada <a@b>'] },
    });
    expect(await mirror.firstParents(sha, 5)).toEqual([sha, first]);
    expect(await mirror.firstParents(sha, 1)).toEqual([sha]);
  });

  test('fetches files that are read together at once, and then serves them from memory', async () => {
    const files = Object.fromEntries(
      Array.from({ length: 30 }, (_, index) => [`apps/${index}/hydrator.metadata`, `text ${index}`]),
    );
    const sha = given.remote.commit(devBranch, files);
    const mirror = open();
    await mirror.refresh([devBranch]);
    await mirror.file(sha, 'absent');
    operations();
    const read = () => Promise.all(Object.keys(files).map((path) => mirror.file(sha, path)));
    expect((await read()).map(String)).toEqual(Object.values(files));
    expect(operations()).toEqual(['fetch']);
    await read();
    expect(operations()).toEqual([]);
    expect(await mirror.file(sha, 'apps/1')).toBeUndefined();
    expect(await mirror.file(sha, 'apps/1/hydrator.metadata/x')).toBeUndefined();
    expect(await mirror.treeOf(sha, 'apps/1')).toBe(given.remote.git(['rev-parse', `${sha}:apps/1`]));
    expect(await mirror.treeOf(sha, 'apps/99')).toBeUndefined();
  });

  test('refuses a file above the bound', async () => {
    const sha = given.remote.commit(devBranch, { big: 'x'.repeat(5_000) });
    const mirror = open();
    await mirror.refresh([devBranch]);
    await expect(mirror.file(sha, 'big', { maxBytes: 4_999 })).rejects.toMatchObject({
      type: 'Invalid',
      reason: 'ObjectTooLarge',
    });
    expect(await mirror.file(sha, 'big', { maxBytes: 5_000 })).toHaveLength(5_000);
  });

  test('reports a missing object as NotFound, without an effect on other reads', async () => {
    const sha = given.remote.commit(devBranch, { a: '1' });
    const mirror = open();
    await mirror.refresh([devBranch]);
    const absent = mirror.commit('1'.repeat(40));
    const blob = mirror.file(sha, 'a');
    await expect(absent).rejects.toMatchObject({ type: 'NotFound', reason: 'ObjectNotFound' });
    expect(String(await blob)).toBe('1');
    await expect(mirror.commit('HEAD')).rejects.toMatchObject({ type: 'Invalid' });
    await expect(mirror.commit((await mirror.commit(sha)).tree)).rejects.toMatchObject({ type: 'NotFound' });
  });

  test('returns the commits that changed a folder, without a git process for a short history', async () => {
    const one = given.remote.commit(devBranch, { 'apps/a/x': '1', 'apps/b/x': '1' });
    const two = given.remote.commit(devBranch, { 'apps/a/x': '2', 'apps/b/x': '1' });
    const three = given.remote.commit(devBranch, { 'apps/a/x': '2', 'apps/b/x': '2' });
    const mirror = open();
    await mirror.refresh([devBranch]);
    expect(await mirror.changesOf(three, 'apps/a', 5)).toEqual([two, one]);
    expect(operations()).not.toContain('rev-list');
    expect(await mirror.changesOf(three, 'apps/b', 1)).toEqual([three]);
    expect(await mirror.changesOf(three, 'apps/*', 5)).toEqual([]);
    expect(await mirror.changesOf(three, '', 2)).toEqual([three, two]);
    operations();
    expect(await mirror.changesOf(three, 'apps/a', 5)).toEqual([two, one]);
    expect(operations()).toEqual([]);
    await expect(mirror.changesOf(three, '../a', 5)).rejects.toMatchObject({ reason: 'PathInvalid' });
  });

  test('returns the commits that changed a folder as git does, across merges and in a long history', async () => {
    const { remote } = given;
    const commit = (ref: string, a: string, b: string, parents?: string[]) =>
      remote.commit(ref, { [a === '' ? 'apps/c/x' : 'apps/a/x']: a, b }, 'a commit', parents);
    const commits = ['1', '1', '2', '', '', '2'].map((a, index) => commit(devBranch, a, `${index}`));
    const [root = '', , , , , top = ''] = commits;
    const side = commit(nextBranch, '3', 'side', [root]);
    commits.push(commit(devBranch, '3', 'merge', [top, side]));
    commits.push(...Array.from({ length: 20 }, (_, index) => commit(devBranch, '3', `later ${index}`)));
    const tip = commits.at(-1) ?? '';
    const mirror = open();
    await mirror.refresh([devBranch]);
    const changed = remote.git(['rev-list', '--first-parent', tip, '--', 'apps/a']).split('\n');
    for (const [index, sha] of commits.entries()) {
      const expected = changed.filter((one) => commits.indexOf(one) <= index);
      for (const limit of [1, 2, 50]) {
        expect(await mirror.changesOf(sha, 'apps/a', limit)).toEqual(expected.slice(0, limit));
      }
    }
    const again = open();
    operations();
    expect(await again.changesOf(tip, 'apps/a', 50)).toEqual(changed);
    expect(operations().filter((name) => name !== 'cat-file')).toEqual(['rev-list']);
    const next = commit(devBranch, '4', 'next');
    await again.refresh([devBranch]);
    operations();
    expect(await again.changesOf(next, 'apps/a', 50)).toEqual([next, ...changed]);
    expect(operations()).not.toContain('rev-list');
  });

  test('returns the commits in which a file at the path of a folder changed only its mode', async () => {
    const { remote } = given;
    const change = (mode: string) =>
      `commit ${devBranch}\ncommitter G <g@e> 1700000000 +0000\ndata 1\nx\nM ${mode} inline apps\ndata 1\ny\n`;
    remote.git(['fast-import', '--quiet'], ['100644', '100755', '100755', '120000'].map(change).join(''));
    const mirror = open();
    const tip = (await mirror.refresh([devBranch])).refs.get(devBranch) ?? '';
    const changed = remote.git(['rev-list', '--first-parent', tip, '--', 'apps']).split('\n');
    expect(changed).toHaveLength(3);
    expect(await mirror.changesOf(tip, 'apps', 50)).toEqual(changed);
  });

  test('returns the commits that changed a folder although one is too large to be read', async () => {
    const one = given.remote.commit(devBranch, { 'apps/a/x': '1' });
    const two = given.remote.commit(devBranch, { 'apps/a/x': '2' }, 'x'.repeat(2 ** 20));
    const three = given.remote.commit(devBranch, { 'apps/a/x': '2', y: '1' });
    const mirror = open();
    await mirror.refresh([devBranch]);
    expect(await mirror.changesOf(three, 'apps/a', 5)).toEqual([two, one]);
  });

  test('reads a folder as a separate repository', async () => {
    const one = given.remote.commit(devBranch, { 'apps/a/x': '1', y: '1' });
    const two = given.remote.commit(devBranch, { 'apps/a/x': '1', y: '2' });
    const three = given.remote.commit(devBranch, { 'apps/a/x': '3', y: '2' });
    const mirror = open();
    await mirror.refresh([devBranch]);
    const folder = mirror.at('apps/a');
    const tree = (commit: string) => given.remote.git(['rev-parse', `${commit}:apps/a`]);
    expect(await folder.firstParents(two, 5)).toEqual([one]);
    expect(await folder.commit(two)).toMatchObject({ sha: two, parents: [one], tree: tree(one) });
    expect((await folder.file(three, 'x'))?.toString()).toBe('3');
    const whole = await folder.whole(two, tree(three));
    expect(whole).toBe(given.remote.git(['rev-parse', `${three}^{tree}`]));
    operations();
    expect(await folder.whole(two, tree(three))).toBe(whole);
    expect(operations()).toEqual([]);
    expect((await mirror.at('apps/b').commit(two)).tree).toBe(given.remote.git(['mktree']));
    expect(mirror.at()).toBe(mirror);
    expect(() => mirror.at('../a')).toThrow(expect.objectContaining({ reason: 'PathInvalid' }));
  });

  test('determines ancestry with at most one git process, and without one for near commits', async () => {
    const commits = Array.from({ length: 30 }, (_, index) =>
      given.remote.commit(devBranch, { a: String(index) }),
    );
    const [first = '', second = '', ...more] = commits;
    const last = more.at(-1) ?? '';
    const mirror = open();
    await mirror.refresh([devBranch]);
    operations();
    expect(await mirror.isAncestor(first, second)).toBe(true);
    expect(await mirror.isAncestor(second, first)).toBe(false);
    expect(operations()).not.toContain('merge-base');
    expect(await mirror.isAncestor(first, last)).toBe(true);
    expect(operations()).toEqual(['merge-base']);
    expect([
      await mirror.isAncestor(first, second),
      await mirror.isAncestor(second, first),
      await mirror.isAncestor(first, first),
    ]).toEqual([true, false, true]);
    expect(operations()).toEqual([]);
    await expect(mirror.isAncestor(first, '2'.repeat(40))).rejects.toMatchObject({ type: 'NotFound' });
  });
});
