import { afterEach, describe, expect, test } from '@jest/globals';
import { closeAll } from '../testing/forge.js';
import { giteaSandbox } from '../testing/gitea.js';

afterEach(closeAll);

describe('a repository', () => {
  test('is visible to users who may read it', async () => {
    const { ask, tokens } = await giteaSandbox();
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

  test('can be changed by its owner, and refuses changes when it is archived', async () => {
    const { ask, tokens } = await giteaSandbox();
    const change = { allow_squash_merge: false, archived: true };
    expect((await ask('PATCH', '', change)).status).toBe(403);
    expect(await ask('PATCH', '', change, tokens.owner)).toMatchObject({ status: 200, body: change });
    expect((await ask('POST', '/labels', { name: 'x', color: '#fff' })).status).toBe(423);
  });

  test('lists its branches, including names with slashes, and their protection', async () => {
    const { ask, forge } = await giteaSandbox();
    await forge.protectBranch({ owner: 'acme', name: 'web', branch: 'main', requiredStatusChecks: ['ci'] });
    expect(await ask('GET', '/branches/main')).toMatchObject({
      body: { name: 'main', protected: true, enable_status_check: true, status_check_contexts: ['ci'] },
    });
    expect((await ask('GET', '/branches/no/such')).status).toBe(404);
  });
});

describe('lists', () => {
  test('have at most 50 items on a page, the total number, and links', async () => {
    const { ask } = await giteaSandbox();
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
  test('are null if there are none, and otherwise have a `status`', async () => {
    const { ask } = await giteaSandbox();
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
  test('are reported as 429 with the time to wait', async () => {
    const { ask, forge } = await giteaSandbox();
    forge.faults.add({ match: { method: 'GET' }, rateLimit: 'secondary' });
    expect(await ask('GET', '')).toMatchObject({ status: 429, headers: { 'retry-after': '60' } });
    forge.faults.add({ match: { method: 'GET' }, rateLimit: 'primary', retryAfterSeconds: 300 });
    expect(await ask('GET', '')).toMatchObject({ status: 429, headers: { 'retry-after': '300' } });
  });
});
