import { rmSync } from 'node:fs';
import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { runProgram } from '@interlock/process';
import { Octokit } from 'octokit';
import { createAppAuth } from '@octokit/auth-app';
import { fetch as undiciFetch } from 'undici';
import {
  startForge,
  type AppHandle,
  type Forge,
  type ForgeOptions,
  type RepositoryHandle,
} from '../index.js';

const limits = { timeoutMs: 60_000, maxOutputBytes: 1024 * 1024 };
const closers: (() => Promise<unknown>)[] = [];

/** Closes the resources of the tests of a file, newest first. */
export async function closeAll(): Promise<void> {
  while (closers.length > 0) await closers.pop()?.();
}

export function onClose(close: () => Promise<unknown>): void {
  closers.push(close);
}

export async function openForge(options: ForgeOptions = {}): Promise<Forge> {
  const forge = await startForge(options);
  onClose(() => forge.close());
  return forge;
}

export async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'forge-test-'));
  onClose(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** Tests do not use the configuration of the machine. */
const environment = {
  PATH: process.env['PATH'] ?? '',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_TERMINAL_PROMPT: '0',
  GIT_AUTHOR_NAME: 'Ada',
  GIT_AUTHOR_EMAIL: 'ada@example.com',
  GIT_COMMITTER_NAME: 'Ada',
  GIT_COMMITTER_EMAIL: 'ada@example.com',
};

/** Returns the trimmed standard output. Rejects with an Error that has `stderr` when git fails. */
export async function git(cwd: string, ...args: string[]): Promise<string> {
  const run = { program: 'git', args, folder: cwd, environment, ...limits };
  const { code, stdout, stderr } = await runProgram(run);
  if (code !== 0) throw Object.assign(new Error(`git ${args.join(' ')} failed: ${stderr}`), { stderr });
  return stdout.toString('utf8').trim();
}

/** Writes files and commits them. @returns the commit. */
export async function commit(
  folder: string,
  files: Record<string, string>,
  message = 'change',
): Promise<string> {
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  }
  await git(folder, 'add', '--all');
  await git(folder, 'commit', '--quiet', '--allow-empty', '--message', message);
  return git(folder, 'rev-parse', 'HEAD');
}

export interface Sandbox {
  forge: Forge;
  repository: RepositoryHandle;
  /** A clone with the token of the owner. */
  clone: string;
  user: { login: string; token: string };
  app: AppHandle;
  /** Client with the token of the owner. */
  octokit: Octokit;
  /** Client with the token of the App's installation. */
  bot: Octokit;
  at: { owner: string; repo: string };
}

/** Created once per process: `main` with one commit, and `feature` with another commit. */
let template: Promise<string> | undefined;

/** Returns a repository that tests copy and never change. */
export function templateRepository(): Promise<string> {
  return (template ??= makeTemplate());
}

async function makeTemplate(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'forge-template-'));
  process.once('exit', () => {
    rmSync(folder, { recursive: true, force: true });
  });
  await git(folder, 'init', '--quiet', '--initial-branch=main');
  await commit(folder, { 'README.md': 'one\n' }, 'first');
  await git(folder, 'checkout', '--quiet', '-b', 'feature');
  await commit(folder, { 'feature.txt': 'feature\n' }, 'change of feature');
  return folder;
}

/** Returns a forge with a copy of the template as the repository acme/web, its owner, and an installed App. */
export async function sandbox(options: ForgeOptions = {}): Promise<Sandbox> {
  const forge = await openForge(options);
  const user = await forge.createUser({ login: 'acme' });
  const from = { path: await templateRepository() };
  const repository = await forge.createRepository({ owner: 'acme', name: 'web', from });
  const app = await forge.createApp({ owner: 'acme', name: 'Interlock' });
  const clone = join(await temporaryFolder(), 'clone');
  await cp(from.path, clone, { recursive: true });
  await git(clone, 'remote', 'add', 'origin', withToken(repository.cloneUrl, user.token));
  const at = { owner: 'acme', repo: 'web' };
  const [octokit, bot] = [userClient(forge, user.token), appClient(forge, app)];
  return { forge, repository, clone, user, app, octokit, bot, at };
}

/** Pushes a new branch from `main` with one commit. @returns the commit. */
export async function branch(clone: string, name: string, files: Record<string, string>): Promise<string> {
  await git(clone, 'checkout', '--quiet', '-B', name, 'main');
  const sha = await commit(clone, files, `change of ${name}`);
  await git(clone, 'push', '--quiet', '--force', 'origin', name);
  return sha;
}

export function withToken(cloneUrl: string, token: string): string {
  return cloneUrl.replace('http://', `http://x-access-token:${token}@`);
}

const quiet = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
};

/** Returns an octokit client without its own retries, so that a test sees every response. */
function client(forge: Forge, options: ConstructorParameters<typeof Octokit>[0]): Octokit {
  const once = { enabled: false };
  return new Octokit({
    baseUrl: forge.apiUrl,
    log: quiet,
    retry: once,
    throttle: once,
    request: { fetch: undiciFetch },
    ...options,
  });
}

/** @param token undefined for requests without credentials. */
export function userClient(forge: Forge, token: string | undefined): Octokit {
  return client(forge, { auth: token });
}

/** @param installationId default: the installation on the owner of the App. */
export function appClient(forge: Forge, app: AppHandle, installationId = app.installationId): Octokit {
  const { appId, privateKeyPem: privateKey } = app;
  return client(forge, { authStrategy: createAppAuth, auth: { appId, privateKey, installationId } });
}

/** Returns an App as itself, not as one of its installations. */
export function appItself(forge: Forge, { appId, privateKeyPem: privateKey }: AppHandle): Octokit {
  return client(forge, { authStrategy: createAppAuth, auth: { appId, privateKey } });
}

/** Returns the status and body of the error with which a request must fail. */
export async function refusal(
  request: Promise<unknown>,
): Promise<{ status: number; message: string; errors?: unknown }> {
  const error: unknown = await request.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (typeof error === 'object' && error !== null && 'response' in error) {
    const { status, data } = error.response as {
      status: number;
      data: { message: string; errors?: unknown };
    };
    return { ...data, status };
  }
  throw new Error(`not an error response: ${String(error)}`);
}
