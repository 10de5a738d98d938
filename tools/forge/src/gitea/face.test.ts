import { afterEach, describe, expect, test } from '@jest/globals';
import { request, type Dispatcher } from 'undici';
import type { Forge } from '../index.js';
import { closeAll, openForge, templateRepository } from '../testing/forge.js';

afterEach(closeAll);

interface Sandbox {
  forge: Forge;
  tokens: { owner: string; write: string; read: string; stranger: string };
  /** Asks as `dev`, who may write, unless another token is given. @param path below the repository, or below the API with a leading `//`. */
  ask(
    method: Dispatcher.HttpMethod,
    path: string,
    body?: object,
    token?: string,
  ): Promise<{ status: number; headers: Record<string, unknown>; body: unknown }>;
}

async function sandbox(): Promise<Sandbox> {
  const forge = await openForge();
  const at = { owner: 'acme', name: 'web' };
  const person = async (login: string): Promise<string> => (await forge.createUser({ login })).token;
  const tokens = {
    owner: await person('acme'),
    write: await person('dev'),
    read: await person('guest'),
    stranger: await person('eve'),
  };
  await forge.createRepository({ ...at, from: { path: await templateRepository() } });
  await forge.grant({ ...at, login: 'dev', role: 'write' });
  await forge.grant({ ...at, login: 'guest', role: 'read' });
  return {
    forge,
    tokens,
    async ask(method, path, body, token = tokens.write) {
      const below = path.startsWith('//') ? path.slice(1) : `/repos/acme/web${path}`;
      const answer = await request(`${forge.url}/api/v1${below}`, {
        method,
        headers: { authorization: `token ${token}`, 'content-type': 'application/json' },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      const text = await answer.body.text();
      const json = text !== '' && /json/.test(String(answer.headers['content-type']));
      return {
        status: answer.statusCode,
        headers: answer.headers,
        body: json ? (JSON.parse(text) as unknown) : text,
      };
    },
  };
}

describe('a repository', () => {
  test('is there for those who may see it', async () => {
    const { ask, tokens } = await sandbox();
    const shown = { full_name: 'acme/web', default_branch: 'main', archived: false };
    expect(await ask('GET', '')).toMatchObject({ status: 200, body: shown });
    expect(await ask('GET', '', undefined, tokens.stranger)).toMatchObject({
      status: 404,
      body: { message: "The target couldn't be found." },
    });
    expect(await ask('GET', '', undefined, 'unknown')).toMatchObject({ status: 401 });
    expect((await ask('POST', '/labels', { name: 'x', color: '#fff' }, tokens.read)).status).toBe(403);
    expect(await ask('GET', '//user')).toMatchObject({ body: { login: 'dev' } });
  });

  test('is changed by its owner, and takes nothing when it is archived', async () => {
    const { ask, tokens } = await sandbox();
    const change = { allow_squash_merge: false, archived: true };
    expect((await ask('PATCH', '', change)).status).toBe(403);
    expect(await ask('PATCH', '', change, tokens.owner)).toMatchObject({ status: 200, body: change });
    expect((await ask('POST', '/labels', { name: 'x', color: '#fff' })).status).toBe(423);
  });

  test('shows its branches, with their slashes, and what protects them', async () => {
    const { ask, forge } = await sandbox();
    await forge.protectBranch({ owner: 'acme', name: 'web', branch: 'main', requiredStatusChecks: ['ci'] });
    expect(await ask('GET', '/branches/main')).toMatchObject({
      body: { name: 'main', protected: true, enable_status_check: true, status_check_contexts: ['ci'] },
    });
    expect((await ask('GET', '/branches/no/such')).status).toBe(404);
  });
});

describe('lists', () => {
  test('have at most 50 items on a page, the total, and links', async () => {
    const { ask } = await sandbox();
    for (let number = 0; number < 60; number++) {
      await ask('POST', '/labels', { name: `l${number}`, color: '#ffffff' });
    }
    const first = await ask('GET', '/labels?limit=100&page=1');
    expect(first.body).toHaveLength(50);
    expect(first.headers).toMatchObject({
      'x-total-count': '60',
      link: expect.stringContaining('rel="next"'),
    });
    const last = await ask('GET', '/labels?limit=100&page=2');
    expect(last.body).toHaveLength(10);
    expect(last.headers['link']).not.toContain('rel="next"');
  });
});

describe('statuses', () => {
  test('are told as null where there are none, and by `status` where there are', async () => {
    const { ask } = await sandbox();
    const { commit } = (await ask('GET', '/branches/main')).body as { commit: { id: string } };
    const path = `/commits/${commit.id}/status`;
    expect((await ask('GET', path)).body).toMatchObject({ statuses: null, total_count: 0 });
    const made = await ask('POST', `/statuses/${commit.id}`, { state: 'success', context: 'ci' });
    expect(made).toMatchObject({ status: 201, body: { status: 'success', context: 'ci' } });
    expect((await ask('GET', path)).body).toMatchObject({ state: 'success', statuses: [{ context: 'ci' }] });
    expect((await ask('POST', `/statuses/${'0'.repeat(40)}`, { state: 'success' })).status).toBe(404);
    expect((await ask('POST', `/statuses/${commit.id}`, { state: 'great' })).status).toBe(422);
  });
});

describe('limits', () => {
  test('are a 429 that says how long', async () => {
    const { ask, forge } = await sandbox();
    forge.faults.add({ match: { method: 'GET' }, rateLimit: 'secondary' });
    expect(await ask('GET', '')).toMatchObject({ status: 429, headers: { 'retry-after': '60' } });
    forge.faults.add({ match: { method: 'GET' }, rateLimit: 'primary', retryAfterSeconds: 300 });
    expect(await ask('GET', '')).toMatchObject({ status: 429, headers: { 'retry-after': '300' } });
  });
});
