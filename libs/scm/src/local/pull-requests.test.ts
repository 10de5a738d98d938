import { describe, expect, test } from '@jest/globals';
import { isTyped } from '@interlock/api';
import { ensureMerged, ensurePullRequest } from '../ensure.js';
import { git } from '../testing/git-user.js';
import { localHarness } from '../testing/local-contract.js';
import { useFixture } from '../testing/use-fixture.js';

const base = 'env/dev';
const head = 'env/dev-next';
const current = useFixture(localHarness());

function inRepository(args: string[], input = ''): Promise<string> {
  return git(['-C', new URL(current().repository.cloneUrl).pathname, ...args], input);
}

async function opened(): Promise<{ id: number; headSha: string }> {
  await current().commit(base);
  await current().commit(head);
  const wanted = { head, base, title: 'Promote', body: 'why' };
  return (await ensurePullRequest(current().repository, wanted)).pullRequest;
}

describe('an action of a user with git alone', () => {
  test('merges a pull request by moving the base to the head, even when the base has moved further', async () => {
    await current().commit('main');
    await inRepository(['update-ref', `refs/heads/${base}`, 'refs/heads/main']);
    await inRepository(['update-ref', `refs/heads/${head}`, 'refs/heads/main']);
    const headSha = await current().commit(head);
    const wanted = { head, base, title: 'Promote', body: '' };
    const { id } = (await ensurePullRequest(current().repository, wanted)).pullRequest;
    const later = ['commit-tree', `${headSha}^{tree}`, '-p', headSha, '-m', 'later'];
    const identity = ['-c', 'user.name=ann', '-c', 'user.email=ann@example.com'];
    const tip = await inRepository([...identity, ...later]);
    await inRepository(['update-ref', `refs/heads/${base}`, tip]);
    expect(await current().repository.getPullRequest(id)).toMatchObject({
      state: 'merged',
      mergeSha: headSha,
    });
  });

  test('closes a pull request by deleting a branch, even when the branch is restored', async () => {
    const { id, headSha } = await opened();
    await inRepository(['update-ref', '-d', `refs/heads/${head}`]);
    expect(await current().repository.getPullRequest(id)).toMatchObject({ state: 'closed' });
    await inRepository(['update-ref', `refs/heads/${head}`, headSha]);
    expect(await current().repository.getPullRequest(id)).toMatchObject({ state: 'closed' });
    const again = await ensurePullRequest(current().repository, { head, base, title: 'Promote', body: '' });
    expect(again).toMatchObject({ done: 'created', pullRequest: { id: id + 1 } });
  });

  test('closes a pull request, and does not merge it, by resetting the head to an old commit of the base', async () => {
    const { id } = await opened();
    await inRepository(['update-ref', `refs/heads/${head}`, `refs/heads/${base}`]);
    expect(await current().repository.getPullRequest(id)).toMatchObject({ state: 'closed' });
  });

  test('does not undo an observed merge by moving a branch', async () => {
    const { id, headSha } = await opened();
    await current().merge(id);
    const merged = await current().repository.getPullRequest(id);
    await current().commit(head);
    expect(await current().repository.getPullRequest(id)).toEqual(merged);
    expect(merged).toMatchObject({ state: 'merged', headSha, mergedBy: 'ann' });
  });

  test('records the rejected commit in the reference that closes the pull request', async () => {
    const { id, headSha } = await opened();
    await inRepository(['update-ref', `refs/interlock/close/${id}`, headSha]);
    await current().commit(head);
    expect(await current().repository.getPullRequest(id)).toMatchObject({ state: 'closed', headSha });
  });

  test('removes a pull request by deleting its record, and allows another pull request', async () => {
    const { id } = await opened();
    await inRepository(['update-ref', '-d', `refs/interlock/pulls/${id}`]);
    const gone: unknown = await current()
      .repository.getPullRequest(id)
      .catch((error: unknown) => error);
    expect(isTyped(gone, 'NotFound')).toBe(true);
    const again = await ensurePullRequest(current().repository, { head, base, title: 'Promote', body: '' });
    expect(again.done).toBe('created');
  });

  test('that writes a malformed record causes an error that names the record, and does not affect other pull requests', async () => {
    await current().commit(base);
    await current().commit(head);
    const blob = await inRepository(['hash-object', '-w', '--stdin'], '{"head": 7}');
    await inRepository(['update-ref', 'refs/interlock/pulls/1', blob]);
    await expect(current().repository.getPullRequest(1)).rejects.toMatchObject({
      type: 'Invalid',
      message: expect.stringContaining('refs/interlock/pulls/1: head is not a string'),
    });
    const made = await ensurePullRequest(current().repository, { head, base, title: 'Promote', body: '' });
    expect(made.pullRequest.id).toBe(2);
  });
});

describe('a merge', () => {
  test.each([
    ['merge', 2],
    ['squash', 1],
    ['rebase', 1],
  ] as const)(
    'by %s adds the commits of the head to the base, with the given message',
    async (method, parents) => {
      const { id, headSha } = await opened();
      const request = { base, headSha, method, commitTitle: 'Promote it', commitMessage: 'Sha: 1' };
      const { mergeSha = '' } = await ensureMerged(current().repository, id, request);
      expect(await inRepository(['rev-parse', `refs/heads/${base}`])).toBe(mergeSha);
      const shown = await inRepository(['show', '-s', '--format=%P%n%cn', mergeSha]);
      const [line = '', committer] = shown.split('\n');
      expect(line.split(' ')).toHaveLength(parents);
      expect(committer).toBe('interlock');
      const files = await inRepository(['ls-tree', '--name-only', mergeSha]);
      const ofHead = await inRepository(['ls-tree', '--name-only', headSha]);
      expect(files.split('\n')).toEqual(expect.arrayContaining(ofHead.split('\n')));
      const message = await inRepository(['show', '-s', '--format=%B', mergeSha]);
      if (method !== 'rebase') expect(message).toBe('Promote it\n\nSha: 1');
    },
  );

  test.each(['a\nrefs/heads/main', 'a..b', 'a b', '-x', 'x.lock', 'refs^{tree}', ''])(
    'refuses a branch named %j',
    async (name) => {
      await expect(
        current().repository.createPullRequest({ head: name, base: 'main', title: '', body: '' }),
      ).rejects.toMatchObject({ type: 'Invalid' });
    },
  );
});
