import { afterEach, describe, expect, test } from '@jest/globals';
import { request } from 'undici';
import { closeAll, git, withToken } from '../testing/forge.js';
import { gitlabSandbox } from '../testing/gitlab.js';

afterEach(closeAll);

describe('a project', () => {
  test('is found by its path and by its id, with read access', async () => {
    const { ask, project, repository, tokens, forge } = await gitlabSandbox();
    const shown = { id: repository.id, path_with_namespace: 'acme/platform/web', default_branch: 'main' };
    for (const path of [project, `/projects/${repository.id}`]) {
      expect(await ask('GET', path)).toMatchObject({ status: 200, body: shown });
    }
    expect((await ask('GET', project)).body).toMatchObject({
      namespace: { full_path: 'acme/platform', kind: 'group' },
      http_url_to_repo: `${forge.url}/acme/platform/web.git`,
    });
    const refusals = { stranger: 404, read: 200 } as const;
    for (const [who, status] of Object.entries(refusals)) {
      const token = tokens[who as keyof typeof refusals];
      expect((await ask('GET', project, undefined, { token })).status).toBe(status);
    }
    expect(await ask('GET', project, undefined, { token: tokens.stranger })).toMatchObject({
      body: { message: '404 Project Not Found' },
    });
  });

  test.each(['', 'glpat-unknown'])('does not exist for the token %j', async (token) => {
    const { ask, project } = await gitlabSandbox();
    const refused = { status: 401, body: { message: '401 Unauthorized' } };
    expect(await ask('GET', project, undefined, { token })).toMatchObject(refused);
  });

  test('accepts a bearer token, and returns the user of the token', async () => {
    const { ask, tokens } = await gitlabSandbox();
    const headers = { authorization: `Bearer ${tokens.admin}` };
    expect(await ask('GET', '/user', undefined, { token: '', headers })).toMatchObject({
      status: 200,
      body: { username: 'mo' },
    });
  });

  test('can be changed only by its maintainers', async () => {
    const { ask, project, tokens } = await gitlabSandbox();
    const change = { squash_option: 'never', only_allow_merge_if_pipeline_succeeds: true };
    expect(await ask('PUT', project, change)).toMatchObject({ status: 403 });
    expect(await ask('PUT', project, change, { token: tokens.admin })).toMatchObject({ body: change });
    expect(await ask('PUT', project, { squash_option: 'maybe' }, { token: tokens.admin })).toMatchObject({
      status: 400,
      body: { error: 'squash_option is invalid' },
    });
  });

  test('refuses changes when it is archived', async () => {
    const { ask, project, tokens } = await gitlabSandbox();
    await ask('POST', `${project}/archive`, undefined, { token: tokens.admin });
    expect((await ask('GET', project)).body).toMatchObject({ archived: true });
    const branch = { branch: 'x', ref: 'main' };
    expect((await ask('POST', `${project}/repository/branches`, branch)).status).toBe(403);
    await ask('POST', `${project}/unarchive`, undefined, { token: tokens.admin });
    expect((await ask('POST', `${project}/repository/branches`, branch)).status).toBe(201);
  });
});

test('lists have pages with links to the next page', async () => {
  const { ask, project, clone } = await gitlabSandbox();
  for (const name of ['a', 'b', 'c'])
    await git(clone, 'push', '--quiet', 'origin', `main:refs/heads/${name}`);
  const first = await ask('GET', `${project}/repository/branches?per_page=2`);
  expect(first.headers).toMatchObject({
    'x-page': '1',
    'x-next-page': '2',
    'x-total': '5',
    'x-total-pages': '3',
  });
  const [, next = ''] = /<([^>]+)>; rel="next"/.exec(String(first.headers['link'])) ?? [];
  expect(next).toContain('page=2');
  const last = await ask('GET', `${project}/repository/branches?per_page=2&page=3`);
  expect(last.headers).toMatchObject({ 'x-next-page': '', 'x-prev-page': '2' });
  expect(last.body).toHaveLength(1);
});

test('an unchanged resource returns 304', async () => {
  const { ask, project } = await gitlabSandbox();
  const { headers } = await ask('GET', project);
  const known = { 'if-none-match': String(headers['etag']) };
  expect((await ask('GET', project, undefined, { headers: known })).status).toBe(304);
});

describe('the limit of requests', () => {
  test('is in every response, and a request beyond it is answered with 429 and the time to wait', async () => {
    const { ask } = await gitlabSandbox({ rateLimit: 2 });
    const { headers } = await ask('GET', '/user');
    expect(headers).toMatchObject({ 'ratelimit-limit': '2', 'ratelimit-remaining': '1' });
    await ask('GET', '/user');
    const refused = await ask('GET', '/user');
    expect(refused).toMatchObject({ status: 429, body: 'Retry later\n' });
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(3_000);
  });

  test.each([
    ['with', 7, '7'],
    ['without', undefined, undefined],
  ])('of one feature is answered with 429, %s a time to wait', async (_, retryAfterSeconds, expected) => {
    const { ask, forge } = await gitlabSandbox();
    forge.faults.add({
      rateLimit: 'secondary',
      retryAfterSeconds,
    });
    const { status, headers } = await ask('GET', '/user');
    expect(status).toBe(429);
    expect(headers['retry-after']).toBe(expected);
  });
});

test('git reads and writes a project in a subgroup', async () => {
  const { clone, repository, tokens, forge } = await gitlabSandbox();
  await git(clone, 'push', '--quiet', 'origin', 'main:refs/heads/pushed');
  expect(await git(clone, 'ls-remote', 'origin', 'refs/heads/pushed')).toContain('refs/heads/pushed');
  const strange = withToken(repository.cloneUrl, tokens.stranger);
  await expect(git(clone, 'ls-remote', strange)).rejects.toThrow('not found');
  const { body } = await request(`${forge.url}/acme/platform/web/-/tree/pushed`);
  expect(await body.text()).toContain('first');
});

test('branches, commits and their merge base are returned', async () => {
  const { ask, project, clone } = await gitlabSandbox();
  const [main, feature] = [await git(clone, 'rev-parse', 'main'), await git(clone, 'rev-parse', 'feature')];
  const made = await ask('POST', `${project}/repository/branches`, { branch: 'env/dev', ref: 'feature' });
  expect(made).toMatchObject({ status: 201, body: { name: 'env/dev', commit: { id: feature } } });
  const one = `${project}/repository/branches/env%2Fdev`;
  expect((await ask('GET', one)).body).toMatchObject({ commit: { id: feature, title: 'change of feature' } });
  expect((await ask('GET', `${project}/repository/commits/env%2Fdev`)).body).toMatchObject({
    parent_ids: [main],
  });
  expect(
    (await ask('GET', `${project}/repository/merge_base?refs[]=main&refs[]=feature`)).body,
  ).toMatchObject({
    id: main,
  });
  expect(await ask('GET', `${project}/repository/merge_base?refs[]=main&refs[]=none`)).toMatchObject({
    status: 400,
    body: { message: 'Could not find ref: none' },
  });
  expect((await ask('GET', `${project}/repository/compare?from=main&to=feature`)).body).toMatchObject({
    commits: [{ id: feature }],
    compare_same_ref: false,
  });
  expect((await ask('DELETE', one)).status).toBe(204);
  expect(await ask('GET', one)).toMatchObject({ status: 404, body: { message: '404 Branch Not Found' } });
});
