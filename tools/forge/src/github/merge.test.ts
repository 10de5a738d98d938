import { afterEach, describe, expect, test } from '@jest/globals';
import { branch, closeAll, commit, git, refusal, sandbox, type Sandbox } from '../testing/forge.js';

afterEach(closeAll);

const pull_number = 1;

async function withPull(): Promise<Sandbox & { head: string; main: string }> {
  const base = await sandbox();
  await base.bot.rest.pulls.create({ ...base.at, title: 'Feature', head: 'feature', base: 'main' });
  const [head, main] = await Promise.all(['feature', 'main'].map((ref) => git(base.clone, 'rev-parse', ref)));
  return { ...base, head: head!, main: main! };
}

/** Returns the parents, subject, body, author and committer of the tip of main. */
async function tip(clone: string): Promise<string[]> {
  await git(clone, 'fetch', '--quiet');
  return (await git(clone, 'log', '-1', '--format=%P%x00%s%x00%b%x00%an%x00%cn', 'origin/main')).split('\0');
}

test('a merge commit has both parents and the message of GitHub', async () => {
  const { bot, at, clone, head, main } = await withPull();
  const { data } = await bot.rest.pulls.merge({ ...at, pull_number, sha: head });
  expect(data).toMatchObject({ merged: true, message: 'Pull Request successfully merged' });
  const [parents, subject, body, author, committer] = await tip(clone);
  expect(parents).toBe(`${main} ${head}`);
  expect(subject).toBe('Merge pull request #1 from acme/feature');
  expect(body?.trim()).toBe('Feature');
  expect([author, committer]).toEqual(['interlock[bot]', 'GitHub']);
  expect(await git(clone, 'rev-parse', 'origin/main')).toBe(data.sha);
  const { data: pull } = await bot.rest.pulls.get({ ...at, pull_number });
  expect(pull).toMatchObject({
    state: 'closed',
    merged: true,
    merged_by: { login: 'interlock[bot]' },
    merge_commit_sha: data.sha,
    commits: 1,
    base: { sha: main },
  });
  expect((await bot.rest.pulls.checkIfMerged({ ...at, pull_number })).status).toBe(204);
});

test('a message in the request is used', async () => {
  const { bot, at, clone } = await withPull();
  const commit_message = 'Sha-dry: 1\n\nTrailer: yes';
  await bot.rest.pulls.merge({ ...at, pull_number, commit_title: 'Promote', commit_message });
  const [, subject, body] = await tip(clone);
  expect([subject, body?.trim()]).toEqual(['Promote', commit_message]);
});

test('squashing creates one commit of the author', async () => {
  const { bot, at, clone, main } = await withPull();
  await git(clone, 'checkout', '--quiet', 'feature');
  await commit(clone, { 'more.txt': 'x' }, 'second');
  await git(clone, 'push', '--quiet', 'origin', 'feature');
  await bot.rest.pulls.merge({ ...at, pull_number, merge_method: 'squash' });
  const [parents, subject, body] = await tip(clone);
  expect([parents, subject]).toEqual([main, 'Feature (#1)']);
  expect(body?.trim()).toBe('* change of feature\n\n* second');
});

test('rebasing keeps the authors and creates a linear history', async () => {
  const { bot, at, clone } = await withPull();
  await git(clone, 'checkout', '--quiet', 'feature');
  await commit(clone, { 'feature.txt': 'again\n' }, 'second');
  await git(clone, 'push', '--quiet', 'origin', 'feature');
  await git(clone, 'checkout', '--quiet', 'main');
  const other = await commit(clone, { 'other.txt': 'x' });
  await git(clone, 'push', '--quiet', 'origin', 'main');
  await bot.rest.pulls.merge({ ...at, pull_number, merge_method: 'rebase' });
  await git(clone, 'fetch', '--quiet');
  expect(await git(clone, 'log', '-2', '--format=%an|%cn|%s', 'origin/main')).toBe(
    'Ada|interlock[bot]|second\nAda|interlock[bot]|change of feature',
  );
  expect(await git(clone, 'rev-parse', 'origin/main~2')).toBe(other);
  expect(await git(clone, 'show', 'origin/main:feature.txt')).toBe('again');
  expect(await git(clone, 'show', 'origin/main:other.txt')).toBe('x');
});

describe('a merge is refused', () => {
  test('if the head differs from the requested head', async () => {
    const { bot, at, clone, head } = await withPull();
    const now = await branch(clone, 'feature', { 'feature.txt': 'other\n' });
    expect(await refusal(bot.rest.pulls.merge({ ...at, pull_number, sha: head }))).toMatchObject({
      status: 409,
      message: 'Head branch was modified. Review and try the merge again.',
    });
    const { data } = await bot.rest.pulls.get({ ...at, pull_number });
    expect(data).toMatchObject({ merged: false, head: { sha: now } });
    expect((await bot.rest.pulls.merge({ ...at, pull_number, sha: now })).data.merged).toBe(true);
  });

  test.each(['merge', 'squash', 'rebase'] as const)(
    'when the branches conflict (%s)',
    async (merge_method) => {
      const { bot, at, clone } = await withPull();
      await branch(clone, 'clash', { 'feature.txt': 'another\n' });
      await git(clone, 'push', '--quiet', 'origin', 'clash:main');
      const { data } = await bot.rest.pulls.get({ ...at, pull_number });
      expect(data).toMatchObject({ mergeable: false, mergeable_state: 'dirty', merge_commit_sha: null });
      expect(await refusal(bot.rest.pulls.merge({ ...at, pull_number, merge_method }))).toMatchObject({
        status: 405,
        message: 'Pull Request is not mergeable',
      });
      expect(await git(clone, 'ls-remote', 'origin', 'main')).toContain(
        await git(clone, 'rev-parse', 'clash'),
      );
    },
  );

  test('when the pull request is closed, merged or a draft', async () => {
    const { bot, at, clone } = await withPull();
    await branch(clone, 'draft', { 'draft.txt': 'x' });
    await bot.rest.pulls.create({ ...at, title: 'Draft', head: 'draft', base: 'main', draft: true });
    expect(await refusal(bot.rest.pulls.merge({ ...at, pull_number: 2 }))).toMatchObject({
      status: 405,
      message: 'Pull Request is still a draft',
    });
    await bot.rest.pulls.update({ ...at, pull_number, state: 'closed' });
    expect(await refusal(bot.rest.pulls.merge({ ...at, pull_number }))).toMatchObject({ status: 405 });
    await bot.rest.pulls.update({ ...at, pull_number, state: 'open' });
    await bot.rest.pulls.merge({ ...at, pull_number });
    expect(await refusal(bot.rest.pulls.merge({ ...at, pull_number }))).toMatchObject({ status: 405 });
  });

  test('when the repository does not allow the method', async () => {
    const { octokit, at } = await withPull();
    await octokit.rest.repos.update({ ...at, allow_squash_merge: false });
    expect(
      await refusal(octokit.rest.pulls.merge({ ...at, pull_number, merge_method: 'squash' })),
    ).toMatchObject({ status: 405, message: 'Squash merges are not allowed on this repository.' });
  });
});

describe('at the same time', () => {
  test('one of two merges of a pull request succeeds, and the other is refused', async () => {
    const { bot, octokit, at, clone, head, main } = await withPull();
    const results = await Promise.allSettled([
      bot.rest.pulls.merge({ ...at, pull_number, sha: head }),
      octokit.rest.pulls.merge({ ...at, pull_number, sha: head }),
    ]);
    expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    const [lost] = results.filter((result) => result.status === 'rejected');
    expect(lost).toMatchObject({ reason: { status: 405 } });
    await git(clone, 'fetch', '--quiet');
    expect(await git(clone, 'rev-list', '--first-parent', '--count', `${main}..origin/main`)).toBe('1');
  });

  test('merges of ten pull requests into one branch all succeed', async () => {
    const { bot, at, clone, main } = await withPull();
    const names = Array.from({ length: 10 }, (_, index) => `many-${index}`);
    for (const name of names) {
      await branch(clone, name, { [`${name}.txt`]: 'x' });
      await bot.rest.pulls.create({ ...at, title: name, head: name, base: 'main' });
    }
    await Promise.all(names.map((_, index) => bot.rest.pulls.merge({ ...at, pull_number: index + 2 })));
    await git(clone, 'fetch', '--quiet');
    expect(await git(clone, 'rev-list', '--first-parent', '--count', `${main}..origin/main`)).toBe('10');
    const files = (await git(clone, 'ls-tree', '--name-only', 'origin/main')).split('\n');
    expect(files).toEqual(expect.arrayContaining(names.map((name) => `${name}.txt`)));
  });
});

test('a merged branch is deleted if the repository is configured so', async () => {
  const { bot, octokit, at, clone } = await withPull();
  await octokit.rest.repos.update({ ...at, delete_branch_on_merge: true });
  await bot.rest.pulls.merge({ ...at, pull_number });
  expect(await git(clone, 'ls-remote', 'origin', 'refs/heads/feature')).toBe('');
  expect((await bot.rest.pulls.get({ ...at, pull_number })).data.merged).toBe(true);
});

describe('merging a branch', () => {
  test('creates a merge commit, or none if the base contains the head', async () => {
    const { bot, at, clone, head, main } = await withPull();
    const wanted = { ...at, base: 'main', head: 'feature', commit_message: 'Bring it' };
    const { data, status } = await bot.rest.repos.merge(wanted);
    expect(status).toBe(201);
    expect(data.parents?.map(({ sha }) => sha)).toEqual([main, head]);
    expect((await tip(clone))[1]).toBe('Bring it');
    const again: { status: number } = await bot.rest.repos.merge(wanted);
    expect(again.status).toBe(204);
  });

  test('is refused for a conflict and for missing branches', async () => {
    const { bot, at, clone } = await withPull();
    await branch(clone, 'clash', { 'feature.txt': 'another\n' });
    await git(clone, 'push', '--quiet', 'origin', 'clash:main');
    expect(await refusal(bot.rest.repos.merge({ ...at, base: 'main', head: 'feature' }))).toMatchObject({
      status: 409,
      message: 'Merge conflict',
    });
    expect(await refusal(bot.rest.repos.merge({ ...at, base: 'none', head: 'feature' }))).toMatchObject({
      status: 404,
      message: 'Base does not exist',
    });
  });
});
