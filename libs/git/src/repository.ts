import { createHash } from 'node:crypto';
import { appendFile, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { isTyped } from '@interlock/api';
import type { DiskCache } from './cache/disk.js';
import { withinSize } from './cache/size.js';
import { Damage, pointsAtDamage } from './damage.js';
import { CatFile, parseObject, type GitObject } from './objects/cat-file.js';
import { writeLooseBlob } from './objects/loose.js';
import type { ReaderSlots } from './objects/reader-slots.js';
import type { GitLogger } from './options.js';
import { createdAnew, ofMirror } from './mirror-errors.js';
import { Limit } from './process/limit.js';
import type { CommandResult } from './process/run.js';
import { diskFull, lockLeft, memoryExceeded, mirrorLost } from './process/failure.js';
import type { GitCommand, Runner } from './process/runner.js';
import type { RemoteGit } from './remote/remote-git.js';
import { tipRef, tips } from './remote/tips.js';

type RepositoryCommand = Omit<GitCommand, 'gitDir' | 'remote' | 'owner'> & {
  /** Whether the process may use the remote, and therefore receives its credentials. */
  remote?: boolean;
  /** The generation of the repository that the process needs; in a recreated one, it fails and is not repeated. */
  generation?: number;
};

/* The approximate overhead of a file on disk. */
const looseBytes = 4096;
const readerArgs = ['cat-file', '--batch-command'] as const;

/** Returns the folder name of a mirror: two tenants never share one. */
export function mirrorName(tenant: string, url: string): string {
  return createHash('sha256')
    .update(JSON.stringify([tenant, url]))
    .digest('hex')
    .slice(0, 40);
}

interface RepositoryOptions {
  /** The owner for fair scheduling of the processes of the repository. */
  owner: string;
  /** Milliseconds. */
  readerIdleMs: number;
  slots: ReaderSlots;
  /** Git searches all packs for each object (see gc.autoPackLimit). */
  maxPacks: number;
  /** Bytes on disk. */
  maxBytes: number;
  log?: GitLogger | undefined;
}

/** A bare, blobless repository on disk that is created when it is needed and may be deleted at any time. */
export class Repository {
  readonly directory: string;
  readonly reader: CatFile;
  /** Incremented each time the repository is recreated, which invalidates cached content. */
  generation = 0;
  /** Whether pushes are refused. */
  readOnly = false;
  readonly owner: string;
  readonly #creating = new Limit(1);
  readonly #damage = new Damage();
  #users = 0;
  /** Whether the folder is free of files that processes have left behind. */
  #isTidy = false;
  /** The number of packs above which the repository is repacked; doubled when that fails, to delay the next attempt. */
  #packLimit: number;

  readonly #runner: Runner;
  readonly #disk: DiskCache;
  readonly #options: RepositoryOptions;

  constructor(
    readonly name: string,
    readonly remote: RemoteGit,
    runner: Runner,
    disk: DiskCache,
    options: RepositoryOptions,
  ) {
    this.#runner = runner;
    this.#disk = disk;
    this.#options = options;

    this.directory = disk.path(name);
    this.owner = options.owner;
    this.#packLimit = options.maxPacks;
    this.reader = new CatFile({
      owner: options.owner,
      startProcess: () => runner.launch(this.directory, readerArgs),
      idleMs: options.readerIdleMs,
      answerMs: runner.timeouts.local,
      slots: options.slots,
    });
  }

  /** Runs `task` while the repository exists and is not evicted. */
  use<T>(task: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    return this.#disk.use(this.name, async () => {
      await this.#creating.run(async () => {
        await this.#ensureCreated(signal);
        this.#users += 1;
      }, signal);
      try {
        return await task();
      } finally {
        this.#users -= 1;
        if (!this.#isTidy)
          await this.#creating.run(() => this.#tidy()).catch((error: unknown) => this.#notTidied(error));
      }
    });
  }

  /** Returns the object, or undefined when it is not in the repository. @throws as {@link CatFile.read}. */
  async read(sha: string, maxBytes: number): Promise<GitObject | undefined> {
    try {
      return await this.#ask(() => this.reader.read(sha, maxBytes));
    } catch (error) {
      if (!isTyped(error) || error.reason !== memoryExceeded) throw error;
      return this.#readAlone(sha, maxBytes);
    }
  }

  /** Reads an object by a separate process, which may use more memory than a reader. */
  async #readAlone(sha: string, maxBytes: number): Promise<GitObject | undefined> {
    const command = { args: ['cat-file', '--batch'], input: `${sha}\n` } as const;
    const { stdout } = await this.git({ ...command, maxOutputBytes: maxBytes + 100 });
    return parseObject(stdout);
  }

  /** Accounts for bytes that are written without `git fetch`. Returns whether there is space for them. */
  claim(bytes: number): boolean {
    return this.#disk.grow(this.name, bytes, this.#options.maxBytes);
  }

  /**
   * Writes blobs into the repository without a process. Returns whether they were written: there may be no space.
   * @param blobs by their ids, which have to be the ids of the contents.
   */
  async write(blobs: ReadonlyMap<string, Buffer>): Promise<boolean> {
    const bytes = [...blobs.values()].reduce((sum, { length }) => sum + length + looseBytes, 0);
    if (!this.claim(bytes)) return false;
    try {
      for (const [id, content] of blobs) await writeLooseBlob(this.directory, id, content);
      return true;
    } catch (error) {
      this.#options.log?.debug({ mirror: this.name, error }, 'could not write blobs');
      return false;
    }
  }

  /** Returns whether a reference or an object id exists in the repository. */
  exists(revision: string): Promise<boolean> {
    return this.#ask(() => this.reader.exists(revision));
  }

  /** Counts a sign of damage, and recreates the mirror after several. */
  async suspectDamage(generation = this.generation): Promise<void> {
    if (generation !== this.generation || !this.#damage.count()) return;
    this.#options.log?.warn({ mirror: this.name }, 'a git mirror is damaged and is recreated');
    await this.#replace(generation, undefined);
  }

  async #ask<T>(question: () => Promise<T>): Promise<T> {
    const { generation } = this;
    try {
      return await question();
    } catch (error) {
      if (pointsAtDamage(error, false)) await this.suspectDamage(generation);
      throw error;
    }
  }

  /** Returns the result of a git process in this repository. It is repeated once when the folder is lost or a lock was left behind. */
  git(command: RepositoryCommand): Promise<CommandResult> {
    return this.use(async () => {
      const { generation } = this;
      if (command.generation !== undefined && command.generation !== generation) throw createdAnew(command);
      try {
        return await this.#gitNow(command);
      } catch (error) {
        if (command.generation !== undefined) throw await this.#failed(error, command, generation);
        if (isTyped(error) && error.reason === mirrorLost) await this.#replace(generation, command.signal);
        else if (isTyped(error) && error.reason === lockLeft) await this.#removeFiles(/\.lock$/);
        else throw await this.#failed(error, command, generation);
        return this.#gitNow(command);
      }
    }, command.signal);
  }

  /** Reacts to a failure so that the next attempt may succeed. Returns the failure. */
  async #failed(error: unknown, command: RepositoryCommand, generation: number): Promise<unknown> {
    const failure = ofMirror(error, command);
    if (!isTyped(failure) || failure.type === 'Transient' || failure.type === 'Invalid') this.#isTidy = false;
    if (isTyped(failure) && failure.reason === diskFull) await this.#disk.relieve();
    if (pointsAtDamage(failure, command.remote === true)) await this.suspectDamage(generation);
    return failure;
  }

  /** Packs the repository when it has many packs (`keep`: commits whose history is needed) and accounts for its size. */
  async maintain(keep: ReadonlySet<string>, signal?: AbortSignal): Promise<void> {
    try {
      if ((await this.#countPacks()) > this.#packLimit) await this.#pack(keep, signal);
    } catch (error) {
      signal?.throwIfAborted();
      this.#packLimit = 2 * (await this.#countPacks());
      const packLimit = this.#packLimit;
      this.#options.log?.warn({ mirror: this.name, error, packLimit }, 'could not pack a git mirror');
    }
    await this.#disk.account(this.name);
  }

  async #pack(keep: ReadonlySet<string>, signal?: AbortSignal): Promise<void> {
    await this.#dropTips(keep, signal);
    await this.git({ args: ['gc', '--quiet'], remote: true, timeout: 'fetch', signal });
    this.#packLimit = this.#options.maxPacks;
  }

  async #countPacks(): Promise<number> {
    const names = await readdir(join(this.directory, 'objects/pack')).catch(() => []);
    return names.filter((name) => /^pack-.*\.pack$/.test(name)).length;
  }

  async #dropTips(keep: ReadonlySet<string>, signal?: AbortSignal): Promise<void> {
    const { stdout } = await this.git({ args: ['for-each-ref', '--format=%(objectname)', tips], signal });
    const stale = stdout
      .toString('latin1')
      .split('\n')
      .filter((sha) => sha !== '' && !keep.has(sha));
    if (stale.length === 0) return;
    const input = stale.map((sha) => `delete ${tipRef(sha)}\n`).join('');
    await this.git({ args: ['update-ref', '--stdin'], input, signal });
  }

  #gitNow({ remote = false, generation: _, ...command }: RepositoryCommand): Promise<CommandResult> {
    const local = { ...command, gitDir: this.directory, owner: this.owner };
    if (!remote) return this.#runner.run(local);
    return withinSize(this.directory, this.#options.maxBytes, (tooLarge) => {
      const signal = AbortSignal.any([tooLarge, ...(command.signal ? [command.signal] : [])]);
      const onRepeat = () => void (this.#isTidy = false);
      return this.remote.run({ ...local, signal, onRepeat });
    });
  }

  async #removeFiles(pattern: RegExp): Promise<void> {
    const names = await readdir(this.directory, { recursive: true }).catch(() => []);
    for (const name of names.filter((path) => pattern.test(path))) {
      await rm(join(this.directory, name), { force: true, recursive: true });
    }
  }

  async #ensureCreated(signal: AbortSignal | undefined): Promise<void> {
    const created = await stat(join(this.directory, 'HEAD')).catch(() => undefined);
    if (!created) return this.#create(signal);
    await this.#tidy();
  }

  #notTidied(error: unknown): void {
    this.#options.log?.warn(
      { mirror: this.name, error },
      'could not remove the files that git processes left behind',
    );
  }

  /** Removes files that failed or killed processes have left behind, unless a running process may own them. */
  async #tidy(): Promise<void> {
    if (this.#isTidy || this.#users > 0) return;
    this.#isTidy = true;
    await this.#removeFiles(leftBehind);
  }

  /* Of several commands that find the folder lost, one replaces it. */
  #replace(generation: number, signal: AbortSignal | undefined): Promise<void> {
    return this.#creating.run(async () => {
      if (this.generation === generation) await this.#create(signal);
    }, signal);
  }

  async #create(signal: AbortSignal | undefined): Promise<void> {
    this.generation += 1;
    this.#isTidy = true;
    this.reader.close();
    await this.#disk.create(this.name, async (directory) => {
      const args = ['init', '--quiet', '--bare', '--template=', directory] as const;
      await this.#runner.run({ args, owner: this.owner, signal });
      await appendFile(
        join(directory, 'config'),
        `[remote "origin"]\n\turl = ${quoteConfig(this.remote.url)}\n`,
      );
    });
  }
}

/* Locks, partially written files, and marks that keep `gc` from packing new packs. */
const leftBehind = /\.lock$|\.keep$|(^|\/)(tmp_|\.tmp-)[^/]*$/;

function quoteConfig(value: string): string {
  return `"${value.replace(/[\\"]/g, '\\$&')}"`;
}
