import { afterEach, describe, expect, test } from '@jest/globals';
import { appClient, closeAll, commit, git, refusal, sandbox, type Sandbox } from '../testing/forge.js';

afterEach(closeAll);

async function withHead(): Promise<Sandbox & { sha: string }> {
  const base = await sandbox();
  return { ...base, sha: await git(base.clone, 'rev-parse', 'feature') };
}

const summary = { title: 'gate', summary: 'It waits' };

describe('commit statuses', () => {
  test('count only if they are the newest statuses of their context', async () => {
    const { bot, at, sha } = await withHead();
    const post = (context: string, state: 'pending' | 'success' | 'failure') =>
      bot.rest.repos.createCommitStatus({ ...at, sha, context, state, description: `${state}!` });
    const combined = async () =>
      (await bot.rest.repos.getCombinedStatusForRef({ ...at, ref: 'feature' })).data;
    expect(await combined()).toMatchObject({ state: 'pending', total_count: 0, statuses: [], sha });
    await post('gate', 'pending');
    await post('health', 'success');
    expect(await combined()).toMatchObject({ state: 'pending', total_count: 2 });
    await post('gate', 'success');
    expect((await combined()).state).toBe('success');
    await post('gate', 'failure');
    expect(await combined()).toMatchObject({
      state: 'failure',
      statuses: [
        { context: 'gate', state: 'failure', description: 'failure!' },
        { context: 'health', state: 'success' },
      ],
    });
    const { data } = await bot.rest.repos.listCommitStatusesForRef({ ...at, ref: sha });
    expect(data.map(({ context, state }) => `${context} ${state}`)).toEqual([
      'gate failure',
      'gate success',
      'health success',
      'gate pending',
    ]);
  });

  test.each(['javascript:alert(1)', '/builds/1', ''])('with the link %j are refused', async (link) => {
    const { bot, at, sha } = await withHead();
    const post = bot.rest.repos.createCommitStatus({ ...at, sha, state: 'success', target_url: link });
    expect(await refusal(post)).toMatchObject({
      status: 422,
      errors: [{ resource: 'Status', field: 'target_url', message: 'target_url must use http(s) scheme' }],
    });
    const create = bot.rest.checks.create({ ...at, name: 'gate', head_sha: sha, details_url: link });
    expect(await refusal(create)).toMatchObject({
      status: 422,
      errors: [{ field: 'details_url', message: 'details_url must use the http or https scheme' }],
    });
  });

  test('for a missing commit or with a long description are refused', async () => {
    const { bot, at, sha } = await withHead();
    const status = { ...at, state: 'success' as const };
    const missing = 'f'.repeat(40);
    expect(await refusal(bot.rest.repos.createCommitStatus({ ...status, sha: missing }))).toMatchObject({
      status: 422,
      message: `No commit found for SHA: ${missing}`,
    });
    const description = 'x'.repeat(141);
    expect(await refusal(bot.rest.repos.createCommitStatus({ ...status, sha, description }))).toMatchObject({
      status: 422,
    });
  });
});

describe('check runs', () => {
  test('are created, updated and completed', async () => {
    const { bot, at, sha, app } = await withHead();
    const { data: created } = await bot.rest.checks.create({ ...at, name: 'gate', head_sha: sha });
    expect(created).toMatchObject({
      status: 'queued',
      conclusion: null,
      app: { id: app.appId },
      head_sha: sha,
      details_url: created.app?.external_url,
    });
    const check_run_id = created.id;
    const { data: running } = await bot.rest.checks.update({
      ...at,
      check_run_id,
      status: 'in_progress',
      output: summary,
    });
    expect(running).toMatchObject({ status: 'in_progress', output: summary });
    const { data: done } = await bot.rest.checks.update({ ...at, check_run_id, conclusion: 'success' });
    expect(done).toMatchObject({ status: 'completed', conclusion: 'success', output: summary });
    expect(done.completed_at).not.toBeNull();
    expect((await bot.rest.checks.get({ ...at, check_run_id })).data).toEqual(done);
  });

  test('that are completed stay completed, although their text may change', async () => {
    const { bot, at, sha } = await withHead();
    const completed = { status: 'completed' as const, conclusion: 'failure' as const };
    const { data: run } = await bot.rest.checks.create({ ...at, name: 'gate', head_sha: sha, ...completed });
    const { data: after } = await bot.rest.checks.update({
      ...at,
      check_run_id: run.id,
      status: 'in_progress',
      output: summary,
    });
    expect(after).toMatchObject({ ...completed, output: summary });
  });

  test('are listed with only the newest run of each name, unless the filter is all', async () => {
    const { bot, at, sha } = await withHead();
    const create = async (name: string) =>
      (await bot.rest.checks.create({ ...at, name, head_sha: sha })).data.id;
    const [old, other, latest] = [await create('gate'), await create('other'), await create('gate')];
    const ids = async (query: object) => {
      const { data } = await bot.rest.checks.listForRef({ ...at, ref: 'feature', ...query });
      expect(data.total_count).toBe(data.check_runs.length);
      return data.check_runs.map(({ id }) => id);
    };
    expect(await ids({})).toEqual([latest, other]);
    expect(await ids({ filter: 'all' })).toEqual([latest, other, old]);
    expect(await ids({ check_name: 'other' })).toEqual([other]);
    expect(await ids({ app_id: 1 })).toEqual([]);
    const { data: suites } = await bot.rest.checks.listSuitesForRef({ ...at, ref: sha });
    expect(suites).toMatchObject({ total_count: 1, check_suites: [{ latest_check_runs_count: 3 }] });
  });

  test('can be written only by the App that owns them', async () => {
    const { bot, octokit, at, sha, forge } = await withHead();
    const create = octokit.rest.checks.create({ ...at, name: 'gate', head_sha: sha });
    expect(await refusal(create)).toMatchObject({
      status: 403,
      message: 'You must authenticate via a GitHub App.',
    });
    const { data: run } = await bot.rest.checks.create({ ...at, name: 'gate', head_sha: sha });
    const other = appClient(forge, await forge.createApp({ owner: 'acme', name: 'Other' }));
    const update = other.rest.checks.update({ ...at, check_run_id: run.id, conclusion: 'success' });
    expect((await refusal(update)).status).toBe(403);
  });

  test('cannot be completed without a conclusion', async () => {
    const { bot, at, sha } = await withHead();
    const create = bot.request('POST /repos/{owner}/{repo}/check-runs', {
      ...at,
      name: 'gate',
      head_sha: sha,
      status: 'completed',
    });
    expect(await refusal(create)).toMatchObject({
      status: 422,
      message: 'Validation Failed',
      errors: [{ resource: 'CheckRun', field: 'conclusion', code: 'missing_field' }],
    });
  });
});

describe('branch protection', () => {
  const required = ['gate', 'health'];

  async function protectedPull() {
    const base = await withHead();
    await base.octokit.rest.repos.updateBranchProtection({
      ...base.at,
      branch: 'main',
      required_status_checks: { strict: false, contexts: required },
      enforce_admins: true,
      required_pull_request_reviews: null,
      restrictions: null,
    });
    await base.bot.rest.pulls.create({ ...base.at, title: 'Feature', head: 'feature', base: 'main' });
    const merge = () => base.bot.rest.pulls.merge({ ...base.at, pull_number: 1 });
    const state = async () =>
      (await base.bot.rest.pulls.get({ ...base.at, pull_number: 1 })).data.mergeable_state;
    return { ...base, merge, state };
  }

  test('blocks a merge until statuses and check runs succeed', async () => {
    const { bot, at, sha, merge, state } = await protectedPull();
    expect(await state()).toBe('blocked');
    expect(await refusal(merge())).toMatchObject({
      status: 405,
      message: '2 of 2 required status checks are expected.',
    });
    await bot.rest.repos.createCommitStatus({ ...at, sha, context: 'gate', state: 'pending' });
    expect((await refusal(merge())).message).toBe(
      '2 of 2 required status checks have not succeeded: 1 pending, 1 expected.',
    );
    await bot.rest.repos.createCommitStatus({ ...at, sha, context: 'gate', state: 'success' });
    expect((await refusal(merge())).message).toBe('Required status check "health" is expected.');
    const run = { ...at, name: 'health', head_sha: sha };
    await bot.rest.checks.create({ ...run, conclusion: 'failure' });
    expect((await refusal(merge())).message).toBe('Required status check "health" is failing.');
    await bot.rest.checks.create({ ...run, conclusion: 'success' });
    expect(await state()).toBe('clean');
    expect((await merge()).data.merged).toBe(true);
  });

  test('can require that the head contains the base', async () => {
    const { forge, bot, at, clone, merge, state, sha } = await protectedPull();
    const protection = { owner: 'acme', name: 'web', branch: 'main', strict: true };
    await forge.protectBranch({ ...protection, requiredStatusChecks: [] });
    await git(clone, 'checkout', '--quiet', 'main');
    await commit(clone, { 'other.txt': 'x' });
    await git(clone, 'push', '--quiet', 'origin', 'main');
    expect(await state()).toBe('behind');
    expect((await refusal(merge())).status).toBe(405);
    await bot.rest.repos.merge({ ...at, base: 'feature', head: 'main' });
    expect(await state()).toBe('clean');
    expect((await merge()).data.merged).toBe(true);
    expect(await git(clone, 'ls-remote', 'origin', 'feature')).not.toContain(sha);
  });

  test('can be read and removed', async () => {
    const { octokit, at } = await protectedPull();
    const { data: branch } = await octokit.rest.repos.getBranch({ ...at, branch: 'main' });
    expect(branch).toMatchObject({
      protected: true,
      protection: { required_status_checks: { contexts: required } },
    });
    const { data } = await octokit.rest.repos.getBranchProtection({ ...at, branch: 'main' });
    expect(data.required_status_checks?.contexts).toEqual(required);
    await octokit.rest.repos.deleteBranchProtection({ ...at, branch: 'main' });
    expect(await refusal(octokit.rest.repos.getBranchProtection({ ...at, branch: 'main' }))).toMatchObject({
      status: 404,
      message: 'Branch not protected',
    });
  });

  test('can refuse pushes and still allow merges', async () => {
    const { forge, bot, at, clone, sha } = await withHead();
    await forge.protectBranch({ owner: 'acme', name: 'web', branch: 'main', blockPushes: true });
    await expect(git(clone, 'push', 'origin', 'feature:main', 'feature:aside')).rejects.toMatchObject({
      stderr: expect.stringContaining('GH006: Protected branch update failed for refs/heads/main'),
    });
    expect(await git(clone, 'ls-remote', 'origin', 'refs/heads/aside')).toContain(sha);
    const move = bot.rest.git.updateRef({ ...at, ref: 'heads/main', sha });
    expect((await refusal(move)).status).toBe(422);
    await bot.rest.pulls.create({ ...at, title: 'Feature', head: 'feature', base: 'main' });
    expect((await bot.rest.pulls.merge({ ...at, pull_number: 1 })).data.merged).toBe(true);
  });
});
