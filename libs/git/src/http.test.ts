import { execFileSync } from 'node:child_process';
import type { ServerResponse } from 'node:http';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { Registry } from 'prom-client';
import { createGit, type Git, type Mirror } from './index.js';
import type { GitCredentials } from './process/environment.js';
import type { GitOptions } from './options.js';
import { HttpRemote } from './testing/http-remote.js';
import { Sandbox, type TestRemote } from './testing/sandbox.js';

const dev = 'refs/heads/dev';
const testPassword = 'cAnArY-0123456789';
const author = { name: 'Bot', email: 'bot@example.com', date: '2024-05-01T10:00:00Z' };

let sandbox: Sandbox;
let remote: TestRemote;
let server: HttpRemote | undefined;
let git: Git;

type Intercept = (path: string, response: ServerResponse) => boolean;

async function serve({ intercept }: { intercept?: Intercept } = {}) {
  server = await HttpRemote.start({
    root: sandbox.root,
    password: testPassword,
    intercept: intercept && ((request, response) => intercept(request.url ?? '', response)),
  });
  return server;
}

function open(
  url: string,
  password: string | null = testPassword,
  options: Partial<GitOptions> = {},
): Mirror {
  git = createGit({
    cacheDir: sandbox.cacheDir,
    transports: ['http'],
    gitPath: sandbox.gitWrapper(),
    ...options,
  });
  const credentials = (): Promise<GitCredentials | undefined> =>
    Promise.resolve(password === null ? undefined : { username: 'x-access-token', password });
  return git.mirror({ url, tenant: 't', credentials });
}

beforeEach(() => {
  sandbox = new Sandbox();
  remote = sandbox.remote();
});
afterEach(async () => {
  git.close();
  await server?.close();
  server = undefined;
  sandbox.remove();
});

test('supports all operations over smart HTTP, without the secret in argv or on disk', async () => {
  const old = remote.commit(dev, { a: '1', b: 'one' });
  const tip = remote.commit(dev, { a: '2', b: 'two' });
  const mirror = open((await serve()).url('remote.git'));
  expect((await mirror.refresh([dev])).refs.get(dev)).toBe(tip);
  expect(String(await mirror.file(tip, 'b'))).toBe('two');
  expect(await mirror.isAncestor(old, tip)).toBe(true);
  const revert = await mirror.commitTree({
    tree: (await mirror.treeOf(old)) ?? '',
    parents: [tip],
    message: 'revert',
    author: author,
  });
  await mirror.push({ ref: dev, sha: revert, expected: tip });
  expect(remote.tip(dev)).toBe(revert);

  const basic = Buffer.from(`x-access-token:${testPassword}`).toString('base64');
  const processes = sandbox.processes();
  expect(processes.length).toBeGreaterThan(4);
  for (const { args } of processes) {
    expect(args.join(' ')).not.toContain(testPassword);
    expect(args.join(' ')).not.toContain(basic);
  }
  // Positive control: the secret was used, only in the environment of processes that use the network.
  const holders = processes
    .filter(({ environment }) => environment.includes(basic))
    .map(({ args }) => args[0]);
  expect(new Set(holders)).toEqual(new Set(['fetch', 'push']));
  expect(processes.some(({ environment }) => environment.includes(testPassword))).toBe(false);
  const grep = (text: string) =>
    execFileSync('sh', ['-c', 'grep -rlaF -- "$1" "$2" || true', 'sh', text, sandbox.cacheDir], {
      encoding: 'utf8',
    });
  expect(grep(testPassword) + grep(basic)).toBe('');
  expect(grep('remote.git')).toContain('config');
});

test('starts git with a clean environment', async () => {
  process.env['INTERLOCK_TEST_SECRET'] = testPassword;
  process.env['GIT_SSH_COMMAND'] = 'false';
  try {
    remote.commit(dev, { a: '1' });
    await open((await serve()).url('remote.git')).refresh([dev]);
  } finally {
    delete process.env['INTERLOCK_TEST_SECRET'];
    delete process.env['GIT_SSH_COMMAND'];
  }
  for (const { environment } of sandbox.processes()) {
    expect(environment).not.toContain('INTERLOCK_TEST_SECRET');
    expect(environment).not.toContain('GIT_SSH_COMMAND');
    expect(environment).toContain('GIT_TERMINAL_PROMPT=0');
    expect(environment).toContain('GIT_CONFIG_NOSYSTEM=1');
    expect(environment).toContain('LC_ALL=C');
  }
});

describe('the HTTP client', () => {
  test.each([
    [
      'a wrong password',
      'wrong-password',
      'remote.git',
      { type: 'Unauthorized', reason: 'AuthenticationFailed' },
    ],
    ['no password', null, 'remote.git', { type: 'Unauthorized', reason: 'AuthenticationFailed' }],
    [
      'a repository that does not exist',
      testPassword,
      'absent.git',
      { type: 'NotFound', reason: 'RepositoryNotFound' },
    ],
  ])('reports the cause and hides the secret: %s', async (_, password, name, expected) => {
    remote.commit(dev, { a: '1' });
    const failure = open((await serve()).url(name), password).refresh([dev]);
    await expect(failure).rejects.toMatchObject(expected);
    await expect(failure).rejects.not.toMatchObject({
      message: expect.stringContaining(password ?? testPassword),
    });
  });

  test.each([
    [403, { type: 'Unauthorized', reason: 'AccessDenied' }],
    [404, { type: 'NotFound', reason: 'RepositoryNotFound' }],
    [429, { type: 'RateLimited', retryAfterMs: 60_000 }],
    [500, { type: 'Transient', reason: 'RemoteUnavailable' }],
    [503, { type: 'Transient', reason: 'RemoteUnavailable' }],
  ])('reports the cause of an answer with HTTP %i', async (status, expected) => {
    const failing = await serve({ intercept: (_, response) => (response.writeHead(status).end(), true) });
    await expect(open(failing.url('remote.git')).refresh([dev])).rejects.toMatchObject(expected);
  });

  test('masks a secret that the remote sends back', async () => {
    const basic = Buffer.from(`x-access-token:${testPassword}`).toString('base64');
    const echo = `remote says ${testPassword} and ${basic}`;
    const failing = await serve({
      intercept: (_, response) => (response.writeHead(500, { 'content-type': 'text/plain' }).end(echo), true),
    });
    const failure = open(failing.url('remote.git')).refresh([dev]);
    await expect(failure).rejects.toMatchObject({
      message: expect.stringContaining('remote says *** and ***'),
    });
  });

  test('reports a connection that is refused', async () => {
    const gone = await serve();
    const url = gone.url('remote.git');
    await gone.close();
    server = undefined;
    await expect(open(url).refresh([dev])).rejects.toMatchObject({
      type: 'Transient',
      reason: 'RemoteUnavailable',
    });
  });

  test('reports a host without an address', async () => {
    await expect(open('http://absent.invalid/r.git').refresh([dev])).rejects.toMatchObject({
      type: 'Transient',
      reason: 'HostNotResolved',
    });
  });

  test('ends a request to a remote that never responds, at the timeout or at an abort', async () => {
    let asked: () => void = () => undefined;
    const silence = await serve({ intercept: () => (asked(), true) });
    const metrics = new Registry();
    const limited = open(silence.url('remote.git'), testPassword, { timeoutsMs: { lsRemote: 200 }, metrics });
    await expect(limited.refresh([dev])).rejects.toMatchObject({ type: 'Transient', reason: 'GitTimeout' });
    expect(await metrics.metrics()).toContain(
      'git_operations_total{operation="ls-remote",result="Transient"} 1',
    );
    git.close();

    const reached = new Promise<void>((resolve) => (asked = resolve));
    const controller = new AbortController();
    const aborted = open(silence.url('remote.git')).refresh([dev], { signal: controller.signal });
    const outcome = expect(aborted).rejects.toBe('enough');
    await reached;
    controller.abort('enough');
    await outcome;
  });

  test('passes on the error of the source of credentials', async () => {
    git = createGit({ cacheDir: sandbox.cacheDir, transports: ['http'] });
    const credentials = () => Promise.reject(new Error('no secret named x'));
    const mirror = git.mirror({ url: (await serve()).url('remote.git'), tenant: 't', credentials });
    await expect(mirror.refresh([dev])).rejects.toThrow('no secret named x');
  });
});

test('follows a redirect to the new name of a repository on the same host', async () => {
  const tip = remote.commit(dev, { a: '1' });
  const moved = await serve({
    intercept(path, response) {
      if (!path.startsWith('/old.git')) return false;
      response.writeHead(301, { location: path.replace('/old.git', '/remote.git') }).end();
      return true;
    },
  });
  expect((await open(moved.url('old.git')).refresh([dev])).refs.get(dev)).toBe(tip);
});

test('follows a redirect to another host without the secret', async () => {
  const tip = remote.commit(dev, { a: '1' });
  const seen: (string | undefined)[] = [];
  const other = await HttpRemote.start({
    root: sandbox.root,
    intercept: (request) => (seen.push(request.headers.authorization), false),
  });
  try {
    const location = other.url('remote.git').replace('127.0.0.1', 'localhost');
    const moved = await serve({
      intercept(path, response) {
        response.writeHead(301, { location: path.replace('/old.git', location) }).end();
        return true;
      },
    });
    const mirror = open(moved.url('old.git'));
    expect((await mirror.refresh([dev])).refs.get(dev)).toBe(tip);
    expect(seen.length).toBeGreaterThan(2);
    expect(seen.filter((header) => header !== undefined)).toEqual([]);
  } finally {
    await other.close();
  }
});

test('reads references without a process again after a remote has redirected to a page for a time', async () => {
  const tip = remote.commit(dev, { a: '1' });
  let isDown = true;
  const forge = await serve({
    intercept(path, response) {
      if (!isDown) return false;
      if (path.startsWith('/login')) response.writeHead(200, { 'content-type': 'text/html' }).end('<html>');
      else response.writeHead(302, { location: '/login' }).end();
      return true;
    },
  });
  const mirror = open(forge.url('remote.git'));
  await expect(mirror.refresh([dev])).rejects.toMatchObject({ name: 'TypedError' });
  isDown = false;
  expect((await mirror.refresh([dev])).refs.get(dev)).toBe(tip);
  sandbox.processes();
  await mirror.refresh([dev]);
  expect(sandbox.processes()).toEqual([]);
});

test('counts every process and every operation', async () => {
  remote.commit(dev, { a: '1' });
  const metrics = new Registry();
  const mirror = open((await serve()).url('remote.git'), testPassword, { metrics });
  const { refs } = await mirror.refresh([dev]);
  await mirror.file(refs.get(dev) ?? '', 'a');
  const counted = async (metric: string) => {
    const { values } = (await metrics.getSingleMetric(metric)?.get()) ?? { values: [] };
    return values.reduce((sum, { value }) => sum + value, 0);
  };
  expect(await counted('git_processes_total')).toBe(sandbox.processes().length);
  // Without a process: the references and the blob.
  expect(await counted('git_operations_total')).toBe((await counted('git_processes_total')) + 2);
  const text = await metrics.metrics();
  expect(text).toContain('git_operations_total{operation="ls-remote",result="success"} 1');
  expect(text).toContain('git_operations_duration_seconds_count{operation="ls-remote"} 1');
  expect(text).toContain('git_operations_duration_seconds_count{operation="fetch"} 2');
});
