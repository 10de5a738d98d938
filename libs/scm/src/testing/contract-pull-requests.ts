import { expect, test } from '@jest/globals';
import { ensureClosed, ensurePullRequest } from '../ensure.js';
import type { PullRequestQuery } from '../scm.js';
import { manyCallsMs } from './contract-fixture.js';
import type { Current } from './contract-fixture.js';

const base = 'env/dev';
const head = 'env/dev-next';
const wanted = { head, base, title: 'Promote', body: 'First line\n\nlast' };

/** Creates two branches, of which one is ahead. */
async function branches(current: Current): Promise<void> {
  await current().commit(base);
  await current().commit(head);
}

export function pullRequestCases(current: Current): void {
  test('creates a pull request, and later changes it only when it differs', async () => {
    await branches(current);
    const { repository, clock } = current();
    const made = await clock.run(ensurePullRequest(repository, wanted));
    expect(made).toMatchObject({
      done: 'created',
      pullRequest: { title: 'Promote', state: 'open', head, base },
    });
    const writes = current().writes();
    const again = await clock.run(ensurePullRequest(repository, wanted));
    expect(again).toMatchObject({ done: 'unchanged', pullRequest: { id: made.pullRequest.id } });
    expect(current().writes()).toBe(writes);
    const changed = await clock.run(ensurePullRequest(repository, { ...wanted, body: 'Second' }));
    expect(changed.done).toBe('updated');
    expect(await current().pullRequests()).toMatchObject([
      { state: 'open', title: 'Promote', body: 'Second' },
    ]);
  });

  test('adopts a pull request that a user opened', async () => {
    await branches(current);
    const id = await current().open(head, base);
    const { repository, clock } = current();
    const { pullRequest, done } = await clock.run(ensurePullRequest(repository, wanted));
    expect({ id: pullRequest.id, done }).toEqual({ id, done: 'updated' });
    expect(await current().pullRequests()).toMatchObject([{ id, title: 'Promote' }]);
  });

  test('returns the same pull request to concurrent callers', async () => {
    await branches(current);
    const { repository, clock } = current();
    const all = Array.from({ length: 5 }, () => ensurePullRequest(repository, wanted));
    const ensured = await clock.run(Promise.all(all));
    expect(new Set(ensured.map(({ pullRequest }) => pullRequest.id)).size).toBe(1);
    expect(await current().pullRequests()).toHaveLength(1);
  });

  test('finds a pull request whose creation response was lost', async () => {
    await branches(current);
    const { repository, clock } = current();
    current().inject('createPullRequest', 'cut', 1);
    const { pullRequest } = await clock.run(ensurePullRequest(repository, wanted));
    expect(await current().pullRequests()).toMatchObject([{ id: pullRequest.id, title: 'Promote' }]);
  });

  test('finds a pull request that was created before the process died', async () => {
    await branches(current);
    const { repository, clock } = current();
    current().inject('createPullRequest', 'cut', 1);
    await expect(clock.run(repository.createPullRequest(wanted))).rejects.toMatchObject({
      type: 'Transient',
    });
    const { done } = await clock.run(
      ensurePullRequest(repository, { ...wanted, labels: { add: ['promotion'] } }),
    );
    expect(done).toBe('updated');
    expect(await current().pullRequests()).toMatchObject([{ labels: ['promotion'] }]);
  });

  test('refuses a second pull request as AlreadyExists', async () => {
    await branches(current);
    const { repository, clock } = current();
    await clock.run(repository.createPullRequest(wanted));
    await expect(clock.run(repository.createPullRequest(wanted))).rejects.toMatchObject({
      type: 'Conflict',
      reason: 'AlreadyExists',
    });
  });

  test('reports NoCommits if the head has no new commits, and BranchMissing if a branch is missing', async () => {
    await branches(current);
    const { repository, clock } = current();
    await expect(clock.run(ensurePullRequest(repository, { ...wanted, head: base }))).rejects.toMatchObject({
      type: 'Invalid',
      reason: 'NoCommits',
    });
    await expect(
      clock.run(ensurePullRequest(repository, { ...wanted, head: 'absent' })),
    ).rejects.toMatchObject({
      type: 'Invalid',
      reason: 'BranchMissing',
    });
  });

  test('finds only pull requests from exactly the requested head to exactly the requested base', async () => {
    await branches(current);
    for (const other of ['x/env/dev-next', 'env/dev-next-2', 'env/test']) await current().commit(other);
    await current().open('x/env/dev-next', base);
    await current().open('env/dev-next-2', base);
    await current().open(head, 'env/test');
    const { repository, clock } = current();
    expect(await clock.run(repository.findPullRequests({ head, base, state: 'all' }))).toEqual([]);
    const { done } = await clock.run(ensurePullRequest(repository, wanted));
    expect(done).toBe('created');
    expect(await clock.run(repository.findPullRequests({ head, base, state: 'open' }))).toHaveLength(1);
  });

  test('finds pull requests of any branch with a query without a head, a base or both', async () => {
    await branches(current);
    for (const other of ['x/a', 'x/b']) await current().commit(other);
    const ids = [
      await current().open(head, base),
      await current().open('x/a', base),
      await current().open('x/a', 'x/b'),
    ];
    await current().closePullRequest(ids[1] ?? 0);
    const { repository, clock } = current();
    const find = async (query: Omit<PullRequestQuery, 'state'>, state: 'open' | 'all' = 'all') =>
      (await clock.run(repository.findPullRequests({ ...query, state }))).map(({ id }) => id);
    expect(await find({})).toEqual(ids);
    expect(await find({}, 'open')).toEqual([ids[0], ids[2]]);
    expect(await find({ base })).toEqual([ids[0], ids[1]]);
    expect(await find({ base }, 'open')).toEqual([ids[0]]);
    expect(await find({ head: 'x/a' })).toEqual([ids[1], ids[2]]);
    expect(await find({ head: 'absent' })).toEqual([]);
  });

  test(
    'finds more pull requests than fit on a page, oldest first',
    async () => {
      await branches(current);
      const { repository, clock } = current();
      const ids: number[] = [];
      for (let time = 0; time < 100; time++) {
        const id = await current().open(head, base);
        await current().closePullRequest(id);
        ids.push(id);
      }
      ids.push(await current().open(head, base));
      const found = await clock.run(repository.findPullRequests({ head, base, state: 'all' }));
      expect(found.map(({ id }) => id)).toEqual(ids);
      const open = await clock.run(repository.findPullRequests({ head, base, state: 'open' }));
      expect(open.map(({ id }) => id)).toEqual(ids.slice(-1));
    },
    manyCallsMs,
  );

  test('reports who closed a pull request, and does not reopen it', async () => {
    await branches(current);
    const { repository, clock } = current();
    const { pullRequest } = await clock.run(ensurePullRequest(repository, wanted));
    await current().closePullRequest(pullRequest.id);
    expect(await clock.run(repository.getPullRequest(pullRequest.id))).toMatchObject({
      state: 'closed',
      closedBy: current().user,
    });
    expect(await clock.run(repository.findPullRequests({ head, base, state: 'open' }))).toEqual([]);
    const all = await clock.run(repository.findPullRequests({ head, base, state: 'all' }));
    expect(all).toMatchObject([{ state: 'closed', headSha: pullRequest.headSha }]);
    expect(all[0]?.mergeSha).toBeUndefined();
  });

  test('closes a pull request idempotently, and does not undo a merge', async () => {
    await branches(current);
    const { repository, clock } = current();
    const { pullRequest } = await clock.run(ensurePullRequest(repository, wanted));
    const { id } = pullRequest;
    expect(await clock.run(ensureClosed(repository, id))).toMatchObject({ state: 'closed' });
    const writes = current().writes();
    expect(await clock.run(ensureClosed(repository, id))).toMatchObject({ state: 'closed' });
    expect(current().writes()).toBe(writes);
    const second = await clock.run(ensurePullRequest(repository, wanted));
    await current().merge(second.pullRequest.id);
    expect(await clock.run(ensureClosed(repository, second.pullRequest.id))).toMatchObject({
      state: 'merged',
    });
  });

  test('adds and removes labels, keeps other labels, and sends no label twice', async () => {
    await branches(current);
    const { repository, clock } = current();
    const labels = { add: ['promotion', 'env/dev'] };
    const { pullRequest } = await clock.run(ensurePullRequest(repository, { ...wanted, labels }));
    expect(pullRequest.labels).toEqual(labels.add);
    const { id } = pullRequest;
    const writes = current().writes();
    expect(await clock.run(repository.ensureLabels(id, { ...labels, remove: ['absent'] }))).toBe(false);
    expect(current().writes()).toBe(writes);
    expect(await clock.run(repository.ensureLabels(id, { add: ['held'], remove: ['env/dev'] }))).toBe(true);
    const [shown] = await current().pullRequests();
    expect([...(shown?.labels ?? [])].sort()).toEqual(['held', 'promotion']);
  });
}
