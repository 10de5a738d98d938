import { createSign, generateKeyPairSync } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from '@jest/globals';
import type { Octokit } from 'octokit';
import {
  appClient,
  closeAll,
  git,
  openForge,
  refusal,
  sandbox,
  temporaryFolder,
  userClient,
  withToken,
} from '../testing/forge.js';

afterEach(closeAll);

const second = 1_000;
const now = Date.parse('2026-05-04T10:00:00Z');

function jwt(claims: object, privateKeyPem: string, header: object = { alg: 'RS256', typ: 'JWT' }): string {
  const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
  const text = `${part(header)}.${part(claims)}`;
  return `${text}.${createSign('RSA-SHA256').update(text).sign(privateKeyPem, 'base64url')}`;
}

describe('the JSON web token of an App', () => {
  const at = now / second;
  const tooFar = "'Expiration time' claim ('exp') is too far in the future";
  const expired =
    "'Expiration time' claim ('exp') must be a numeric value representing the future time at which the assertion expires";
  const future =
    "'Issued at' claim ('iat') must be an Integer representing the time that the assertion was issued";

  test.each([
    ['is accepted', { iat: at - 60, exp: at + 540 }, 200, undefined],
    ['is accepted with the longest lifetime', { iat: at, exp: at + 600 }, 200, undefined],
    ['is refused with a longer lifetime', { iat: at, exp: at + 660 }, 401, tooFar],
    ['is refused after its expiry', { iat: at - 600, exp: at - 1 }, 401, expired],
    ['is refused without an expiry', { iat: at }, 401, expired],
    ['is refused when it was issued in the future', { iat: at + 30, exp: at + 500 }, 401, future],
    [
      'is refused when its App does not exist',
      { iss: '7', iat: at, exp: at + 60 },
      404,
      'Integration not found',
    ],
  ])('%s', async (_name, claims, status, message) => {
    const forge = await openForge({ clock: { now: () => now } });
    const app = await forge.createApp({ owner: 'acme' });
    const client = userClient(forge, jwt({ iss: String(app.appId), ...claims }, app.privateKeyPem));
    const request = client.request('GET /app');
    if (status === 200) expect((await request).data).toMatchObject({ id: app.appId, slug: app.slug });
    else expect(await refusal(request)).toMatchObject({ status, message });
  });

  test('is refused if it is unsigned or signed by another key', async () => {
    const forge = await openForge({ clock: { now: () => now } });
    const app = await forge.createApp({ owner: 'acme' });
    const { privateKey } = generateKeyPairSync('rsa', {
      modulusLength: 2048,
      publicKeyEncoding: { type: 'spki', format: 'pem' },
      privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    });
    const claims = { iss: app.appId, iat: at, exp: at + 60 };
    const forged = [jwt(claims, privateKey), jwt(claims, app.privateKeyPem, { alg: 'none' })];
    for (const token of forged) {
      const request = userClient(forge, token).request('GET /app');
      expect(await refusal(request)).toMatchObject({
        status: 401,
        message: 'A JSON web token could not be decoded',
      });
    }
  });

  test('is refused with an error by which a client recognizes that its clock is wrong', async () => {
    const forge = await openForge({ clock: { now: () => now } });
    await forge.createRepository({ owner: 'acme', name: 'web' });
    const app = await forge.createApp({ owner: 'acme' });
    // The library first signs with the clock of the machine, which differs from that of the forge.
    const { data } = await appClient(forge, app).rest.repos.get({ owner: 'acme', repo: 'web' });
    expect(data.full_name).toBe('acme/web');
  });
});

describe('installations', () => {
  test('are listed for the App, and have tokens that are valid for an hour', async () => {
    let time = now;
    const forge = await openForge({ clock: { now: () => time } });
    await forge.createRepository({ owner: 'acme', name: 'web' });
    const app = await forge.createApp({ owner: 'acme' });
    const asApp = () => {
      const at = Math.floor(time / second);
      return userClient(forge, jwt({ iss: app.appId, iat: at, exp: at + 60 }, app.privateKeyPem));
    };
    const { data: list } = await asApp().request('GET /app/installations');
    expect(list.map(({ id }) => id)).toEqual([app.installationId]);
    const { data: found } = await asApp().rest.apps.getRepoInstallation({ owner: 'Acme', repo: 'Web' });
    expect(found).toMatchObject({ id: app.installationId, account: { login: 'acme' } });
    const installation_id = app.installationId;
    const { data: minted } = await asApp().rest.apps.createInstallationAccessToken({ installation_id });
    expect(minted).toMatchObject({ expires_at: '2026-05-04T11:00:00Z', repository_selection: 'all' });
    const client = userClient(forge, minted.token);
    const { data } = await client.request('GET /installation/repositories');
    expect(data.repositories.map(({ full_name }) => full_name)).toEqual(['acme/web']);
    time += 3_600 * second;
    expect(await refusal(client.request('GET /installation/repositories'))).toMatchObject({
      status: 401,
      message: 'Bad credentials',
    });
  });

  test('do not give a restricted token any other access', async () => {
    const { forge, app, at } = await sandbox();
    await forge.createRepository({ owner: 'acme', name: 'other' });
    const token = await narrow(appClient(forge, app), app, {
      repositories: ['web'],
      permissions: { pull_requests: 'read' },
    });
    const client = userClient(forge, token);
    expect((await client.rest.pulls.list(at)).data).toEqual([]);
    expect(await refusal(client.rest.repos.get({ owner: 'acme', repo: 'other' }))).toMatchObject({
      status: 404,
      message: 'Not Found',
    });
    const create = client.rest.pulls.create({ ...at, title: 'x', head: 'feature', base: 'main' });
    expect(await refusal(create)).toMatchObject({
      status: 403,
      message: 'Resource not accessible by integration',
    });
  });

  test('lose their access when a token is revoked or an installation is deleted', async () => {
    const forge = await openForge({ clock: { now: () => now } });
    await forge.createRepository({ owner: 'acme', name: 'web' });
    const app = await forge.createApp({ owner: 'acme' });
    const asApp = () => {
      const at = now / second;
      return userClient(forge, jwt({ iss: app.appId, iat: at, exp: at + 60 }, app.privateKeyPem));
    };
    const installation_id = app.installationId;
    const mint = async () =>
      (await asApp().rest.apps.createInstallationAccessToken({ installation_id })).data.token;
    const [one, two] = [await mint(), await mint()];
    const ask = (token: string) => userClient(forge, token).request('GET /installation/repositories');
    const refused = { status: 401, message: 'Bad credentials' };
    expect((await userClient(forge, one).rest.apps.revokeInstallationAccessToken()).status).toBe(204);
    expect(await refusal(ask(one))).toMatchObject(refused);
    expect((await ask(two)).status).toBe(200);
    expect((await asApp().rest.apps.deleteInstallation({ installation_id })).status).toBe(204);
    expect(await refusal(ask(two))).toMatchObject(refused);
    expect(await refusal(mint())).toMatchObject({ status: 404 });
    expect(forge.journal.count({ kind: 'write' })).toBe(0);
    const { token } = await forge.createUser({ login: 'ada' });
    expect((await refusal(userClient(forge, token).rest.apps.revokeInstallationAccessToken())).status).toBe(
      403,
    );
  });

  test('have tokens that are stored on disk before they are returned', async () => {
    const dataDir = await temporaryFolder();
    const forge = await openForge({ dataDir });
    const app = await forge.createApp({ owner: 'acme' });
    const { token } = (await appClient(forge, app).auth({ type: 'installation' })) as { token: string };
    expect(await readFile(join(dataDir, 'forge.json'), 'utf8')).toContain(token);
  });

  test('cannot have tokens with more permissions than their own', async () => {
    const { forge } = await sandbox();
    const app = await forge.createApp({ owner: 'acme', name: 'Reader', permissions: { contents: 'read' } });
    const asInstallation = appClient(forge, app);
    const wide = narrow(asInstallation, app, { permissions: { contents: 'write' } });
    expect((await refusal(wide)).status).toBe(422);
    expect((await refusal(narrow(asInstallation, app, { repositories: ['none'] }))).status).toBe(422);
  });
});

async function narrow(
  client: Octokit,
  { installationId }: { installationId: number },
  options: { repositories?: string[]; permissions?: Record<string, 'read' | 'write'> },
): Promise<string> {
  const { data } = await client.rest.apps.createInstallationAccessToken({
    installation_id: installationId,
    ...options,
  });
  return data.token;
}

describe('two tenants', () => {
  test('cannot see each other', async () => {
    const { forge, bot, octokit, clone, repository } = await sandbox();
    const rival = await forge.createUser({ login: 'rival' });
    await forge.createRepository({ owner: 'rival', name: 'web' });
    const rivalApp = await forge.createApp({ owner: 'rival' });
    const theirs = { owner: 'rival', repo: 'web' };
    const ours = { owner: 'acme', repo: 'web' };
    for (const client of [bot, octokit]) {
      expect((await refusal(client.rest.repos.get(theirs))).status).toBe(404);
      expect((await refusal(client.rest.pulls.list(theirs))).status).toBe(404);
    }
    for (const client of [appClient(forge, rivalApp), userClient(forge, rival.token)]) {
      expect((await client.rest.repos.get(theirs)).data.full_name).toBe('rival/web');
      expect((await refusal(client.rest.repos.get(ours))).status).toBe(404);
    }
    await expect(git(clone, 'ls-remote', withToken(repository.cloneUrl, rival.token))).rejects.toMatchObject({
      stderr: expect.stringContaining('not found'),
    });
    const wrongInstallation = appClient(forge, rivalApp, 1);
    expect((await refusal(wrongInstallation.rest.repos.get(ours))).status).toBe(404);
  });

  test('can share a repository with a collaborator, who has the granted role', async () => {
    const { forge, at } = await sandbox();
    const grace = await forge.createUser({ login: 'grace' });
    const client = userClient(forge, grace.token);
    await forge.grant({ owner: 'acme', name: 'web', login: 'grace', role: 'read' });
    expect((await client.rest.repos.get(at)).data.permissions).toMatchObject({ pull: true, push: false });
    const create = () => client.rest.pulls.create({ ...at, title: 'x', head: 'feature', base: 'main' });
    expect((await refusal(create())).status).toBe(403);
    await forge.grant({ owner: 'acme', name: 'web', login: 'grace', role: 'write' });
    expect((await create()).data.user?.login).toBe('grace');
    expect((await refusal(client.rest.repos.listWebhooks(at))).status).toBe(403);
  });
});

test('requests with missing or invalid credentials are refused', async () => {
  const { forge, at } = await sandbox();
  const bad = userClient(forge, 'ghp_bad');
  expect(await refusal(bad.rest.repos.get(at))).toMatchObject({ status: 401, message: 'Bad credentials' });
  const nobody = userClient(forge, undefined);
  expect((await refusal(nobody.request('GET /repos/{owner}/{repo}', { ...at }))).status).toBe(404);
  expect((await refusal(nobody.request('GET /user'))).status).toBe(401);
});

test('an archived repository is read-only until its administrator unarchives it', async () => {
  const { octokit, at, clone } = await sandbox();
  await octokit.rest.repos.update({ ...at, archived: true });
  const create = () => octokit.rest.pulls.create({ ...at, title: 'x', head: 'feature', base: 'main' });
  expect((await refusal(create())).status).toBe(403);
  await expect(git(clone, 'push', 'origin', 'feature:other')).rejects.toMatchObject({
    stderr: expect.stringContaining('403'),
  });
  expect((await octokit.rest.repos.get(at)).data.archived).toBe(true);
  await octokit.rest.repos.update({ ...at, archived: false });
  expect((await create()).status).toBe(201);
});
