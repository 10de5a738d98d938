import { describe, expect, test } from '@jest/globals';
import type { NewCommit, NewFile } from '../contents.js';
import { binary, blobId, contentsOf, mixed } from './contract-contents.js';
import type { ContractFixture, Current } from './contract-fixture.js';
import { git } from './git-user.js';

const base = 'env/dev';
const branch = 'ugallu/event.one/1a2b3c4d';
const message = 'Begrenze Größe 💡 auf "1"\n\n# Zeile\n  - eingerückt\n\nInterlock-Response: 1a2b-3c4d';
const one: NewFile[] = [{ path: 'new.yaml', contents: Buffer.from('a: 1\n') }];

/** Returns the files at the tip of a branch, as `<mode> <id>` by path, without files of other tests. */
async function treeOf({ path }: ContractFixture, name: string): Promise<Record<string, string>> {
  const lines = (await git(['-C', path, 'ls-tree', '-r', '-z', `refs/heads/${name}`])).split('\0');
  const entries = lines.flatMap((line) => {
    const [mode = '', , id = '', file = ''] = line.split(/[ \t]/);
    return file === '' || file.startsWith('file-') ? [] : [[file, `${mode} ${id}`]];
  });
  return Object.fromEntries(entries) as Record<string, string>;
}

/** Returns the tip of a branch and its parents; undefined if there is no such branch. */
async function tipOf({ path }: ContractFixture, name: string): Promise<string | undefined> {
  return git(['-C', path, 'rev-list', '--parents', '-n', '1', `refs/heads/${name}`]).catch(() => undefined);
}

export function commitCases(current: Current): void {
  const commit = (wanted: Partial<NewCommit> & Pick<NewCommit, 'onto'>) =>
    contentsOf(current).commitFiles({ branch, message, files: one, ...wanted });
  const run = (wanted: Partial<NewCommit> & Pick<NewCommit, 'onto'>) => current().clock.run(commit(wanted));

  const namesRepository = (): unknown => expect.stringContaining(current().repository.fullName);

  test('adds, changes and deletes files in one commit on a new branch', async () => {
    const { clock } = current();
    const sha = await current().write(base, [
      { path: 'bin/run.sh', content: 'a', mode: '100755' },
      { path: 'deploy/app.yaml', content: 'a: 1\r\n' },
      { path: 'deploy/old/a.yaml', content: 'a' },
      { path: 'kept/x.yaml', content: 'x' },
    ]);
    const contents = contentsOf(current);
    const present = await clock.run(contents.listFiles(sha, ''));
    const previous = (path: string) => present.find((entry) => entry.path === path);
    const files: NewFile[] = [
      { path: 'bin/run.sh', contents: Buffer.from('b'), previous: previous('bin/run.sh') },
      { path: 'deploy/app.yaml', contents: mixed, previous: previous('deploy/app.yaml') },
      { path: 'deploy/old/a.yaml', previous: previous('deploy/old/a.yaml') },
      { path: 'new/deep/größe 💡.bin', contents: binary },
      { path: 'empty', contents: Buffer.alloc(0) },
    ];
    const made = await run({ onto: { base, sha }, files });
    expect(await tipOf(current(), branch)).toBe(`${made.sha} ${sha}`);
    const tree = {
      'bin/run.sh': `100755 ${blobId('b')}`,
      'deploy/app.yaml': `100644 ${blobId(mixed)}`,
      empty: `100644 ${blobId('')}`,
      'kept/x.yaml': `100644 ${blobId('x')}`,
    };
    expect(await treeOf(current(), branch)).toMatchObject(tree);
    const all = await clock.run(contents.listFiles(made.sha, ''));
    const own = new Map(
      all.filter(({ path }) => !path.startsWith('file-')).map(({ path, sha: id }) => [path, id]),
    );
    expect([...own.keys()]).toEqual([...Object.keys(tree), 'new/deep/größe 💡.bin'].sort());
    expect(await clock.run(contents.readBlob(own.get('new/deep/größe 💡.bin') ?? '', 100))).toEqual(binary);
    expect((await tipOf(current(), base))?.slice(0, 40)).toBe(sha);
  });

  test('adds a commit to the tip of a branch', async () => {
    const sha = await current().commit(base);
    const first = await run({ onto: { base, sha } });
    const files = [{ path: 'other.yaml', contents: Buffer.from('b: 1\n') }];
    const second = await run({ onto: { tip: first.sha }, files });
    expect(await tipOf(current(), branch)).toBe(`${second.sha} ${first.sha}`);
    expect(Object.keys(await treeOf(current(), branch))).toEqual(['new.yaml', 'other.yaml']);
  });

  test('creates a branch from the commit that was read, not from the tip of the base', async () => {
    const sha = await current().write(base, [{ path: 'new.yaml', content: 'a' }]);
    await current().write(base, [{ path: 'later.yaml', content: 'later' }]);
    const previous = { path: 'new.yaml', type: 'file', sha: blobId('a') } as const;
    await run({ onto: { base, sha }, files: one.map((file) => ({ ...file, previous })) });
    expect((await treeOf(current(), branch))['new.yaml']).toBe(`100644 ${blobId('a: 1\n')}`);
  });

  test('preserves messages', async () => {
    const { clock, path } = current();
    const made = await run({ onto: { base: 'main', sha: await mainTip(current) } });
    expect(await git(['-C', path, 'log', '-1', '--format=%B', made.sha])).toBe(message);
    expect(await clock.run(contentsOf(current).branchTip(branch))).toMatchObject({ sha: made.sha, message });
  });

  describe('a commit is refused', () => {
    test('as AlreadyExists when the branch exists', async () => {
      const sha = await current().commit(base);
      const tip = await current().commit(branch);
      await expect(run({ onto: { base, sha } })).rejects.toMatchObject({
        type: 'Conflict',
        reason: 'AlreadyExists',
        message: namesRepository(),
      });
      expect(await tipOf(current(), branch)).toContain(tip);
    });

    test('as HeadMoved when the branch has moved, forward or back', async () => {
      const { path } = current();
      const before = await current().commit(branch);
      const tip = await current().commit(branch);
      const moved = { type: 'Conflict', reason: 'HeadMoved', message: namesRepository() };
      await expect(run({ onto: { tip: before } })).rejects.toMatchObject(moved);
      expect((await tipOf(current(), branch))?.slice(0, 40)).toBe(tip);
      await git(['-C', path, 'update-ref', `refs/heads/${branch}`, before]);
      await expect(run({ onto: { tip } })).rejects.toMatchObject(moved);
      expect((await tipOf(current(), branch))?.slice(0, 40)).toBe(before);
    });

    test('as BranchMissing when the base or the branch does not exist', async () => {
      const sha = await current().commit(base);
      const missing = { type: 'Invalid', reason: 'BranchMissing', message: namesRepository() };
      await expect(run({ onto: { base: 'absent', sha } })).rejects.toMatchObject(missing);
      await expect(run({ onto: { tip: sha } })).rejects.toMatchObject(missing);
      expect(await tipOf(current(), branch)).toBeUndefined();
    });

    test.each([
      ['deploy/app.yaml/x.yaml', 'a folder', 'a file'],
      ['deploy/link/x.yaml', 'a folder', 'a link'],
      ['vendor/lib/x.yaml', 'a folder', 'a submodule'],
      ['deploy', 'a file', 'a folder'],
    ])('as PathConflict when %s would require %s in place of %s', async (path) => {
      const sha = await current().write(base, [
        { path: 'deploy/app.yaml', content: 'a' },
        { path: 'deploy/link', content: 'app.yaml', mode: '120000' },
        { path: 'vendor/lib', content: 'c'.repeat(40), mode: '160000' },
      ]);
      const files = [...one, { path, contents: Buffer.from('x') }];
      await expect(run({ onto: { base, sha }, files })).rejects.toMatchObject({
        type: 'Invalid',
        reason: 'PathConflict',
        message: namesRepository(),
      });
      expect(await tipOf(current(), branch)).toBeUndefined();
    });

    test('as PathConflict if one of its files would be inside another file', async () => {
      const files = ['a/b', 'a'].map((path) => ({ path, contents: Buffer.from('x') }));
      const onto = { base: 'main', sha: await mainTip(current) };
      await expect(run({ onto, files })).rejects.toMatchObject({ type: 'Invalid', reason: 'PathConflict' });
      expect(await tipOf(current(), branch)).toBeUndefined();
    });

    test.each(['../x', 'a/../../x', '/x', 'a//x', './x', 'a/.git/config', ''])(
      'as Invalid with the path %j',
      async (path) => {
        const files = [{ path, contents: Buffer.from('x') }];
        const onto = { base: 'main', sha: await mainTip(current) };
        await expect(run({ onto, files })).rejects.toMatchObject({ type: 'Invalid' });
        expect(await tipOf(current(), branch)).toBeUndefined();
      },
    );
  });

  test('commits once when the response is lost, and reports AlreadyExists to a second call', async () => {
    const { path } = current();
    const sha = await current().commit(base);
    current().inject('commitFiles', 'cut', 1);
    await expect(run({ onto: { base, sha } })).rejects.toMatchObject({ type: 'Transient' });
    const tip = await tipOf(current(), branch);
    expect(tip).toMatch(new RegExp(`^[0-9a-f]{40} ${sha}$`));
    await expect(run({ onto: { base, sha } })).rejects.toMatchObject({ reason: 'AlreadyExists' });
    expect(await tipOf(current(), branch)).toBe(tip);
    const refs = await git(['-C', path, 'for-each-ref', '--format=%(refname)', 'refs/heads/']);
    expect(refs.split('\n')).toEqual(['refs/heads/env/dev', 'refs/heads/main', `refs/heads/${branch}`]);
  });

  test.each(['AlreadyExists', 'HeadMoved'] as const)(
    'lets one of two concurrent commits succeed, and reports %s for the other',
    async (reason) => {
      const sha = await current().commit(reason === 'HeadMoved' ? branch : base);
      const onto = reason === 'HeadMoved' ? { tip: sha } : { base, sha };
      const both = ['a', 'b'].map((path) => commit({ onto, files: [{ path, contents: Buffer.from(path) }] }));
      const ends = await current().clock.run(Promise.allSettled(both));
      const won = ends.flatMap((end) => (end.status === 'fulfilled' ? [end.value.sha] : []));
      const lost = ends.flatMap((end) => (end.status === 'rejected' ? [end.reason as unknown] : []));
      expect(won).toHaveLength(1);
      expect(lost).toMatchObject([{ type: 'Conflict', reason }]);
      expect(await tipOf(current(), branch)).toBe(`${won[0]} ${sha}`);
    },
  );

  test('deletes a branch only at the observed tip', async () => {
    const { clock } = current();
    const contents = contentsOf(current);
    const before = await current().commit(branch);
    const tip = await current().commit(branch);
    await expect(clock.run(contents.deleteBranch(branch, before))).rejects.toMatchObject({
      type: 'Conflict',
      reason: 'HeadMoved',
    });
    expect(await tipOf(current(), branch)).toContain(tip);
    await clock.run(contents.deleteBranch(branch, tip));
    expect(await tipOf(current(), branch)).toBeUndefined();
    const writes = current().writes();
    await clock.run(contents.deleteBranch(branch, tip));
    expect(current().writes() - writes).toBeLessThanOrEqual(1);
    expect(await clock.run(contents.branchTip('main'))).toBeDefined();
  });

  test('finds a pull request by its branch after the branch was deleted and recreated', async () => {
    const { clock, repository } = current();
    const contents = contentsOf(current);
    await current().commit(base);
    const tip = await current().commit(branch);
    const wanted = { head: branch, base, title: 'Answer', body: '' };
    const { id } = await clock.run(repository.createPullRequest(wanted));
    const found = () => clock.run(repository.findPullRequests({ head: branch, state: 'all' }));
    expect(await found()).toMatchObject([{ id, state: 'open', headSha: tip }]);
    await clock.run(contents.deleteBranch(branch, tip));
    const gone = { id, state: 'closed', head: branch, base };
    expect(await found()).toMatchObject([gone]);
    expect(await clock.run(repository.getPullRequest(id))).toMatchObject(gone);
    await current().commit(branch);
    expect(await found()).toMatchObject([{ id, state: 'closed', head: branch }]);
    expect(await clock.run(repository.getPullRequest(id))).toMatchObject(gone);
  });

  test('rejects an aborted change with the reason of its signal, without changes', async () => {
    const tip = await current().commit(branch);
    const contents = contentsOf(current);
    const signal = AbortSignal.abort(new Error('stop'));
    const wanted = { branch, message, files: one, onto: { tip } };
    await expect(contents.commitFiles(wanted, { signal })).rejects.toThrow('stop');
    await expect(contents.deleteBranch(branch, tip, { signal })).rejects.toThrow('stop');
    expect(await tipOf(current(), branch)).toContain(tip);
  });
}

async function mainTip(current: Current): Promise<string> {
  return git(['-C', current().path, 'rev-parse', 'refs/heads/main']);
}
