import { createHash } from 'node:crypto';
import { appendFile, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { isTyped } from '@interlock/api';
import type { DiskCache } from './cache/disk.js';
import { CatFile } from './objects/cat-file.js';
import type { GitLogger } from './options.js';
import type { GitCredentials, RemoteAccess } from './process/environment.js';
import { Limit } from './process/limit.js';
import type { CommandResult } from './process/run.js';
import { LOCK_LEFT, MIRROR_LOST, REDIRECTED } from './process/failure.js';
import type { GitCommand, Runner } from './process/runner.js';
import type { DirectRefs } from './remote/direct-refs.js';
import { goesAsGit } from './remote/direct.js';

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

export interface RepositoryOptions {
  /** Milliseconds. */
  readerIdleMs: number;
  /** Git looks through all packs for each object (what gc.autoPackLimit is for). */
  maxPacks: number;
  log?: GitLogger | undefined;
}

/** A bare, blobless repository on disk that comes into being when it is needed and may vanish at any time. */
export class Repository {
  readonly directory: string;
  readonly reader: CatFile;
  /** Raised each time the repository is created anew: what was known to be in it no longer is. */
  generation = 0;
  /** Nothing is pushed from it. */
  readOnly = false;
  private readonly creating = new Limit(1);
  private used = false;
  private redirects = false;

  constructor(
    readonly name: string,
    readonly url: string,
    public credentials: CredentialSource,
    private readonly runner: Runner,
    readonly direct: DirectRefs,
    private readonly disk: DiskCache,
    private readonly options: RepositoryOptions,
  ) {
    this.directory = disk.path(name);
    this.reader = new CatFile(() => runner.launch(this.directory, READER_ARGS), options.readerIdleMs);
  }

  /** Runs `task` while the repository exists and is not evicted. */
  use<T>(task: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    return this.disk.use(this.name, async () => {
      await this.creating.run(() => this.ensureCreated(signal), signal);
      return task();
    });
  }

  /** @returns the result of a git process in this repository. It is repeated once when the folder is lost or a lock was left behind. */
  git(command: RepositoryCommand): Promise<CommandResult> {
    return this.use(async () => {
      const { generation } = this;
      try {
        return await this.gitNow(command);
      } catch (error) {
        if (isTyped(error) && error.reason === MIRROR_LOST) await this.replace(generation, command.signal);
        else if (isTyped(error) && error.reason === LOCK_LEFT) await this.removeFiles(/\.lock$/);
        else throw error;
        return this.gitNow(command);
      }
    }, command.signal);
  }

  /** What is needed to use the remote at this moment. @throws what the source of the credentials does. */
  async access(): Promise<RemoteAccess> {
    return { url: this.url, credentials: await this.credentials(), redirects: this.redirects };
  }

  /** Whether the remote can be asked by HTTP without git, to the same effect. */
  get goesDirect(): boolean {
    if (this.redirects || this.direct.isHopeless || this.runner.hasOwnVariables) return false;
    return goesAsGit(this.url, process.env);
  }

  /** @returns the result of a git process that may use the remote and needs no repository. */
  async gitRemote(command: Omit<GitCommand, 'remote'>): Promise<CommandResult> {
    const run = async () => this.runner.run({ ...command, remote: await this.access() });
    try {
      return await run();
    } catch (error) {
      if (this.redirects || !isTyped(error) || error.reason !== REDIRECTED) throw error;
      this.redirects = true;
      return run();
    }
  }

  /** Packs the repository when it has many packs (`keep`: the commits whose history is wanted further) and accounts for its size. */
  async maintain(keep: ReadonlySet<string>, signal?: AbortSignal): Promise<void> {
    try {
      const names = await readdir(join(this.directory, 'objects/pack')).catch(() => []);
      if (names.filter((name) => name.endsWith('.pack')).length > this.options.maxPacks) {
        await this.dropTips(keep, signal);
        await this.git({ args: ['gc', '--quiet'], remote: true, timeout: 'fetch', signal });
      }
    } catch (error) {
      signal?.throwIfAborted();
      this.options.log?.warn({ mirror: this.name, error }, 'a git mirror was not packed');
    }
    await this.disk.account(this.name);
  }

  private async dropTips(keep: ReadonlySet<string>, signal?: AbortSignal): Promise<void> {
    const { stdout } = await this.git({ args: ['for-each-ref', '--format=%(objectname)', TIPS], signal });
    const stale = stdout
      .toString('latin1')
      .split('\n')
      .filter((sha) => sha !== '' && !keep.has(sha));
    if (stale.length === 0) return;
    const input = stale.map((sha) => `delete ${tipRef(sha)}\n`).join('');
    await this.git({ args: ['update-ref', '--stdin'], input, signal });
  }

  private gitNow({ remote = false, ...command }: RepositoryCommand): Promise<CommandResult> {
    const local = { ...command, gitDir: this.directory };
    return remote ? this.gitRemote(local) : this.runner.run(local);
  }

  private async removeFiles(pattern: RegExp): Promise<void> {
    const names = await readdir(this.directory, { recursive: true });
    for (const name of names.filter((path) => pattern.test(path))) {
      await rm(join(this.directory, name), { force: true, recursive: true });
    }
  }

  private async ensureCreated(signal: AbortSignal | undefined): Promise<void> {
    const created = await stat(join(this.directory, 'HEAD')).catch(() => undefined);
    if (!created) return this.create(signal);
    // Only fetches and maintenance write under locks, one at a time: at the first use nobody alive owns one.
    if (!this.used) await this.removeFiles(/\.lock$|(^|\/)tmp_[^/]*$/);
    this.used = true;
  }

  /* Of several commands that find the folder lost, one replaces it. */
  private replace(generation: number, signal: AbortSignal | undefined): Promise<void> {
    return this.creating.run(async () => {
      if (this.generation === generation) await this.create(signal);
    }, signal);
  }

  private async create(signal: AbortSignal | undefined): Promise<void> {
    this.generation += 1;
    this.used = true;
    this.reader.close();
    await this.disk.create(this.name, async (directory) => {
      await this.runner.run({ args: ['init', '--quiet', '--bare', '--template=', directory], signal });
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
