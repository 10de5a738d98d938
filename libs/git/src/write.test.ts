import { describe, expect, test } from '@jest/globals';
import { useMirror } from './testing/use-git.js';

const dev = 'refs/heads/dev';
const next = 'refs/heads/dev-next';
const testAuthor = { name: 'Interlock', email: 'bot@example.com', date: '2024-05-01T10:00:00+02:00' };

const given = useMirror();

describe('mergeTree', () => {
  test('merges cleanly, fetching the blobs it needs', async () => {
    const base = given.remote.commit(dev, { a: '1\n2\n3\n4\n5\n', b: 'b' });
    given.remote.git(['update-ref', next, base]);
    const ours = given.remote.commit(dev, { a: 'ONE\n2\n3\n4\n5\n', b: 'b' });
    const theirs = given.remote.commit(next, { a: '1\n2\n3\n4\nFIVE\n', b: 'b', c: 'c' });
    await given.mirror.refresh([dev, next]);
    const { clean, related, tree, conflicts } = await given.mirror.mergeTree(ours, theirs);
    expect({ clean, related, conflicts }).toEqual({ clean: true, related: true, conflicts: [] });
    expect(tree).toBe(given.remote.tree({ a: 'ONE\n2\n3\n4\nFIVE\n', b: 'b', c: 'c' }));
    expect(await given.mirror.mergeTree(ours, theirs)).toEqual({ clean, related, tree, conflicts });
  });

  test('names the files in conflict, even for unrelated histories', async () => {
    const ours = given.remote.commit(dev, { a: '1', same: 's' });
    const theirs = given.remote.commit(next, { a: '2', same: 's' });
    await given.mirror.refresh([dev, next]);
    expect(await given.mirror.mergeTree(ours, theirs)).toMatchObject({
      clean: false,
      related: false,
      conflicts: ['a'],
    });
  });
});

describe('graft', () => {
  test('replaces only one folder, and sorts the entries as git requires', async () => {
    const sha = given.remote.commit(dev, {
      'a/x': '1',
      'a.txt': '2',
      a0: '3',
      'apps/one/old': '4',
      'apps/two': '5',
    });
    await given.mirror.refresh([dev]);
    const base = (await given.mirror.treeOf(sha)) ?? '';
    const subtree = (await given.mirror.treeOf(sha, 'a')) ?? '';
    expect(await given.mirror.graft(base, 'apps/one', subtree)).toBe(
      given.remote.tree({ 'a/x': '1', 'a.txt': '2', a0: '3', 'apps/one/x': '1', 'apps/two': '5' }),
    );
    expect(await given.mirror.graft(base, 'new/deep', subtree)).toBe(
      given.remote.tree({
        'a/x': '1',
        'a.txt': '2',
        a0: '3',
        'apps/one/old': '4',
        'apps/two': '5',
        'new/deep/x': '1',
      }),
    );
    expect(await given.mirror.graft(base, 'a.txt', subtree)).toBe(
      given.remote.tree({ 'a/x': '1', 'a.txt/x': '1', a0: '3', 'apps/one/old': '4', 'apps/two': '5' }),
    );
    expect(await given.mirror.graft(base, '', subtree)).toBe(subtree);
  });
});

describe('commitTree and push', () => {
  async function prepared() {
    const old = given.remote.commit(dev, { a: '1', hydrated: 'old' });
    const tip = given.remote.commit(dev, { a: '2', hydrated: 'new' });
    await given.mirror.refresh([dev]);
    const tree = (await given.mirror.treeOf(old)) ?? '';
    const message = 'Revert to the first\n\nRevert-of: x\n';
    const revert = await given.mirror.commitTree({ tree, parents: [tip], message, author: testAuthor });
    return { old, tip, tree, message, revert };
  }

  test('pushes a revert with the complete tree of an older commit', async () => {
    const { tip, tree, message, revert } = await prepared();
    expect(await given.mirror.commitTree({ tree, parents: [tip], message, author: testAuthor })).toBe(revert);
    expect(await given.mirror.commit(revert)).toMatchObject({
      author: { ...testAuthor, date: '2024-05-01T08:00:00Z' },
      trailers: { 'Revert-of': ['x'] },
    });
    await given.mirror.push({ ref: 'refs/heads/revert/dev', sha: revert, expected: null });
    expect(given.remote.tip('refs/heads/revert/dev')).toBe(revert);
    expect(given.remote.git(['show', `${revert}:hydrated`])).toBe('old');
    given.remote.git(['fsck', '--strict', '--connectivity-only']);
    // A repeated push succeeds: a process that was killed after the push repeats it.
    await given.mirror.push({ ref: 'refs/heads/revert/dev', sha: revert, expected: null });
  });

  test('reports a ref that has moved on the remote as Conflict, and does not change the ref', async () => {
    const { old, tip, revert } = await prepared();
    const moved = given.remote.commit(dev, { a: '3' });
    await expect(given.mirror.push({ ref: dev, sha: revert, expected: tip })).rejects.toMatchObject({
      type: 'Conflict',
      reason: 'RefMoved',
    });
    await expect(given.mirror.push({ ref: dev, sha: revert, expected: null })).rejects.toMatchObject({
      type: 'Conflict',
    });
    expect(given.remote.tip(dev)).toBe(moved);
    given.remote.git(['update-ref', dev, tip]);
    await expect(given.mirror.push({ ref: dev, sha: old, expected: tip })).rejects.toMatchObject({
      type: 'Conflict',
      reason: 'NotFastForward',
    });
    expect(given.remote.tip(dev)).toBe(tip);
    await given.mirror.push({ ref: dev, sha: revert, expected: tip });
    expect(given.remote.tip(dev)).toBe(revert);
    await given.mirror.push({ ref: dev, sha: old, expected: revert, force: true });
    expect(given.remote.tip(dev)).toBe(old);
  });

  test('reports a push that a hook of the remote refuses as Permanent', async () => {
    const { tip, revert } = await prepared();
    given.sandbox.program(
      'remote.git/hooks/pre-receive',
      '#!/bin/sh\necho "this branch is protected" >&2\nexit 1\n',
    );
    await expect(given.mirror.push({ ref: dev, sha: revert, expected: tip })).rejects.toMatchObject({
      type: 'Permanent',
      reason: 'PushDeclined',
      message: expect.stringContaining('this branch is protected'),
    });
  });

  test.each([
    ['an author without a name', { name: ' ' }],
    ['an author with a header in the name', { name: 'x\ncommitter y' }],
    ['an e-mail address that ends the field', { email: 'a> <b' }],
    ['a malformed date', { date: 'yesterday' }],
  ])('refuses %s', async (_, change) => {
    const { tip, tree } = await prepared();
    const author = { ...testAuthor, ...change };
    await expect(
      given.mirror.commitTree({ tree, parents: [tip], message: 'm', author }),
    ).rejects.toMatchObject({
      type: 'Invalid',
      reason: 'IdentityInvalid',
    });
  });
});
