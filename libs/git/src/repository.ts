import { createHash } from 'node:crypto';
import { appendFile, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { isTyped } from '@interlock/api';
import type { DiskCache } from './cache/disk.js';
import { CatFile } from './objects/cat-file.js';
import type { GitCredentials } from './process/environment.js';
import { Limit } from './process/limit.js';
import type { CommandResult } from './process/run.js';
import { LOCK_LEFT, MIRROR_LOST } from './process/failure.js';
import type { GitCommand, Runner } from './process/runner.js';

export type CredentialSource = () => Promise<GitCredentials | undefined>;

type RepositoryCommand = Omit<GitCommand, 'gitDir' | 'remote'> & {
  /** Whether the process may use the remote, to which it then gets the credentials. */
  remote?: boolean;
};

const READER_ARGS = ['cat-file', '--batch-command'] as const;

/** @returns the folder name of a mirror: two tenants never share one. */
export function mirrorName(tenant: string, url: string): string {
  return createHash('sha256')
    .update(JSON.stringify([tenant, url]))
    .digest('hex')
    .slice(0, 40);
}

export interface RepositoryLimits {
  /** Milliseconds. */
  readerIdleMs: number;
  /** Git looks through all packs for each object (what gc.autoPackLimit is for). */
  maxPacks: number;
}

/** A bare, blobless repository on disk that comes into being when it is needed and may vanish at any time. */
export class Repository {
  readonly directory: string;
  readonly reader: CatFile;
  /** Raised each time the repository is created anew: what was known to be in it no longer is. */
  generation = 0;
  private readonly creating = new Limit(1);
  private tidied = false;

  constructor(
    readonly name: string,
    readonly url: string,
    public credentials: CredentialSource,
    private readonly runner: Runner,
    private readonly disk: DiskCache,
    private readonly limits: RepositoryLimits,
  ) {
    this.directory = disk.path(name);
    this.reader = new CatFile(() => runner.launch(this.directory, READER_ARGS), limits.readerIdleMs);
  }

  /** Runs `task` while the repository exists and is not evicted. */
  use<T>(task: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    return this.disk.use(this.name, async () => {
      await this.creating.run(() => this.ensureCreated(signal), signal);
      return task();
    });
  }

  /** @returns the result of a git process in this repository. It is repeated once when the folder has vanished or a lock was left behind. */
  git(command: RepositoryCommand): Promise<CommandResult> {
    return this.use(async () => {
      try {
        return await this.gitNow(command);
      } catch (error) {
        if (isTyped(error) && error.reason === MIRROR_LOST) {
          await this.creating.run(() => this.ensureCreated(command.signal), command.signal);
        } else if (isTyped(error) && error.reason === LOCK_LEFT) {
          await this.tidy();
        } else {
          throw error;
        }
        return this.gitNow(command);
      }
    }, command.signal);
  }

  /** @returns the result of a git process that needs no repository, only the remote. */
  async gitRemote(command: Omit<RepositoryCommand, 'remote'>): Promise<CommandResult> {
    return this.runner.run({ ...command, remote: { url: this.url, credentials: await this.credentials() } });
  }

  /** Packs the repository when it has many packs; `keep` are the objects whose history is wanted further. */
  async maintain(keep: ReadonlySet<string>, signal: AbortSignal): Promise<void> {
    const names = await readdir(join(this.directory, 'objects/pack')).catch(() => []);
    if (names.filter((name) => name.endsWith('.pack')).length > this.limits.maxPacks) {
      await this.dropTips(keep, signal);
      await this.git({ args: ['gc', '--quiet'], remote: true, timeout: 'fetch', signal });
    }
    await this.disk.account(this.name);
  }

  private async dropTips(keep: ReadonlySet<string>, signal: AbortSignal): Promise<void> {
    const { stdout } = await this.git({ args: ['for-each-ref', '--format=%(objectname)', TIPS], signal });
    const stale = stdout
      .toString('latin1')
      .split('\n')
      .filter((sha) => sha !== '' && !keep.has(sha));
    if (stale.length === 0) return;
    const input = stale.map((sha) => `delete ${tipRef(sha)}\n`).join('');
    await this.git({ args: ['update-ref', '--stdin'], input, signal });
  }

  private async gitNow({ remote = false, ...command }: RepositoryCommand): Promise<CommandResult> {
    return this.runner.run({
      ...command,
      gitDir: this.directory,
      ...(remote ? { remote: { url: this.url, credentials: await this.credentials() } } : {}),
    });
  }

  /* Only fetches and maintenance write under locks, one at a time, so a lock that is met belongs to nobody alive. */
  private async tidy(): Promise<void> {
    this.tidied = true;
    const names = await readdir(this.directory, { recursive: true });
    const left = names.filter((name) => name.endsWith('.lock') || /(^|\/)tmp_[^/]*$/.test(name));
    for (const name of left) await rm(join(this.directory, name), { force: true, recursive: true });
  }

  private async ensureCreated(signal: AbortSignal | undefined): Promise<void> {
    const created = await stat(join(this.directory, 'HEAD')).catch(() => undefined);
    if (created) return this.tidied ? undefined : this.tidy();
    this.generation += 1;
    this.reader.close();
    await this.disk.create(this.name, async (directory) => {
      const args = ['init', '--quiet', '--bare', '--template=', directory] as const;
      await this.runner.run({ args: [...args], ...(signal ? { signal } : {}) });
      await appendFile(join(directory, 'config'), `[remote "origin"]\n\turl = ${quoteConfig(this.url)}\n`);
    });
  }
}

/** Every fetched tip has a reference named after itself: no names to clash, nothing to force, and all of it is reachable. */
export const TIPS = 'refs/tips';

export function tipRef(sha: string): string {
  return `${TIPS}/${sha}`;
}

function quoteConfig(value: string): string {
  return `"${value.replace(/[\\"]/g, '\\$&')}"`;
}
