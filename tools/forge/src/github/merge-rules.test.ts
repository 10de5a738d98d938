import { afterEach, expect, test } from '@jest/globals';
import { closeAll, commit, git, refusal, sandbox, userClient } from '../testing/forge.js';

afterEach(closeAll);

const pull_number = 1;
const branch = { owner: 'acme', name: 'web', branch: 'main' };

async function withPull() {
  const base = await sandbox();
  await base.bot.rest.pulls.create({ ...base.at, title: 'Feature', head: 'feature', base: 'main' });
  return { ...base, head: await git(base.clone, 'rev-parse', 'feature') };
}

const readQuery = `query ($owner: String!, $name: String!, $number: Int!) {
  repository(owner: $owner, name: $name) {
    pullRequest(number: $number) { id isMergeQueueEnabled isInMergeQueue mergeQueueEntry { position } }
  }
}`;
const enqueue = `mutation ($input: EnqueuePullRequestInput!) {
  enqueuePullRequest(input: $input) { mergeQueueEntry { position } }
}`;

interface Seen {
  repository: { pullRequest: { id: string; isInMergeQueue: boolean; mergeQueueEntry: unknown } };
}

test('a protected branch requires approvals, and only the last review of each reviewer counts', async () => {
  const { bot, at, forge } = await withPull();
  await forge.protectBranch({ ...branch, requiredApprovals: 1 });
  const merge = () => bot.rest.pulls.merge({ ...at, pull_number });
  expect(await refusal(merge())).toMatchObject({
    status: 405,
    message: 'At least 1 approving review is required by reviewers with write access.',
  });
  const { login, token } = await forge.createUser({ login: 'grace' });
  await forge.grant({ owner: 'acme', name: 'web', login, role: 'write' });
  const grace = userClient(forge, token);
  const review = (event: 'APPROVE' | 'REQUEST_CHANGES') =>
    grace.rest.pulls.createReview({ ...at, pull_number, event, body: 'seen' });
  await review('APPROVE');
  await review('REQUEST_CHANGES');
  expect((await refusal(merge())).status).toBe(405);
  expect((await bot.rest.pulls.get({ ...at, pull_number })).data.mergeable_state).toBe('blocked');
  await review('APPROVE');
  expect((await merge()).data.merged).toBe(true);
});

test('a head without the latest commits of the base is out of date if the protection is strict', async () => {
  const { bot, at, forge, clone } = await withPull();
  await forge.protectBranch({ ...branch, requiredStatusChecks: [], strict: true });
  await git(clone, 'checkout', '--quiet', 'main');
  await commit(clone, { 'other.txt': 'x' });
  await git(clone, 'push', '--quiet', 'origin', 'main');
  expect((await bot.rest.pulls.get({ ...at, pull_number })).data.mergeable_state).toBe('behind');
  expect(await refusal(bot.rest.pulls.merge({ ...at, pull_number }))).toMatchObject({
    status: 405,
    message: expect.stringContaining('out of date'),
  });
});

test('a branch with a merge queue can be changed only by the queue', async () => {
  const { bot, at, forge, head } = await withPull();
  await forge.protectBranch({ ...branch, mergeQueue: true });
  expect(await refusal(bot.rest.pulls.merge({ ...at, pull_number }))).toMatchObject({
    status: 405,
    message: 'Changes must be made through the merge queue',
  });
  const variables = { owner: at.owner, name: at.repo, number: pull_number };
  const read = async () => (await bot.graphql<Seen>(readQuery, variables)).repository.pullRequest;
  const { id } = await read();
  const enter = (expectedHeadOid: string) =>
    bot.graphql(enqueue, { input: { pullRequestId: id, expectedHeadOid } });
  await expect(enter('0'.repeat(40))).rejects.toThrow('Head branch was modified');
  await enter(head);
  expect(await read()).toMatchObject({ isInMergeQueue: true, mergeQueueEntry: { position: 1 } });
  await expect(enter(head)).rejects.toThrow('Pull request is already in the queue');
  expect(await forge.advanceMergeQueue(branch)).toBe(pull_number);
  expect((await bot.rest.pulls.get({ ...at, pull_number })).data).toMatchObject({ merged: true });
  expect(await forge.advanceMergeQueue(branch)).toBeUndefined();
});

test('a push removes a pull request from the queue', async () => {
  const { bot, at, forge, clone, head } = await withPull();
  await forge.protectBranch({ ...branch, mergeQueue: true });
  const variables = { owner: at.owner, name: at.repo, number: pull_number };
  const { id } = (await bot.graphql<Seen>(readQuery, variables)).repository.pullRequest;
  await bot.graphql(enqueue, { input: { pullRequestId: id, expectedHeadOid: head } });
  await git(clone, 'checkout', '--quiet', 'feature');
  await commit(clone, { 'more.txt': 'x' });
  await git(clone, 'push', '--quiet', 'origin', 'feature');
  expect(await forge.advanceMergeQueue(branch)).toBeUndefined();
  expect((await bot.rest.pulls.get({ ...at, pull_number })).data.state).toBe('open');
});
