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

describe('what people do with git alone', () => {
  test('a base that is moved to the head itself is merged, also when it has gone on', async () => {
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

  test('the end of a branch closes, and stays so when the branch is back', async () => {
    const { id, headSha } = await opened();
    await inRepository(['update-ref', '-d', `refs/heads/${head}`]);
    expect(await current().repository.getPullRequest(id)).toMatchObject({ state: 'closed' });
    await inRepository(['update-ref', `refs/heads/${head}`, headSha]);
    expect(await current().repository.getPullRequest(id)).toMatchObject({ state: 'closed' });
    const again = await ensurePullRequest(current().repository, { head, base, title: 'Promote', body: '' });
    expect(again).toMatchObject({ done: 'created', pullRequest: { id: id + 1 } });
  });

  test('a head that is put back to what the base has had brings nothing: closed, not merged', async () => {
    const { id } = await opened();
    await inRepository(['update-ref', `refs/heads/${head}`, `refs/heads/${base}`]);
    expect(await current().repository.getPullRequest(id)).toMatchObject({ state: 'closed' });
  });

  test('a merge that was seen is not forgotten when the branches move on', async () => {
    const { id, headSha } = await opened();
    await current().merge(id);
    const merged = await current().repository.getPullRequest(id);
    await current().commit(head);
    expect(await current().repository.getPullRequest(id)).toEqual(merged);
    expect(merged).toMatchObject({ state: 'merged', headSha, mergedBy: 'ann' });
  });

  test('a reference that closes names the commit that is rejected', async () => {
    const { id, headSha } = await opened();
    await inRepository(['update-ref', `refs/interlock/close/${id}`, headSha]);
    await current().commit(head);
    expect(await current().repository.getPullRequest(id)).toMatchObject({ state: 'closed', headSha });
  });

  test('a record that is deleted is not a pull request, and leaves room for another', async () => {
    const { id } = await opened();
    await inRepository(['update-ref', '-d', `refs/interlock/pulls/${id}`]);
    const gone: unknown = await current()
      .repository.getPullRequest(id)
      .catch((error: unknown) => error);
    expect(isTyped(gone, 'NotFound')).toBe(true);
    const again = await ensurePullRequest(current().repository, { head, base, title: 'Promote', body: '' });
    expect(again.done).toBe('created');
  });

  test('a record that is badly written is told of by its number, and in nobody’s way', async () => {
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
    'by %s gives the base what the head has, and says what it was told',
    async (method, parents) => {
      const { id, headSha } = await opened();
      const wish = { base, headSha, method, commitTitle: 'Promote it', commitMessage: 'Sha: 1' };
      const { mergeSha = '' } = await ensureMerged(current().repository, id, wish);
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
    'a branch cannot be named %j',
    async (name) => {
      await expect(
        current().repository.createPullRequest({ head: name, base: 'main', title: '', body: '' }),
      ).rejects.toMatchObject({ type: 'Invalid' });
    },
  );
});
