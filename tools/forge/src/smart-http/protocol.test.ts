import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { randomBytes } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { afterEach, describe, expect, test } from '@jest/globals';
import { request } from 'undici';
import { closeAll, commit, git, openForge, sandbox, temporaryFolder, withToken } from '../testing/forge.js';

afterEach(closeAll);

describe('fetching', () => {
  test('clones a repository with protocol version 2 and with version 0', async () => {
    const { repository, user } = await sandbox();
    const url = withToken(repository.cloneUrl, user.token);
    for (const version of ['2', '0']) {
      const folder = join(await temporaryFolder(), 'clone');
      await git('/', '-c', `protocol.version=${version}`, 'clone', '--quiet', url, folder);
      expect(await git(folder, 'branch', '--remotes', '--list', 'origin/f*')).toBe('origin/feature');
    }
  });

  test('can omit blobs, and returns any object by its id', async () => {
    const { repository, clone, user } = await sandbox();
    const url = withToken(repository.cloneUrl, user.token);
    const folder = join(await temporaryFolder(), 'mirror.git');
    await git('/', 'clone', '--quiet', '--bare', '--filter=blob:none', url, folder);
    const blob = await git(clone, 'rev-parse', 'feature:feature.txt');
    const missing = await git(folder, 'rev-list', '--objects', '--all', '--missing=print');
    expect(missing).toContain(`?${blob}`);
    expect(await git(folder, 'cat-file', 'blob', blob)).toBe('feature');
    const tip = await git(clone, 'rev-parse', 'feature');
    const plain = await temporaryFolder();
    await git(plain, 'init', '--quiet', '--bare');
    await git(plain, 'fetch', '--quiet', '--depth=1', url, tip);
    expect(await git(plain, 'rev-parse', 'FETCH_HEAD')).toBe(tip);
  });

  test('lists the current references', async () => {
    const { clone, repository } = await sandbox();
    const main = await git(clone, 'rev-parse', 'main');
    await git(repository.path, 'update-ref', 'refs/heads/x/dev', main);
    expect(await git(clone, 'ls-remote', 'origin', 'refs/heads/x/dev')).toBe(`${main}\trefs/heads/x/dev`);
    expect(await git(clone, 'ls-remote', '--symref', 'origin', 'HEAD')).toContain('ref: refs/heads/main');
  });
});

describe('the protocol', () => {
  const question = '0014command=ls-refs\n00010000';

  async function ask(path: string, headers: Record<string, string> = {}, body?: string | Buffer) {
    const { repository, user } = await sandbox();
    const authorization = `Basic ${Buffer.from(`x:${user.token}`).toString('base64')}`;
    const method = body === undefined ? 'GET' : 'POST';
    const all = { authorization, 'git-protocol': 'version=2', ...headers };
    const url = `${repository.cloneUrl}${path}`;
    const answer = await request(url, { method, headers: all, body: body ?? null });
    return { status: answer.statusCode, text: await answer.body.text(), repository, url, headers: all };
  }

  test('accepts plain and compressed requests', async () => {
    const type = { 'content-type': 'application/x-git-upload-pack-request' };
    const plain = await ask('/git-upload-pack', type, question);
    const zipped = { ...type, 'content-encoding': 'gzip' };
    const compressed = await ask('/git-upload-pack', zipped, gzipSync(question));
    expect(plain.text).toContain(' refs/heads/feature\n');
    expect(compressed.text).toBe(plain.text);
  });

  test('advertises the current settings of the repository', async () => {
    const { text, repository, url, headers } = await ask('/info/refs?service=git-upload-pack');
    expect(text).toMatch(/^000eversion 2\n[^]*fetch=[^\n]*filter/);
    await git(repository.path, 'config', 'uploadpack.allowFilter', 'false');
    const { body } = await request(url, { headers });
    const now = await body.text();
    expect(now).toMatch(/^000eversion 2\n[^]*fetch=/);
    expect(now).not.toContain('filter');
  });

  test.each([
    ['/info/refs', undefined, 403],
    ['/info/refs?service=git-archive', undefined, 403],
    ['/git-upload-pack', undefined, 405],
    ['/git-upload-pack', question, 415],
  ])('refuses %s with the body %j with status %i', async (path, body, status) => {
    expect((await ask(path, {}, body)).status).toBe(status);
  });
});

describe('pushing', () => {
  test('accepts notes, which only the journal records', async () => {
    const { clone, forge } = await sandbox();
    const since = forge.journal.seq;
    await git(clone, 'notes', '--ref=hydrator.metadata', 'add', '-m', '{"drySha":"1"}', 'main');
    await git(clone, 'push', '--quiet', 'origin', 'refs/notes/hydrator.metadata');
    const [entry] = forge.journal.entries({ since, kind: 'write' });
    expect(entry).toMatchObject({
      api: 'git',
      route: '/{owner}/{repo}.git/git-receive-pack',
      actor: 'acme',
      status: 200,
      summary: expect.stringContaining('refs/notes/hydrator.metadata'),
    });
    expect(await git(clone, 'ls-remote', 'origin', 'refs/notes/*')).not.toBe('');
  });

  test('accepts packs that git sends in several chunks', async () => {
    const { clone, repository } = await sandbox();
    await git(clone, 'checkout', '--quiet', 'main');
    await writeFile(join(clone, 'large.bin'), randomBytes(3 * 1024 * 1024));
    const sha = await commit(clone, {}, 'large');
    await git(clone, 'push', '--quiet', 'origin', 'main');
    expect(await git(repository.path, 'rev-parse', 'main')).toBe(sha);
  });

  test('respects a lease, and refuses updates that are not fast-forwards', async () => {
    const { clone, repository } = await sandbox();
    const old = await git(clone, 'rev-parse', 'main');
    await git(repository.path, 'update-ref', 'refs/heads/main', await git(clone, 'rev-parse', 'feature'));
    await expect(
      git(clone, 'push', `--force-with-lease=main:${old}`, 'origin', 'main'),
    ).rejects.toMatchObject({ stderr: expect.stringContaining('stale info') });
    await expect(git(clone, 'push', 'origin', 'main')).rejects.toMatchObject({
      stderr: expect.stringContaining('rejected'),
    });
  });

  test('never writes the references of the forge itself', async () => {
    const { clone } = await sandbox();
    await expect(git(clone, 'push', 'origin', 'main:refs/pull/1/head')).rejects.toMatchObject({
      stderr: expect.stringContaining('hidden ref'),
    });
  });
});

describe('access', () => {
  test('is refused with missing or invalid credentials', async () => {
    const { repository } = await sandbox();
    for (const url of [repository.cloneUrl, withToken(repository.cloneUrl, 'ghs_bad')]) {
      await expect(git('/', 'ls-remote', url)).rejects.toMatchObject({
        stderr: expect.stringMatching(/could not read Username|Authentication failed/),
      });
    }
    const { statusCode, headers, body } = await request(
      `${repository.cloneUrl}/info/refs?service=git-upload-pack`,
    );
    await body.dump();
    expect([statusCode, headers['www-authenticate']]).toEqual([401, 'Basic realm="GitHub"']);
  });

  test('for reads does not include writes', async () => {
    const { forge, repository, clone } = await sandbox();
    const grace = await forge.createUser({ login: 'grace' });
    const url = withToken(repository.cloneUrl, grace.token);
    await expect(git(clone, 'ls-remote', url)).rejects.toMatchObject({
      stderr: expect.stringContaining('not found'),
    });
    await forge.grant({ owner: 'acme', name: 'web', login: 'grace', role: 'read' });
    expect(await git(clone, 'ls-remote', url, 'main')).not.toBe('');
    await expect(git(clone, 'push', url, 'main:other')).rejects.toMatchObject({
      stderr: expect.stringContaining('403'),
    });
  });

  test('is granted to the token of an installation, including as a bearer token', async () => {
    const { bot, repository, clone } = await sandbox();
    const { token } = (await bot.auth({ type: 'installation' })) as { token: string };
    await git(clone, 'push', '--quiet', withToken(repository.cloneUrl, token), 'main:by-bot');
    const header = `http.extraHeader=Authorization: Bearer ${token}`;
    expect(await git(clone, '-c', header, 'ls-remote', repository.cloneUrl, 'by-bot')).not.toBe('');
  });
});

describe('a repository', () => {
  test('is created from a bundle, a bare repository and a URL', async () => {
    const { clone, repository, user } = await sandbox();
    const forge = await openForge();
    const bundle = join(await temporaryFolder(), 'all.bundle');
    await git(clone, 'bundle', 'create', '--quiet', bundle, '--all');
    const url = withToken(repository.cloneUrl, user.token);
    const sources = { bundle: { bundle }, path: { path: repository.path }, url: { url } };
    for (const [name, from] of Object.entries(sources)) {
      const { path } = await forge.createRepository({ owner: 'acme', name, from });
      expect(await git(path, 'rev-parse', 'feature')).toBe(await git(clone, 'rev-parse', 'feature'));
      expect(await git(path, 'symbolic-ref', 'HEAD')).toBe('refs/heads/main');
    }
  });

  test('is created empty as git does it, with its default branch', async () => {
    const forge = await openForge();
    const { path } = await forge.createRepository({ owner: 'acme', name: 'web', defaultBranch: 'trunk' });
    const made = join(await temporaryFolder(), 'made.git');
    await git('/', 'init', '--quiet', '--bare', '--template=', '--initial-branch=trunk', made);
    const own = /^(?:config$|hooks(?:\/|$))/;
    const content = (await readdir(path, { recursive: true })).filter((name) => !own.test(name));
    const byGit = (await readdir(made, { recursive: true })).filter((name) => !own.test(name));
    expect(content.sort()).toEqual(byGit.sort());
    expect(await readFile(join(path, 'HEAD'))).toEqual(await readFile(join(made, 'HEAD')));
    expect(await git(path, 'fsck', '--strict')).toBe('');
  });

  test('is not created if the source is not a repository', async () => {
    const forge = await openForge();
    const from = { path: await temporaryFolder() };
    await expect(forge.createRepository({ owner: 'acme', name: 'web', from })).rejects.toThrow(/git clone/);
    expect(forge.hasRepository('acme', 'web')).toBe(false);
    await forge.createRepository({ owner: 'acme', name: 'web' });
  });

  test.each(['..', '.git', 'a/b', 'web.git', ''])('cannot have the name %j', async (name) => {
    const forge = await openForge();
    await expect(forge.createRepository({ owner: 'acme', name })).rejects.toThrow(RangeError);
  });
});
