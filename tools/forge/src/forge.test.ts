import { access } from 'node:fs/promises';
import { afterEach, describe, expect, test } from '@jest/globals';
import { request } from 'undici';
import { startForge } from './index.js';
import {
  branch,
  closeAll,
  git,
  onClose,
  openForge,
  refusal,
  sandbox,
  temporaryFolder,
  userClient,
} from './testing/forge.js';

afterEach(closeAll);

const mergeRoute = '/repos/{owner}/{repo}/pulls/{pull_number}/merge';
const pull_number = 1;

async function withPull() {
  const base = await sandbox();
  await base.bot.rest.pulls.create({ ...base.at, title: 'Feature', head: 'feature', base: 'main' });
  return base;
}

describe('faults', () => {
  test('can replace a response without executing the request', async () => {
    const { forge, bot, at } = await withPull();
    const fault = forge.faults.add({
      match: { route: mergeRoute },
      status: 502,
      body: { message: 'Server Error' },
    });
    expect(await refusal(bot.rest.pulls.merge({ ...at, pull_number }))).toMatchObject({
      status: 502,
      message: 'Server Error',
    });
    expect(fault.hits).toBe(1);
    expect((await bot.rest.pulls.merge({ ...at, pull_number })).data.merged).toBe(true);
  });

  test('can drop a connection before or after the execution', async () => {
    const { forge, bot, at } = await withPull();
    const merged = async () => (await bot.rest.pulls.get({ ...at, pull_number })).data.merged;
    forge.faults.add({ match: { route: mergeRoute }, cutBeforeResponse: true });
    await expect(bot.rest.pulls.merge({ ...at, pull_number })).rejects.toMatchObject({ status: 500 });
    expect(await merged()).toBe(false);
    const { seq } = forge.journal;
    forge.faults.add({ match: { route: mergeRoute }, cutAfterEffect: true });
    await expect(bot.rest.pulls.merge({ ...at, pull_number })).rejects.toMatchObject({ status: 500 });
    expect(await merged()).toBe(true);
    expect(forge.journal.entries({ since: seq, kind: 'write' })).toMatchObject([
      { route: mergeRoute, status: 0, fault: 2 },
    ]);
  });

  test('can call a function before or after the execution, and do not delay the end of the forge', async () => {
    const { forge, bot, at } = await withPull();
    const seen: boolean[] = [];
    const look = async (): Promise<void> => {
      seen.push((await bot.rest.pulls.get({ ...at, pull_number })).data.merged);
    };
    forge.faults.add({ match: { route: mergeRoute }, cutBeforeResponse: true, onHit: look });
    forge.faults.add({ match: { route: mergeRoute }, cutAfterEffect: true, onHit: look });
    for (let index = 0; index < 2; index++) {
      await expect(bot.rest.pulls.merge({ ...at, pull_number })).rejects.toMatchObject({ status: 500 });
    }
    expect(seen).toEqual([false, true]);
    const held = new Promise<void>((resolve) => {
      const onHit = (): Promise<never> => (resolve(), new Promise(() => undefined));
      forge.faults.add({ match: { kind: 'read' }, onHit });
    });
    const answer = bot.rest.repos.get(at).catch(() => 'closed');
    await held;
    await forge.close();
    expect(await answer).toBe('closed');
  });

  test('can execute a push whose response is lost', async () => {
    const { forge, clone, repository } = await sandbox();
    forge.faults.add({ match: { api: 'git', kind: 'write' }, cutAfterEffect: true });
    await expect(git(clone, 'push', 'origin', 'main:late')).rejects.toThrow();
    expect(await git(repository.path, 'rev-parse', 'late')).toBe(await git(clone, 'rev-parse', 'main'));
  });

  test('can cut a fetch', async () => {
    const { forge, clone } = await sandbox();
    forge.faults.add({ match: { api: 'git', path: '/acme/web.git/info/*' }, cutBeforeResponse: true });
    await expect(git(clone, 'ls-remote', 'origin')).rejects.toThrow();
    expect(await git(clone, 'ls-remote', 'origin')).not.toBe('');
  });

  test('can begin after some requests, last for some, and add a delay', async () => {
    const { forge, bot, at } = await sandbox();
    forge.faults.add({ match: { kind: 'read', actor: 'interlock[bot]' }, skip: 1, times: 2, status: 500 });
    forge.faults.add({ match: { kind: 'read' }, latencyMs: 1 });
    const statuses: number[] = [];
    for (let index = 0; index < 4; index++) {
      const status = await bot.rest.repos.get(at).then(
        (answer): number => answer.status,
        (error: { status: number }) => error.status,
      );
      statuses.push(status);
    }
    expect(statuses).toEqual([200, 500, 500, 200]);
  });

  test('can simulate the rate limits of a provider', async () => {
    const { forge, bot, octokit, at } = await sandbox();
    await bot.rest.repos.get(at);
    forge.faults.add({ match: { api: 'rest' }, rateLimit: 'secondary', retryAfterSeconds: 7 });
    await expect(bot.rest.repos.get(at)).rejects.toMatchObject({
      status: 403,
      response: { headers: { 'retry-after': '7' } },
      message: expect.stringContaining('secondary rate limit'),
    });
    forge.faults.add({ match: { api: 'rest' }, rateLimit: 'primary' });
    for (let index = 0; index < 2; index++) {
      await expect(bot.rest.repos.get(at)).rejects.toMatchObject({
        status: 403,
        response: { headers: { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': expect.any(String) } },
        message: expect.stringContaining('API rate limit exceeded for installation ID'),
      });
    }
    expect((await octokit.rest.repos.get(at)).status).toBe(200);
  });

  test('can also be injected over HTTP', async () => {
    const { forge, bot, at } = await sandbox();
    const post = (body: unknown, type = 'application/json') =>
      request(`${forge.url}/_forge/faults`, {
        method: 'POST',
        headers: { 'content-type': type },
        body: JSON.stringify(body),
      }).then(async ({ statusCode, body: answer }) => [statusCode, await answer.json()]);
    expect(await post({ match: { method: 'GET' }, status: 503 })).toEqual([201, { id: 1 }]);
    expect(await post({ status: 503, cutAfterEffect: true })).toMatchObject([400, {}]);
    expect(await post({ wrong: 1 })).toMatchObject([400, {}]);
    expect(await post({ status: 503 }, 'text/plain')).toMatchObject([415, {}]);
    expect((await refusal(bot.rest.repos.get(at))).status).toBe(503);
  });
});

describe('the journal', () => {
  test('records each request with its user, without secrets', async () => {
    const { forge, octokit, at } = await sandbox();
    const since = forge.journal.seq;
    await octokit.rest.repos.createWebhook({
      ...at,
      config: { url: 'http://127.0.0.1:9/', secret: 'canary' },
    });
    await octokit.rest.repos.get(at);
    expect(forge.journal.count({ since })).toBe(2);
    const [hook] = forge.journal.entries({ since, kind: 'write' });
    expect(hook).toMatchObject({
      seq: since + 1,
      api: 'rest',
      method: 'POST',
      path: '/api/v3/repos/acme/web/hooks',
      route: '/repos/{owner}/{repo}/hooks',
      actor: 'acme',
      status: 201,
      digest: expect.stringMatching(/^[0-9a-f]{64}$/),
      summary: expect.stringContaining('http://127.0.0.1:9/'),
    });
    expect(JSON.stringify(forge.journal.entries({}))).not.toContain('canary');
  });

  test('can be read over HTTP', async () => {
    const { forge, octokit, at } = await sandbox();
    const since = forge.journal.seq;
    await octokit.rest.repos.get(at);
    const read = async (query: string) => {
      const { body } = await request(`${forge.url}/_forge/journal?${query}`);
      return (await body.json()) as { seq: number; entries: { route: string }[] };
    };
    const answer = await read(`since=${since}&kind=read`);
    expect(answer.entries).toMatchObject([{ route: '/repos/{owner}/{repo}', status: 200 }]);
    expect((await read('kind=write&since=9999')).entries).toEqual([]);
  });
});

describe('the rate limit', () => {
  test('does not count conditional requests while nothing has changed', async () => {
    const { forge, octokit, at, clone } = await sandbox();
    const first = await octokit.rest.repos.getBranch({ ...at, branch: 'feature' });
    const again = () =>
      octokit.rest.repos.getBranch({
        ...at,
        branch: 'feature',
        headers: { 'if-none-match': first.headers.etag ?? '' },
      });
    const used = async () => (await octokit.rest.rateLimit.get()).data.rate.used;
    const before = await used();
    await expect(again()).rejects.toMatchObject({ status: 304 });
    expect(await used()).toBe(before);
    await branch(clone, 'feature', { 'feature.txt': 'two\n' });
    expect((await again()).status).toBe(200);
    expect(await used()).toBe(before + 1);
    expect(
      forge.journal.entries({ route: '/repos/{owner}/{repo}/branches/{branch}' }).map((e) => e.status),
    ).toEqual([200, 304, 200]);
  });
});

test('counts the primary limit, and resets it after an hour', async () => {
  let now = Date.parse('2026-05-04T10:00:00Z');
  const forge = await openForge({ rateLimit: 2, clock: { now: () => now } });
  const { token } = await forge.createUser({ login: 'acme' });
  const client = userClient(forge, token);
  const { headers } = await client.rest.users.getAuthenticated();
  expect(headers).toMatchObject({
    'x-ratelimit-limit': '2',
    'x-ratelimit-remaining': '1',
    'x-ratelimit-reset': String(now / 1000 + 3600),
    date: 'Mon, 04 May 2026 10:00:00 GMT',
  });
  await client.rest.users.getAuthenticated();
  expect(await refusal(client.rest.users.getAuthenticated())).toMatchObject({
    status: 403,
    message: expect.stringContaining('API rate limit exceeded for user ID'),
  });
  now += 3_600_000;
  expect((await client.rest.users.getAuthenticated()).status).toBe(200);
});

describe('the state of the forge', () => {
  test('survives a restart with a data folder', async () => {
    const dataDir = await temporaryFolder();
    const { forge, bot, at, user, octokit, clone, app } = await sandbox({ dataDir });
    const { data: pull } = await bot.rest.pulls.create({
      ...at,
      title: 'Feature',
      head: 'feature',
      base: 'main',
    });
    const sha = pull.head.sha;
    await bot.rest.repos.createCommitStatus({ ...at, sha, state: 'success', context: 'gate' });
    const { data: run } = await bot.rest.checks.create({ ...at, name: 'gate', head_sha: sha });
    await octokit.rest.repos.createWebhook({ ...at, config: { url: 'http://127.0.0.1:9/' }, active: false });
    await forge.close();
    const next = await openForge({ dataDir });
    const client = userClient(next, user.token);
    expect((await client.rest.pulls.list(at)).data).toMatchObject([
      { number: 1, title: 'Feature', head: { sha } },
    ]);
    expect((await client.rest.repos.getCombinedStatusForRef({ ...at, ref: sha })).data.state).toBe('success');
    const { data: kept } = await client.rest.checks.get({ ...at, check_run_id: Number(run.id) });
    expect(kept.app?.id).toBe(app.appId);
    expect((await client.rest.repos.listWebhooks(at)).data).toHaveLength(1);
    await git(
      clone,
      'remote',
      'set-url',
      'origin',
      `${next.url.replace('//', `//x:${user.token}@`)}/acme/web.git`,
    );
    await branch(clone, 'more', { 'more.txt': 'x' });
    const { data: second } = await client.rest.pulls.create({
      ...at,
      title: 'More',
      head: 'more',
      base: 'main',
    });
    expect(second.number).toBe(2);
  });

  test('is deleted without a data folder', async () => {
    const { forge, repository } = await sandbox();
    await access(repository.path);
    await forge.close();
    await expect(access(repository.path)).rejects.toMatchObject({ code: 'ENOENT' });
  });
});

test('startForge fails when the port is in use', async () => {
  const forge = await openForge();
  const port = Number(new URL(forge.url).port);
  const second = startForge({ port });
  onClose(() => second.then((started) => started.close()).catch(() => undefined));
  await expect(second).rejects.toMatchObject({ code: 'EADDRINUSE' });
});
