import { expect, test } from '@jest/globals';
import { ensureMerged } from '../ensure.js';
import type { Current, Lack } from './contract-fixture.js';
import { base, expectRefusal, head, method, open } from './open-pull-request.js';

/** What owners of repositories ask of merges, and plugins have to report and to get through. */
export function ruleCases(current: Current, lacks: readonly Lack[]): void {
  const has = (part: Lack): boolean => !lacks.includes(part);
  if (has('upToDate')) upToDateCases(current);
  if (has('approvals')) approvalCases(current);
  if (has('headDeletion')) headDeletionCases(current);
  if (has('mergeQueue')) queueCases(current);
  else {
    test('an SCM without merge queues has nothing that a pull request could leave', () =>
      expect(current().repository.leaveMergeQueue).toBeUndefined());
  }
}

function upToDateCases(current: Current): void {
  test('a head that does not contain the base is Behind where the branch asks for it', async () => {
    const { id, headSha } = await open(current);
    await current().commit(base);
    await current().requireUpToDate(base);
    await expectRefusal(current, { id, headSha }, { type: 'Conflict', reason: 'Behind' });
    expect(await current().pullRequests()).toMatchObject([{ state: 'open' }]);
  });
}

function approvalCases(current: Current): void {
  test('a review that is missing blocks; once given, it merges', async () => {
    const { id, headSha } = await open(current);
    await current().requireApproval(base);
    const { repository, clock } = current();
    const merge = { base, headSha, method } as const;
    expect(await clock.run(repository.getPullRequest(id))).toMatchObject({ state: 'open' });
    await expectRefusal(current, { id, headSha }, { type: 'Conflict', reason: 'Blocked' });
    await current().approve(id);
    expect(await clock.run(ensureMerged(repository, id, merge))).toMatchObject({ before: false });
  });
}

function headDeletionCases(current: Current): void {
  test('a merge after which the SCM deletes the head branch is recognised with its head', async () => {
    const { id, headSha } = await open(current);
    await current().deleteMergedHeads();
    const { repository, clock } = current();
    const merge = { base, headSha, method } as const;
    const { mergeSha } = await clock.run(ensureMerged(repository, id, merge));
    expect(await clock.run(repository.getPullRequest(id))).toMatchObject({
      state: 'merged',
      head,
      headSha,
      mergeSha,
    });
    expect(await clock.run(ensureMerged(repository, id, merge))).toEqual({ mergeSha, before: true });
  });
}

/** Opens a pull request, and enters it into the merge queue of its base. */
async function enqueue(current: Current) {
  const { id, headSha } = await open(current);
  await current().requireQueue(base);
  const { repository, clock } = current();
  const merge = { base, headSha, method } as const;
  const queued = { queued: expect.stringContaining(base), before: false };
  expect(await clock.run(ensureMerged(repository, id, merge))).toEqual(queued);
  return { id, merge, queued };
}

function queueCases(current: Current): void {
  test('a merge queue is entered once, and what it merges is recognised', async () => {
    const { id, merge, queued } = await enqueue(current);
    const { repository, clock } = current();
    expect(await clock.run(ensureMerged(repository, id, merge))).toEqual(queued);
    expect(await current().pullRequests()).toMatchObject([{ state: 'open' }]);
    expect(await current().advanceQueue(base)).toBe(id);
    expect(await current().advanceQueue(base)).toBeUndefined();
    const { mergeSha, before } = await clock.run(ensureMerged(repository, id, merge));
    expect(before).toBe(true);
    expect(await clock.run(repository.getPullRequest(id))).toMatchObject({
      state: 'merged',
      headSha: merge.headSha,
      mergeSha,
    });
  });

  test('a merge queue that removed a pull request is not entered again by a call that expects it there', async () => {
    const { id, merge, queued } = await enqueue(current);
    const { repository, clock } = current();
    expect(await clock.run(ensureMerged(repository, id, { ...merge, queued: true }))).toEqual(queued);
    await current().dropFromQueue(id);
    const again = clock.run(ensureMerged(repository, id, { ...merge, queued: true }));
    await expect(again).rejects.toMatchObject({ type: 'Conflict', reason: 'Dequeued' });
    expect(await current().advanceQueue(base)).toBeUndefined();
    expect(await clock.run(ensureMerged(repository, id, merge))).toEqual(queued);
    expect(await current().advanceQueue(base)).toBe(id);
  });

  test('a merge queue can be left, and is entered with the head that was judged only', async () => {
    const { id, headSha } = await open(current);
    await current().requireQueue(base);
    const { repository, clock } = current();
    const leave = () => clock.run(repository.leaveMergeQueue?.(id) ?? Promise.resolve(undefined));
    expect(await leave()).toBe(false);
    await clock.run(ensureMerged(repository, id, { base, headSha, method }));
    expect(await leave()).toBe(true);
    expect(await current().advanceQueue(base)).toBeUndefined();
    await current().commit(head);
    const moved = clock.run(repository.mergePullRequest(id, { base, headSha, method }));
    await expect(moved).rejects.toMatchObject({ type: 'Conflict' });
    expect(await current().advanceQueue(base)).toBeUndefined();
  });
}
