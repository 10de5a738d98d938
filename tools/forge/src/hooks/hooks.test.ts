import { afterEach, describe, expect, test } from '@jest/globals';
import { appItself, branch, closeAll, git, refusal, sandbox } from '../testing/forge.js';
import { receiver } from '../testing/receiver.js';

afterEach(closeAll);

const secret = 'hook-secret';

async function hooked(retryDelaysMs: number[] = []) {
  const base = await sandbox({ webhookRetryDelaysMs: retryDelaysMs });
  const target = await receiver(secret);
  const { data: hook } = await base.octokit.rest.repos.createWebhook({
    ...base.at,
    config: { url: target.url, secret, content_type: 'json' },
    events: ['push', 'pull_request', 'check_run', 'status'],
  });
  await base.forge.hooks.idle();
  return { ...base, target, hook, hook_id: hook.id };
}

test('a ping is sent to a new hook, without its secret', async () => {
  const { target, hook } = await hooked();
  expect(target.received).toMatchObject([{ event: 'ping', signed: true }]);
  expect(hook.config.secret).toBe('********');
});

test('a push is delivered for each branch and tag, signed, in order, and not for notes', async () => {
  const { forge, clone, target } = await hooked();
  const before = await git(clone, 'rev-parse', 'feature');
  const after = await branch(clone, 'feature', { 'feature.txt': 'two\n' });
  await git(clone, 'notes', 'add', '-m', 'note', 'main');
  await git(clone, 'push', '--quiet', 'origin', 'refs/notes/commits');
  await git(clone, 'tag', 'v1');
  await git(clone, 'push', '--quiet', 'origin', 'v1');
  await git(clone, 'push', '--quiet', 'origin', ':feature');
  await forge.hooks.idle();
  const [, ...pushes] = target.received;
  expect(pushes.every(({ event, signed }) => event === 'push' && signed)).toBe(true);
  expect(pushes.map(({ payload }) => [payload.ref, payload.before, payload.after])).toEqual([
    ['refs/heads/feature', before, after],
    ['refs/tags/v1', '0'.repeat(40), after],
    ['refs/heads/feature', after, '0'.repeat(40)],
  ]);
  expect(pushes[0]?.payload).toMatchObject({
    forced: true,
    created: false,
    deleted: false,
    repository: {
      full_name: 'acme/web',
      name: 'web',
      owner: { login: 'acme' },
      clone_url: expect.any(String),
    },
    pusher: { name: 'acme' },
    sender: { login: 'acme' },
    head_commit: { id: after },
  });
  expect(pushes[0]?.payload.installation).toBeUndefined();
});

test('a tag of a file is delivered', async () => {
  const { forge, clone, target } = await hooked();
  for (const revision of ['feature:feature.txt', 'main:README.md']) {
    await git(clone, 'tag', '--force', 'file', revision);
    await git(clone, 'push', '--quiet', '--force', 'origin', 'file');
  }
  await forge.hooks.idle();
  expect(target.received.slice(1)).toMatchObject([
    { payload: { ref: 'refs/tags/file', commits: [] } },
    { payload: { ref: 'refs/tags/file', after: await git(clone, 'rev-parse', 'main:README.md') } },
  ]);
});

test('each change of a pull request is delivered', async () => {
  const { forge, bot, at, clone, target } = await hooked();
  await bot.rest.pulls.create({ ...at, title: 'Feature', head: 'feature', base: 'main' });
  const pull_number = 1;
  await bot.rest.issues.addLabels({ ...at, issue_number: pull_number, labels: ['ready'] });
  const head = await branch(clone, 'feature', { 'feature.txt': 'two\n' });
  await bot.rest.pulls.update({ ...at, pull_number, title: 'Better' });
  await bot.rest.pulls.update({ ...at, pull_number, state: 'closed' });
  await bot.rest.pulls.update({ ...at, pull_number, state: 'open' });
  const { data } = await bot.rest.pulls.merge({ ...at, pull_number });
  await forge.hooks.idle();
  const delivered = target.received.filter(({ event }) => event === 'pull_request');
  expect(delivered.map(({ payload }) => payload.action)).toEqual([
    'opened',
    'labeled',
    'synchronize',
    'edited',
    'closed',
    'reopened',
    'closed',
  ]);
  expect(delivered[2]?.payload).toMatchObject({ after: head, pull_request: { head: { sha: head } } });
  expect(delivered.at(-1)?.payload).toMatchObject({
    pull_request: { merged: true, merge_commit_sha: data.sha },
    sender: { login: 'interlock[bot]' },
  });
  expect(target.received.at(-1)?.payload).toMatchObject({ ref: 'refs/heads/main', after: data.sha });
});

test('statuses and check runs are delivered', async () => {
  const { forge, bot, at, clone, target } = await hooked();
  const sha = await git(clone, 'rev-parse', 'feature');
  await bot.rest.repos.createCommitStatus({ ...at, sha, state: 'success', context: 'gate' });
  const { data } = await bot.rest.checks.create({ ...at, name: 'gate', head_sha: sha });
  await bot.rest.checks.update({ ...at, check_run_id: data.id, conclusion: 'success' });
  await forge.hooks.idle();
  expect(target.received.slice(1)).toMatchObject([
    { event: 'status', payload: { sha, context: 'gate', state: 'success', branches: [{ name: 'feature' }] } },
    { event: 'check_run', payload: { action: 'created', check_run: { status: 'queued', head_sha: sha } } },
    { event: 'check_run', payload: { action: 'completed', check_run: { conclusion: 'success' } } },
  ]);
});

test('an App receives the events to which it subscribes, with its installation', async () => {
  const { forge, clone } = await sandbox();
  const target = await receiver(secret);
  const app = await forge.createApp({
    owner: 'acme',
    name: 'Listener',
    webhook: { url: target.url, secret, events: ['push'] },
  });
  await forge.createRepository({ owner: 'rival', name: 'web' });
  await branch(clone, 'feature', { 'feature.txt': 'two\n' });
  await forge.hooks.idle();
  expect(target.received).toMatchObject([
    { event: 'push', signed: true, payload: { installation: { id: app.installationId } } },
  ]);
  const { data } = await appItself(forge, app).request('GET /app/hook/deliveries');
  expect(data).toMatchObject([{ event: 'push', status: 'OK', installation_id: app.installationId }]);
  const delivery_id = Number(data[0]?.id);
  await appItself(forge, app).rest.apps.redeliverWebhookDelivery({ delivery_id });
  await forge.hooks.idle();
  expect(target.received).toHaveLength(2);
});

describe('a receiver that fails', () => {
  test('is called again, and later deliveries wait', async () => {
    const { forge, clone, target } = await hooked([1, 1]);
    target.answers.push(500, 503);
    await branch(clone, 'one', { 'x.txt': '1' });
    await branch(clone, 'two', { 'x.txt': '2' });
    await forge.hooks.idle();
    expect(target.received.slice(1).map(({ payload }) => payload.ref)).toEqual([
      'refs/heads/one',
      'refs/heads/one',
      'refs/heads/one',
      'refs/heads/two',
    ]);
  });

  test('leaves a record, from which the delivery can be repeated', async () => {
    const { forge, octokit, at, clone, target, hook_id } = await hooked();
    target.answers.push(500);
    await branch(clone, 'one', { 'x.txt': '1' });
    await forge.hooks.idle();
    const { data: list } = await octokit.rest.repos.listWebhookDeliveries({ ...at, hook_id });
    expect(list).toMatchObject([
      { event: 'push', status: 'HTTP 500', status_code: 500, redelivery: false },
      { event: 'ping', status: 'OK', status_code: 200 },
    ]);
    const delivery_id = Number(list[0]?.id);
    await octokit.rest.repos.redeliverWebhookDelivery({ ...at, hook_id, delivery_id });
    await forge.hooks.idle();
    const guids = target.received.slice(1).map(({ headers }) => headers['x-github-delivery']);
    expect(guids).toEqual([list[0]?.guid, list[0]?.guid]);
    const { data } = await octokit.rest.repos.listWebhookDeliveries({ ...at, hook_id });
    expect(data[0]).toMatchObject({ status: 'OK', redelivery: true });
  });
});

test('webhooks to other machines are refused', async () => {
  const { octokit, at, hook_id } = await hooked();
  for (const url of ['http://example.com/', 'http://127.0.0.1.example.com/', 'file:///etc/passwd', 'x']) {
    const config = { url, content_type: 'json' };
    expect((await refusal(octokit.rest.repos.createWebhook({ ...at, config }))).status).toBe(422);
    expect((await refusal(octokit.rest.repos.updateWebhook({ ...at, hook_id, config }))).status).toBe(422);
  }
});

test('hooks are listed, changed and deleted', async () => {
  const { forge, octokit, at, clone, hook_id, target } = await hooked();
  const { data: changed } = await octokit.rest.repos.updateWebhook({ ...at, hook_id, active: false });
  expect(changed).toMatchObject({ id: hook_id, active: false, config: { url: target.url } });
  await branch(clone, 'one', { 'x.txt': '1' });
  await forge.hooks.idle();
  expect(target.received).toHaveLength(1);
  expect((await octokit.rest.repos.listWebhooks(at)).data.map(({ id }) => id)).toEqual([hook_id]);
  await octokit.rest.repos.deleteWebhook({ ...at, hook_id });
  expect((await octokit.rest.repos.listWebhooks(at)).data).toEqual([]);
});
