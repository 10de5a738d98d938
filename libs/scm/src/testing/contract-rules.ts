import { expect, test } from '@jest/globals';
import { ensureMerged } from '../ensure.js';
import type { Current, Lack } from './contract-fixture.js';
import { base, expectRefusal, head, method, open } from './open-pull-request.js';

/** Declares the cases for the rules of repositories about merges, which plugins have to report and to satisfy. */
export function ruleCases(current: Current, lacks: readonly Lack[]): void {
  const has = (part: Lack): boolean => !lacks.includes(part);
  if (has('upToDate')) upToDateCases(current);
  if (has('approvals')) approvalCases(current);
  if (has('headDeletion')) headDeletionCases(current);
  if (has('mergeQueue')) queueCases(current);
  else {
    test('does not implement leaveMergeQueue, because the SCM has no merge queues', () =>
      expect(current().repository.leaveMergeQueue).toBeUndefined());
  }
}

function upToDateCases(current: Current): void {
  test('reports a head that does not contain the base as Behind if the branch requires it', async () => {
    const { id, headSha } = await open(current);
    await current().commit(base);
    await current().requireUpToDate(base);
    await expectRefusal(current, { id, headSha }, { type: 'Conflict', reason: 'Behind' });
    expect(await current().pullRequests()).toMatchObject([{ state: 'open' }]);
  });
}

function approvalCases(current: Current): void {
  test('merges only once a required review is given', async () => {
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
  test('recognizes a merge with its head after the SCM deletes the head branch', async () => {
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

/** Opens a pull request, and adds it to the merge queue of its base. */
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
  test('enters a merge queue once, and recognizes its merge', async () => {
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

  test('does not enter a merge queue again if the caller expects the pull request to be in the queue', async () => {
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

  test('leaves a merge queue, and enters the queue only with the evaluated head', async () => {
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
