import type { IncomingMessage, ServerResponse } from 'node:http';
import { createGit, type Mirror } from '../index.js';
import type { GitCredentials } from '../process/environment.js';
import type { GitOptions } from '../options.js';
import { HttpRemote, type HttpRemoteOptions } from './http-remote.js';
import { Sandbox, type TestRemote } from './sandbox.js';

export type Intercept = (request: IncomingMessage, response: ServerResponse) => boolean;

export const devRef = 'refs/heads/dev';
export const testPassword = 'cAnArY-0123456789';

/** Returns whether a request comes from this library, not from git. */
export function isOurs({ headers }: IncomingMessage): boolean {
  return headers['user-agent'] === 'git/interlock';
}

/** Returns whether a request of this library requests references. */
export function isQuestion(request: IncomingMessage): boolean {
  return isOurs(request) && request.method === 'POST';
}

/** A remote with one branch, and mirrors that access it by HTTP. */
export class DirectFixture {
  readonly sandbox = new Sandbox();
  readonly remote: TestRemote = this.sandbox.remote();
  readonly tip = this.remote.commit(devRef, { a: '1' });
  readonly #closing: (() => unknown)[] = [];

  async serve(
    intercept: Intercept = () => false,
    options: Omit<HttpRemoteOptions, 'root'> = {},
  ): Promise<HttpRemote> {
    const server = await HttpRemote.start({ root: this.sandbox.root, intercept, ...options });
    this.#closing.push(() => server.close());
    return server;
  }

  open(url: string, options: Partial<GitOptions> = {}, credentials?: () => GitCredentials): Mirror {
    const { cacheDir } = this.sandbox;
    const gitPath = this.sandbox.gitWrapper();
    const git = createGit({ cacheDir, transports: ['http', 'https'], gitPath, ...options });
    this.#closing.push(() => git.close());
    return git.mirror({ url, tenant: 't', credentials: () => Promise.resolve(credentials?.()) });
  }

  /** Returns the subcommands of the git processes started since the last call. */
  started(): (string | undefined)[] {
    return this.sandbox.processes().map(({ args }) => args[0]);
  }

  /** Closes the resource that was opened last. */
  async closeLast(): Promise<void> {
    await this.#closing.pop()?.();
  }

  async close(): Promise<void> {
    while (this.#closing.length > 0) await this.closeLast();
    this.sandbox.remove();
  }
}
