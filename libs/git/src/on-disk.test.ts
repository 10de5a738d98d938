import { execFileSync } from 'node:child_process';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { createGit, type Git } from './index.js';
import { Sandbox, type TestRemote } from './testing/sandbox.js';

const dev = 'refs/heads/dev';

let sandbox: Sandbox;
let remote: TestRemote;
let git: Git;

beforeEach(() => {
  sandbox = new Sandbox();
  // It has no server settings, only those of `git init --bare`.
  execFileSync('git', ['init', '--quiet', '--bare', sandbox.path('remote.git')]);
  remote = sandbox.remote();
  git = createGit({ cacheDir: sandbox.cacheDir, transports: ['https'], gitPath: sandbox.gitWrapper() });
});

afterEach(() => {
  git.close();
  sandbox.remove();
});

describe('a local folder', () => {
  test('is read and pushed to by a mirror that is opened for local folders', async () => {
    const first = remote.commit(dev, { a: '1' });
    const mirror = git.mirror({ url: remote.url, tenant: 't', onDisk: true });
    expect((await mirror.refresh([dev])).refs.get(dev)).toBe(first);
    expect(String(await mirror.file(first, 'a'))).toBe('1');
    const { tree } = await mirror.commit(first);
    const author = { name: 'Interlock', email: 'bot@example.com', date: '2024-05-01T10:00:00Z' };
    const sha = await mirror.commitTree({ tree, parents: [first], message: 'again', author });
    await mirror.push({ ref: dev, sha, expected: first });
    expect(remote.tip(dev)).toBe(sha);
  });

  test('is refused by other mirrors, and mirrors for local folders refuse other URLs', () => {
    expect(() => git.mirror({ url: remote.url, tenant: 't' })).toThrow(/must use one of: https/);
    const url = 'https://git.example.com/x';
    expect(() => git.mirror({ url, tenant: 't', onDisk: true })).toThrow(/must use one of: file/);
  });

  test('is accessed by the file protocol only, which is not allowed for other mirrors', async () => {
    remote.commit(dev, { a: '1' });
    await git.mirror({ url: remote.url, tenant: 't', onDisk: true }).refresh([dev]);
    const allowed = (text: string) => /^GIT_ALLOW_PROTOCOL=(.*)$/m.exec(text)?.[1];
    const processes = sandbox.processes();
    const remoteOnes = processes.filter(({ args }) => args[0] === 'ls-remote' || args[0] === 'fetch');
    expect(remoteOnes.map(({ environment }) => allowed(environment))).toEqual(['file', 'file']);

    const closed = git.mirror({ url: 'https://127.0.0.1:1/x', tenant: 't' });
    await expect(closed.refresh([dev])).rejects.toMatchObject({ type: 'Transient' });
    const others = sandbox.processes().map(({ environment }) => allowed(environment));
    expect(others.length).toBeGreaterThan(0);
    expect(new Set(others)).toEqual(new Set(['https']));
  });
});

test('does not push to a local folder from a read-only mirror, which reports the push that it omits', async () => {
  const first = remote.commit(dev, { a: '1' });
  const next = remote.commit('refs/heads/next', { a: '2' }, 'next', [first]);
  const open = (readOnly: boolean) => git.mirror({ url: remote.url, tenant: 't', onDisk: true, readOnly });
  const mirror = open(true);
  await mirror.refresh([dev, 'refs/heads/next']);
  const push = { ref: dev, sha: next, expected: first };
  await expect(mirror.push(push)).rejects.toMatchObject({
    type: 'Permanent',
    reason: 'DryRun',
    message: expect.stringContaining(`would move ${dev} from ${first} to ${next}`),
  });
  expect(remote.tip(dev)).toBe(first);
  await open(false).push(push);
  expect(remote.tip(dev)).toBe(next);
});
