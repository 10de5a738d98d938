import { expect, test } from '@jest/globals';
import { ensureMerged } from '../ensure.js';
import type { Current } from './contract-fixture.js';
import { base, expectRefusal, head, method, open } from './open-pull-request.js';

export function mergeCases(current: Current): void {
  test('merges the observed head, and records the merge', async () => {
    const { id, headSha } = await open(current);
    const { repository, clock, scm } = current();
    const { mergeSha } = await clock.run(repository.mergePullRequest(id, { base, headSha, method }));
    expect(await clock.run(repository.getPullRequest(id))).toMatchObject({
      state: 'merged',
      headSha,
      mergeSha,
      mergedBy: expect.stringContaining((await clock.run(scm.login())).replace('[bot]', '')),
    });
  });

  test('does not merge a head that has moved', async () => {
    const { id, headSha } = await open(current);
    await current().commit(head);
    const { repository, clock } = current();
    const moved = { type: 'Conflict', reason: 'HeadMoved' };
    const merge = { base, headSha, method } as const;
    await expect(clock.run(repository.mergePullRequest(id, merge))).rejects.toMatchObject(moved);
    await expect(clock.run(ensureMerged(repository, id, merge))).rejects.toMatchObject(moved);
    expect(await current().pullRequests()).toMatchObject([{ state: 'open' }]);
  });

  test('does not merge a pull request whose base has changed, and does not adopt its merge into the new base', async () => {
    const { id, headSha } = await open(current);
    await current().commit('env/test');
    await current().retarget(id, 'env/test');
    const { repository, clock } = current();
    const before = await clock.run(repository.getPullRequest(id));
    expect(before).toMatchObject({ base: 'env/test', state: 'open' });
    const retargeted = { type: 'Conflict', reason: 'Retargeted' };
    const merge = { base, headSha, method } as const;
    await expect(clock.run(ensureMerged(repository, id, merge))).rejects.toMatchObject(retargeted);
    expect(await current().pullRequests()).toMatchObject([{ state: 'open' }]);
    await current().merge(id);
    await expect(clock.run(ensureMerged(repository, id, merge))).rejects.toMatchObject(retargeted);
  });

  test('merges only once a rule is met', async () => {
    const { id, headSha } = await open(current);
    const quoted = await current().protect(base, 'promotion');
    const { repository, clock } = current();
    expect(await clock.run(repository.getPullRequest(id))).toMatchObject({ mergeability: 'blocked' });
    const merge = { base, headSha, method } as const;
    const message = expect.stringContaining(quoted);
    await expectRefusal(current, { id, headSha }, { type: 'Conflict', reason: 'Blocked', message });
    await clock.run(repository.ensureCommitStatus({ sha: headSha, name: 'promotion', phase: 'success' }));
    expect(await clock.run(ensureMerged(repository, id, merge))).toMatchObject({ before: false });
  });

  test('distinguishes a merge conflict from other reasons', async () => {
    const { id, headSha } = await open(current);
    await current().conflict(id);
    const { repository, clock } = current();
    expect(await clock.run(repository.getPullRequest(id))).toMatchObject({ mergeability: 'conflicting' });
    await expectRefusal(current, { id, headSha }, { type: 'Conflict', reason: 'MergeConflict' });
  });

  test('reports a forbidden method as Permanent', async () => {
    const { id, headSha } = await open(current);
    await current().forbidMethod('squash');
    const { repository, clock } = current();
    await expect(
      clock.run(ensureMerged(repository, id, { base, headSha, method: 'squash' })),
    ).rejects.toMatchObject({
      type: 'Permanent',
      reason: 'MergeMethodNotAllowed',
    });
  });

  test('does not merge a closed pull request, and reports an absent pull request as NotFound', async () => {
    const { id, headSha } = await open(current);
    await current().closePullRequest(id);
    await expectRefusal(current, { id, headSha }, { type: 'Conflict', reason: 'NotOpen' });
    expect(await current().pullRequests()).toMatchObject([{ state: 'closed' }]);
    await expectRefusal(current, { id: 999, headSha }, { type: 'NotFound' });
  });

  test('recognizes a merge whose response is lost, and does not repeat it', async () => {
    const { id, headSha } = await open(current);
    const { repository, clock } = current();
    current().inject('mergePullRequest', 'cut', 1);
    const merged = await clock.run(ensureMerged(repository, id, { base, headSha, method }));
    expect(merged.before).toBe(true);
    const again = await clock.run(ensureMerged(repository, id, { base, headSha, method }));
    expect(again).toEqual(merged);
    expect(await current().pullRequests()).toMatchObject([{ state: 'merged' }]);
  });

  test('adopts a merge by a user, with the name of the user', async () => {
    const { id, headSha } = await open(current);
    await current().merge(id);
    const { repository, clock } = current();
    const { mergeSha, before } = await clock.run(ensureMerged(repository, id, { base, headSha, method }));
    expect(before).toBe(true);
    expect(await clock.run(repository.getPullRequest(id))).toMatchObject({
      state: 'merged',
      mergedBy: current().user,
      mergeSha,
    });
  });

  test('does not treat a merge by a user at another commit as its own', async () => {
    const { id, headSha } = await open(current);
    await current().commit(head);
    await current().merge(id);
    await expectRefusal(current, { id, headSha }, { type: 'Conflict', reason: 'HeadMoved' });
  });
}
