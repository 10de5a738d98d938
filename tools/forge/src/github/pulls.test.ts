import { afterEach, describe, expect, test } from '@jest/globals';
import { branch, closeAll, git, refusal, sandbox } from '../testing/forge.js';

afterEach(closeAll);

describe('a pull request', () => {
  test('is created, read, merged, and the branch has a merge commit', async () => {
    const { bot, at, clone } = await sandbox();
    const head = await git(clone, 'rev-parse', 'feature');
    const base = await git(clone, 'rev-parse', 'main');
    const { data: created } = await bot.rest.pulls.create({
      ...at,
      title: 'Feature',
      head: 'feature',
      base: 'main',
      body: 'Why',
    });
    expect(created).toMatchObject({
      number: 1,
      state: 'open',
      title: 'Feature',
      body: 'Why',
      head: { ref: 'feature', sha: head, label: 'acme:feature' },
      base: { ref: 'main', sha: base },
      user: { login: 'interlock[bot]', type: 'Bot' },
      mergeable: true,
      mergeable_state: 'clean',
      commits: 1,
      changed_files: 1,
      additions: 1,
    });
    const { data: merged } = await bot.rest.pulls.merge({ ...at, pull_number: 1, sha: head });
    expect(merged.merged).toBe(true);
    await git(clone, 'fetch', '--quiet');
    expect(await git(clone, 'rev-parse', 'origin/main')).toBe(merged.sha);
    expect(await git(clone, 'log', '-1', '--format=%P|%s|%b|%an|%cn', 'origin/main')).toBe(
      `${base} ${head}|Merge pull request #1 from acme/feature|Feature\n|interlock[bot]|GitHub`,
    );
    const { data: after } = await bot.rest.pulls.get({ ...at, pull_number: 1 });
    expect(after).toMatchObject({
      state: 'closed',
      merged: true,
      merged_by: { login: 'interlock[bot]' },
      merge_commit_sha: merged.sha,
    });
    expect(await refusal(bot.rest.pulls.merge({ ...at, pull_number: 1 }))).toMatchObject({
      status: 405,
      message: 'Pull Request is not mergeable',
    });
  });

  test('is not merged when its head is not the one that is named', async () => {
    const { bot, at, clone } = await sandbox();
    const old = await git(clone, 'rev-parse', 'feature');
    await bot.rest.pulls.create({ ...at, title: 'Feature', head: 'feature', base: 'main' });
    const now = await branch(clone, 'feature', { 'feature.txt': 'other\n' });
    expect(await refusal(bot.rest.pulls.merge({ ...at, pull_number: 1, sha: old }))).toMatchObject({
      status: 409,
      message: 'Head branch was modified. Review and try the merge again.',
    });
    const { data } = await bot.rest.pulls.get({ ...at, pull_number: 1 });
    expect(data).toMatchObject({ merged: false, head: { sha: now } });
  });
});
