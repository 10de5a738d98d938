import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { createGit, type Git, type Mirror } from './index.js';
import { Sandbox, type TestRemote } from './testing/sandbox.js';

const DEV = 'refs/heads/dev';
const NEXT = 'refs/heads/dev-next';
const AUTHOR = { name: 'Interlock', email: 'bot@example.com', date: '2024-05-01T10:00:00+02:00' };

let sandbox: Sandbox;
let remote: TestRemote;
let git: Git;
let mirror: Mirror;

beforeEach(() => {
  sandbox = new Sandbox();
  remote = sandbox.remote();
  git = createGit({ cacheDir: sandbox.cacheDir, transports: ['file'] });
  mirror = git.mirror({ url: remote.url, tenant: 't' });
});

afterEach(() => {
  git.close();
  sandbox.remove();
});

describe('mergeTree', () => {
  test('merges cleanly, fetching the blobs it needs', async () => {
    const base = remote.commit(DEV, { a: '1\n2\n3\n4\n5\n', b: 'b' });
    remote.git(['update-ref', NEXT, base]);
    const ours = remote.commit(DEV, { a: 'ONE\n2\n3\n4\n5\n', b: 'b' });
    const theirs = remote.commit(NEXT, { a: '1\n2\n3\n4\nFIVE\n', b: 'b', c: 'c' });
    await mirror.refresh([DEV, NEXT]);
    const { clean, related, tree, conflicts } = await mirror.mergeTree(ours, theirs);
    expect({ clean, related, conflicts }).toEqual({ clean: true, related: true, conflicts: [] });
    expect(tree).toBe(remote.tree({ a: 'ONE\n2\n3\n4\nFIVE\n', b: 'b', c: 'c' }));
    expect(await mirror.mergeTree(ours, theirs)).toEqual({ clean, related, tree, conflicts });
  });

  test('names the files in conflict, also of unrelated histories', async () => {
    const ours = remote.commit(DEV, { a: '1', same: 's' });
    const theirs = remote.commit(NEXT, { a: '2', same: 's' });
    await mirror.refresh([DEV, NEXT]);
    expect(await mirror.mergeTree(ours, theirs)).toMatchObject({
      clean: false,
      related: false,
      conflicts: ['a'],
    });
  });
});

describe('graft', () => {
  test('replaces a folder and nothing else, in the order git demands', async () => {
    const sha = remote.commit(DEV, {
      'a/x': '1',
      'a.txt': '2',
      a0: '3',
      'apps/one/old': '4',
      'apps/two': '5',
    });
    await mirror.refresh([DEV]);
    const base = (await mirror.treeOf(sha)) ?? '';
    const subtree = (await mirror.treeOf(sha, 'a')) ?? '';
    expect(await mirror.graft(base, 'apps/one', subtree)).toBe(
      remote.tree({ 'a/x': '1', 'a.txt': '2', a0: '3', 'apps/one/x': '1', 'apps/two': '5' }),
    );
    expect(await mirror.graft(base, 'new/deep', subtree)).toBe(
      remote.tree({
        'a/x': '1',
        'a.txt': '2',
        a0: '3',
        'apps/one/old': '4',
        'apps/two': '5',
        'new/deep/x': '1',
      }),
    );
    expect(await mirror.graft(base, 'a.txt', subtree)).toBe(
      remote.tree({ 'a/x': '1', 'a.txt/x': '1', a0: '3', 'apps/one/old': '4', 'apps/two': '5' }),
    );
    expect(await mirror.graft(base, '', subtree)).toBe(subtree);
  });
});

describe('commitTree and push', () => {
  async function prepared() {
    const old = remote.commit(DEV, { a: '1', hydrated: 'old' });
    const tip = remote.commit(DEV, { a: '2', hydrated: 'new' });
    await mirror.refresh([DEV]);
    const tree = (await mirror.treeOf(old)) ?? '';
    const message = 'Revert to the first\n\nRevert-of: x\n';
    const revert = await mirror.commitTree({ tree, parents: [tip], message, author: AUTHOR });
    return { old, tip, tree, message, revert };
  }

  test('a revert with the tree of an older commit arrives whole', async () => {
    const { tip, tree, message, revert } = await prepared();
    expect(await mirror.commitTree({ tree, parents: [tip], message, author: AUTHOR })).toBe(revert);
    expect(await mirror.commit(revert)).toMatchObject({
      author: { ...AUTHOR, date: '2024-05-01T08:00:00Z' },
      trailers: { 'Revert-of': ['x'] },
    });
    await mirror.push({ ref: 'refs/heads/revert/dev', sha: revert, expected: null });
    expect(remote.tip('refs/heads/revert/dev')).toBe(revert);
    expect(remote.git(['show', `${revert}:hydrated`])).toBe('old');
    remote.git(['fsck', '--strict', '--connectivity-only']);
    // Done already is done: a process killed after the push repeats it.
    await mirror.push({ ref: 'refs/heads/revert/dev', sha: revert, expected: null });
  });

  test('a remote that moved is a Conflict and stays as it is', async () => {
    const { old, tip, revert } = await prepared();
    const moved = remote.commit(DEV, { a: '3' });
    await expect(mirror.push({ ref: DEV, sha: revert, expected: tip })).rejects.toMatchObject({
      type: 'Conflict',
      reason: 'RefMoved',
    });
    await expect(mirror.push({ ref: DEV, sha: revert, expected: null })).rejects.toMatchObject({
      type: 'Conflict',
    });
    expect(remote.tip(DEV)).toBe(moved);
    remote.git(['update-ref', DEV, tip]);
    await expect(mirror.push({ ref: DEV, sha: old, expected: tip })).rejects.toMatchObject({
      type: 'Conflict',
      reason: 'NotFastForward',
    });
    expect(remote.tip(DEV)).toBe(tip);
    await mirror.push({ ref: DEV, sha: revert, expected: tip });
    expect(remote.tip(DEV)).toBe(revert);
    await mirror.push({ ref: DEV, sha: old, expected: revert, force: true });
    expect(remote.tip(DEV)).toBe(old);
  });

  test('a hook of the remote that refuses is Permanent', async () => {
    const { tip, revert } = await prepared();
    sandbox.program(
      'remote.git/hooks/pre-receive',
      '#!/bin/sh\necho "this branch is protected" >&2\nexit 1\n',
    );
    await expect(mirror.push({ ref: DEV, sha: revert, expected: tip })).rejects.toMatchObject({
      type: 'Permanent',
      reason: 'PushDeclined',
      message: expect.stringContaining('this branch is protected'),
    });
  });

  test.each([
    ['an author without a name', { name: ' ' }],
    ['an author with a header in the name', { name: 'x\ncommitter y' }],
    ['an e-mail address that ends the field', { email: 'a> <b' }],
    ['a date that is none', { date: 'yesterday' }],
  ])('refuses %s', async (_, change) => {
    const { tip, tree } = await prepared();
    const author = { ...AUTHOR, ...change };
    await expect(mirror.commitTree({ tree, parents: [tip], message: 'm', author })).rejects.toMatchObject({
      type: 'Invalid',
      reason: 'IdentityInvalid',
    });
  });
});
