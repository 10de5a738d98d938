import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { startProgram } from '@interlock/process';
import { LRUCache } from 'lru-cache';
import { git, gitEnvironment } from './run.js';

/** The services of git for fetches and pushes. */
export type Service = 'git-upload-pack' | 'git-receive-pack';

export interface ServiceRequest {
  /** The bare repository. */
  repositoryPath: string;
  service: Service;
  /** The header `Git-Protocol`. */
  protocol: string;
  /** Login of the caller, who is the committer in reflogs. */
  user: string;
  env?: Readonly<Record<string, string>>;
  signal: AbortSignal;
}

/** Returns whether the header `Git-Protocol` requests version 2. */
export function isVersion2(protocol: string): boolean {
  return /(^|:)version=2(:|$)/.test(protocol);
}

/*
 * The capabilities of upload-pack in protocol version 2 depend only on the settings of the repository, not on its
 * content.
 */
const offers = new LRUCache<string, Buffer>({ max: 100 });

/** Returns the advertisement of the server (gitprotocol-http(5), "Smart Server Response"). @throws GitError */
export async function advertisement(request: ServiceRequest): Promise<Buffer> {
  const { repositoryPath, service, protocol } = request;
  if (service !== 'git-upload-pack' || !isVersion2(protocol)) {
    const line = `# service=${service}\n`;
    const length = (line.length + 4).toString(16).padStart(4, '0');
    return Buffer.concat([Buffer.from(`${length}${line}0000`), await advertise(request)]);
  }
  const key = `${protocol}\n${await readFile(join(repositoryPath, 'config'), 'utf8')}`;
  const offer = offers.get(key) ?? (await advertise(request));
  offers.set(key, offer);
  return offer;
}

async function advertise(request: ServiceRequest): Promise<Buffer> {
  const { repositoryPath, service, env, signal } = request;
  const args = [...command(service), '--http-backend-info-refs', repositoryPath];
  const { stdout } = await git(repositoryPath, args, { env: { ...environment(request), ...env }, signal });
  return stdout;
}

/**
 * Passes the request of a client to git.
 *
 * @param body unchanged; `gzip` if it is compressed.
 * @returns the streamed response, which ends early when git fails, as with git-http-backend(1).
 */
export function answer(request: ServiceRequest, body: Readable, gzip: boolean): Readable {
  const { repositoryPath, service, env, signal } = request;
  const child = startProgram({
    program: 'git',
    args: [...command(service), repositoryPath],
    environment: gitEnvironment({ ...environment(request), ...env }),
    ignore: ['stderr'],
  });
  const stop = () => child.stop();
  signal.addEventListener('abort', stop, { once: true });
  child.once('close', () => signal.removeEventListener('abort', stop));
  if (signal.aborted) stop();
  child.on('error', (error) => child.stdout.destroy(error));
  child.stdin.on('error', () => undefined);
  body.on('error', stop);
  const plain = gzip ? body.pipe(createGunzip()).on('error', stop) : body;
  plain.pipe(child.stdin);
  return child.stdout;
}

function command(service: Service): string[] {
  return [service.slice('git-'.length), '--stateless-rpc'];
}

function environment({ protocol, user }: ServiceRequest): Record<string, string> {
  return {
    GIT_PROTOCOL: protocol,
    GIT_COMMITTER_NAME: user,
    GIT_COMMITTER_EMAIL: `${user}@users.noreply.github.com`,
  };
}
