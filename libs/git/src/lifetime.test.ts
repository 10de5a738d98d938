import { mkdirSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { createGit, type Git } from './index.js';
import type { GitOptions } from './options.js';
import { mirrorName } from './repository.js';
import { HttpRemote, type Stall } from './testing/http-remote.js';
import { Sandbox, until, type TestRemote } from './testing/sandbox.js';

const dev = 'refs/heads/dev';

const stall: Stall = { path: '/git-upload-pack', afterBytes: 100_000, onStall: () => undefined };

let sandbox: Sandbox;
let remote: TestRemote;
let server: HttpRemote | undefined;
const opened: Git[] = [];

function open(options: Partial<GitOptions> = {}): Git {
  const git = createGit({ cacheDir: sandbox.cacheDir, transports: ['file'], ...options });
  opened.push(git);
  return git;
}

const folders = () => readdirSync(sandbox.cacheDir);
const mirrorPath = (url: string, tenant = 't') => join(sandbox.cacheDir, mirrorName(tenant, url));

beforeEach(() => {
  sandbox = new Sandbox();
  remote = sandbox.remote();
});
afterEach(async () => {
  opened.splice(0).forEach((git) => git.close());
  await server?.close();
  server = undefined;
  sandbox.remove();
});

describe('a mirror', () => {
  test('is shared by all users of a tenant, but not by different tenants', async () => {
    const sha = remote.commit(dev, { a: '1' });
    const git = open();
    const mine = git.mirror({ url: remote.url, tenant: 'a' });
    expect(git.mirror({ url: remote.url, tenant: 'a' })).toBe(mine);
    await mine.refresh([dev]);
    await mine.file(sha, 'a');

    const theirs = git.mirror({ url: remote.url, tenant: 'b' });
    expect(theirs).not.toBe(mine);
    rmSync(remote.directory, { recursive: true });
    expect(String(await mine.file(sha, 'a'))).toBe('1');
    await expect(theirs.commit(sha)).rejects.toMatchObject({
      type: 'NotFound',
      reason: 'RepositoryNotFound',
    });
    expect(folders()).toHaveLength(2);
  });

  test('may be deleted at any time, temporarily or permanently', async () => {
    const first = remote.commit(dev, { a: '1' });
    const mirror = open().mirror({ url: remote.url, tenant: 't' });
    await mirror.refresh([dev]);
    await mirror.commit(first);
    const second = remote.commit(dev, { a: '2', b: 'b' });
    await mirror.refresh([dev]);
    rmSync(sandbox.cacheDir, { recursive: true });
    expect(await mirror.isAncestor(first, second)).toBe(true);
    rmSync(mirrorPath(remote.url), { recursive: true });
    expect(String(await mirror.file(second, 'b'))).toBe('b');
    rmSync(mirrorPath(remote.url), { recursive: true });
    expect(await mirror.refresh([dev])).toMatchObject({ changed: [] });
    expect(await mirror.mergeTree(first, second)).toMatchObject({ clean: true });
    rmSync(mirrorPath(remote.url), { recursive: true });
    expect(await mirror.mergeTree(first, second)).toMatchObject({ clean: true });
  });

  test('survives if all processes are killed during its first fetch', async () => {
    // Trees that do not compress, so that the pack comes in several packets.
    const files = Array.from({ length: 8_000 }, (_, n) => `M 100644 inline f${n}\ndata <<E\n${n}\nE\n`);
    const by = 'committer G <g@e> 1700000000 +0000\ndata <<E\ntext\nE\n';
    remote.git(['fast-import', '--quiet'], `commit ${dev}\n${by}${files.join('')}`);
    const stalled = new Promise<void>((resolve) => {
      stall.onStall = resolve;
    });
    server = await HttpRemote.start({ root: sandbox.root, stall });
    const url = server.url('remote.git');
    const gitPath = sandbox.gitWrapper(`[ "$1" = fetch ] && echo $$ > ${sandbox.path('pid')}`);
    const dying = open({ gitPath, transports: ['http'] }).mirror({ url, tenant: 't' });
    const outcome = expect(dying.refresh([dev])).rejects.toMatchObject({ type: 'Transient' });
    await stalled;
    const packs = join(mirrorPath(url), 'objects/pack');
    await until(() => readdirSync(packs).some((name) => name.startsWith('tmp_pack')));
    process.kill(-Number(sandbox.read('pid')), 'SIGKILL');
    await outcome;
    expect(readdirSync(packs)).toEqual([]);
    // Files that remain when the process that would have removed them died as well.
    for (const name of ['tmp_pack_1', '.tmp-1-pack-2.idx', 'pack-3.keep'])
      writeFileSync(join(packs, name), '');

    stall.path = '/none';
    const mirror = open({ transports: ['http'] }).mirror({ url, tenant: 't' });
    const { refs } = await mirror.refresh([dev]);
    expect(refs.get(dev)).toBe(remote.tip(dev));
    expect(String(await mirror.file(refs.get(dev) ?? '', 'f7'))).toBe('7\n');
    expect(readdirSync(packs).filter((name) => /tmp|keep/.test(name))).toEqual([]);
  });

  test('is replaced when parts of it are missing', async () => {
    const sha = remote.commit(dev, { a: '1' });
    const mirror = open().mirror({ url: remote.url, tenant: 't' });
    await mirror.refresh([dev]);
    for (const part of ['HEAD', 'objects', 'refs']) {
      rmSync(join(mirrorPath(remote.url), part), { recursive: true });
      const next = remote.commit(dev, { a: part });
      expect((await mirror.refresh([dev])).refs.get(dev)).toBe(next);
      expect(await mirror.isAncestor(sha, next)).toBe(true);
    }
  });

  test('does not blame its remote when the process that starts git is killed', async () => {
    const sha = remote.commit(dev, { a: '1' });
    const armed = sandbox.path('armed');
    const gitPath = sandbox.gitWrapper(`[ -e ${armed} ] && rm ${armed} && kill -9 $PPID && sleep 600`);
    const mirror = open({ gitPath }).mirror({ url: remote.url, tenant: 't' });
    writeFileSync(armed, '');
    await expect(mirror.refresh([dev])).rejects.toMatchObject({ type: 'Transient', isLocal: true });
    await mirror.refresh([dev]);
    writeFileSync(armed, '');
    const again = open({ gitPath }).mirror({ url: remote.url, tenant: 't' });
    await expect(again.commit(sha)).rejects.toMatchObject({ type: 'Transient', isLocal: true });
    expect(await again.commit(sha)).toMatchObject({ sha });
  });

  test('is not stopped by a lock that a killed git process left behind', async () => {
    const sha = remote.commit(dev, { a: '1' });
    const mirror = open().mirror({ url: remote.url, tenant: 't' });
    await expect(mirror.commit('1'.repeat(40))).rejects.toMatchObject({ type: 'NotFound' });
    const tips = join(mirrorPath(remote.url), 'refs/tips');
    mkdirSync(tips, { recursive: true });
    writeFileSync(join(tips, `${sha}.lock`), '');
    expect((await mirror.refresh([dev])).refs.get(dev)).toBe(sha);
  });

  test('is repacked when fetches have left many packs', async () => {
    const mirror = open({ maxPacks: 3 }).mirror({ url: remote.url, tenant: 't' });
    const commits: string[] = [];
    for (let n = 0; n < 6; n += 1) {
      commits.push(remote.commit(dev, { a: `${n}` }));
      await mirror.refresh([dev]);
    }
    const packs = readdirSync(join(mirrorPath(remote.url), 'objects/pack')).filter((name) =>
      name.endsWith('.pack'),
    );
    expect(packs.length).toBeLessThanOrEqual(3);
    expect(await mirror.firstParents(commits.at(-1) ?? '', 10)).toEqual(commits.toReversed());
    expect(String(await mirror.file(commits[0] ?? '', 'a'))).toBe('0');
  });

  test('of a remote that cannot omit blobs contains them all', async () => {
    remote.git(['config', 'uploadpack.allowFilter', 'false']);
    const sha = remote.commit(dev, { a: '1' });
    const mirror = open({ gitPath: sandbox.gitWrapper() }).mirror({ url: remote.url, tenant: 't' });
    await mirror.refresh([dev]);
    sandbox.processes();
    expect(String(await mirror.file(sha, 'a'))).toBe('1');
    expect(sandbox.processes()).toEqual([]);
  });

  test('is never left half created, because files of killed processes are removed', async () => {
    mkdirSync(join(sandbox.cacheDir, 'tmp-0123456789abcdef', 'objects'), { recursive: true });
    remote.commit(dev, { a: '1' });
    await open().mirror({ url: remote.url, tenant: 't' }).refresh([dev]);
    expect(folders()).toEqual([mirrorName('t', remote.url)]);
  });

  test('is created once for concurrent callers', async () => {
    const sha = remote.commit(dev, { a: '1' });
    const git = open({ gitPath: sandbox.gitWrapper() });
    const mirror = git.mirror({ url: remote.url, tenant: 't' });
    await Promise.all(Array.from({ length: 10 }, () => mirror.commit(sha)));
    expect(sandbox.processes().filter(({ args }) => args[0] === 'init')).toHaveLength(1);
  });
});

describe('the disk', () => {
  test('reports an unusable folder as Transient, until it is usable', async () => {
    const sha = remote.commit(dev, { a: '1' });
    writeFileSync(sandbox.cacheDir, 'a file');
    const mirror = open().mirror({ url: remote.url, tenant: 't' });
    await expect(mirror.refresh([dev])).rejects.toMatchObject({
      type: 'Transient',
      reason: 'CacheUnavailable',
    });
    rmSync(sandbox.cacheDir);
    expect((await mirror.refresh([dev])).refs.get(dev)).toBe(sha);
  });

  async function mirrored(git: Git, name: string): Promise<string> {
    const other = sandbox.remote(name);
    other.commit(dev, { [name]: name });
    await git.mirror({ url: other.url, tenant: 't' }).refresh([dev]);
    return mirrorName('t', other.url);
  }

  test('is bounded by evicting the least recently used mirror', async () => {
    let now = 0;
    const git = open({ maxBytes: 1, now: () => (now += 1_000) });
    await mirrored(git, 'one.git');
    const two = await mirrored(git, 'two.git');
    expect(folders()).toEqual([two]);
    await mirrored(git, 'one.git');
    expect(folders()).toHaveLength(1);
  });

  test('never loses a mirror that is in use', async () => {
    const git = open({ maxBytes: 1 });
    const remotes = Array.from({ length: 5 }, (_, n) => sandbox.remote(`r${n}.git`));
    const work = remotes.map(async (one, n) => {
      const sha = one.commit(dev, { a: `${n}` });
      const mirror = git.mirror({ url: one.url, tenant: 't' });
      await mirror.refresh([dev]);
      return String(await mirror.file(sha, 'a'));
    });
    expect(await Promise.all(work)).toEqual(['0', '1', '2', '3', '4']);
  });

  test('keeps the most recently used mirrors that fit, even across a restart', async () => {
    const git = open();
    const names = [
      await mirrored(git, 'one.git'),
      await mirrored(git, 'two.git'),
      await mirrored(git, 'three.git'),
    ];
    git.close();
    // Space for the remaining two only: the oldest by its mark is evicted at the start.
    names.forEach((name, index) => utimesSync(join(sandbox.cacheDir, name, 'config'), index + 1, index + 1));
    writeFileSync(join(sandbox.cacheDir, names[0] ?? '', 'padding'), Buffer.alloc(1_000_000));
    await mirrored(open({ maxBytes: 900_000 }), 'three.git');
    expect(folders().sort()).toEqual(names.slice(1).sort());
  });
});

test('reads a history of 1,000 commits with few processes', async () => {
  const by = 'committer G <g@e> 1700000000 +0000\ndata <<E\ntext\nE\n';
  const stream = Array.from(
    { length: 1_000 },
    (_, n) => `commit ${dev}\nmark :${n + 1}\n${by}M 100644 inline f\ndata <<E\n${n}\nE\n`,
  );
  remote.git(['fast-import', '--quiet'], stream.join(''));
  const mirror = open({ gitPath: sandbox.gitWrapper() }).mirror({ url: remote.url, tenant: 't' });
  const tip = (await mirror.refresh([dev])).refs.get(dev) ?? '';
  const history = await mirror.firstParents(tip, 2_000);
  expect(history).toHaveLength(1_000);
  expect(await mirror.isAncestor(history.at(-1) ?? '', tip)).toBe(true);
  expect(
    sandbox
      .processes()
      .map(({ args }) => args[0])
      .sort(),
  ).toEqual(['cat-file', 'fetch', 'init', 'ls-remote', 'merge-base']);
});

test('does not exceed the limit of processes with many repositories at a time', async () => {
  const counter = `n=$(ls "${sandbox.root}/running" | wc -l); touch "${sandbox.root}/running/$$"; echo $n >> "${sandbox.root}/seen"; git "$@"; c=$?; rm "${sandbox.root}/running/$$"; exit $c`;
  mkdirSync(sandbox.path('running'));
  const guarded = `case "$1" in cat-file) ;; *) ${counter};; esac`;
  const git = open({ gitPath: sandbox.gitWrapper(guarded), maxProcesses: 2 });
  const remotes = Array.from({ length: 6 }, (_, n) => sandbox.remote(`r${n}.git`));
  remotes.forEach((one) => one.commit(dev, { a: '1' }));
  await Promise.all(remotes.map((one) => git.mirror({ url: one.url, tenant: 't' }).refresh([dev])));
  const seen = sandbox.read('seen').trim().split('\n').map(Number);
  expect(Math.max(...seen)).toBeLessThan(2);
  expect(seen.length).toBeGreaterThanOrEqual(18);
});

test('rejects calls after it was closed, and reports a missing program as Permanent', async () => {
  remote.commit(dev, { a: '1' });
  const git = open();
  git.close();
  await expect(git.mirror({ url: remote.url, tenant: 't' }).refresh([dev])).rejects.toMatchObject({
    reason: 'GitClosed',
  });
  const missing = open({ gitPath: '/nonexistent/git' }).mirror({ url: remote.url, tenant: 't' });
  await expect(missing.refresh([dev])).rejects.toMatchObject({
    type: 'Permanent',
    reason: 'GitNotFound',
    message: expect.stringContaining('; install it, or correct its path'),
  });
});
