import { randomBytes } from 'node:crypto';
import { mkdir, readdir, rename, rm, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { isTyped, messageOf, TypedError } from '@interlock/api';
import { diskFull } from '../process/failure.js';
import { Limit } from '../process/limit.js';
import type { GitLogger } from '../options.js';
import { sizeOf } from './size.js';

interface Entry {
  bytes: number;
  /** Milliseconds since the epoch. */
  usedAt: number;
  /** When the time of use was last written to the disk. */
  markedAt: number;
  users: number;
  /** Whether the entry is deleted when it is no longer in use. */
  isForgotten?: boolean;
}

interface DiskCacheOptions {
  directory: string;
  maxBytes: number;
  /** The bytes that an operation on one entry may need. */
  reserveBytes: number;
  /** Returns the bytes that are free on the disk. */
  freeBytes: () => Promise<number>;
  now: () => number;
  /** Called before an entry is deleted. */
  onEvict: (name: string) => void;
  log?: GitLogger | undefined;
}

const temporaryPrefix = 'tmp-';
/* Its modification time is the time of the last use, so that the order survives a restart. */
const markFile = 'config';
const markEveryMs = 60_000;

/**
 * Folders with a bounded total size: the least recently used are evicted first, and folders in use are never evicted.
 */
export class DiskCache {
  readonly #entries = new Map<string, Entry>();
  #opened: Promise<void> | undefined;
  readonly #evicting = new Limit(1);
  /** Folders that are being removed, by name; a user of such a folder waits and recreates it. */
  readonly #removing = new Map<string, Promise<void>>();

  readonly #options: DiskCacheOptions;

  constructor(options: DiskCacheOptions) {
    this.#options = options;
  }

  path(name: string): string {
    return join(this.#options.directory, name);
  }

  /** Runs `task` while the entry cannot be evicted, and evicts others afterwards if it grew. */
  async use<T>(name: string, task: () => Promise<T>): Promise<T> {
    await this.#ready();
    for (let going = this.#removing.get(name); going; going = this.#removing.get(name)) await going;
    const entry = this.#entries.get(name) ?? { bytes: 0, usedAt: 0, markedAt: 0, users: 0 };
    this.#entries.set(name, entry);
    entry.users += 1;
    try {
      return await task();
    } finally {
      entry.users -= 1;
      if (entry.isForgotten === true) await this.#removeIdle(name, entry);
      else await this.#mark(name, entry);
    }
  }

  /** Reverts {@link forget}, while the entry exists. */
  remember(name: string): void {
    const entry = this.#entries.get(name);
    if (entry) entry.isForgotten = false;
  }

  /** Deletes an entry as soon as it is no longer in use. */
  async forget(name: string): Promise<void> {
    await this.#ready();
    const entry = this.#entries.get(name);
    if (!entry) return;
    entry.isForgotten = true;
    await this.#removeIdle(name, entry);
  }

  async #removeIdle(name: string, entry: Entry): Promise<void> {
    if (entry.users > 0 || this.#entries.get(name) !== entry) return;
    this.#entries.delete(name);
    const removal = this.#remove(name, entry.bytes).finally(() => this.#removing.delete(name));
    this.#removing.set(name, removal);
    await removal;
  }

  #ready(): Promise<void> {
    return (this.#opened ??= this.#open().catch((error: unknown) => this.#unusable(error)));
  }

  /**
   * Creates the entry by `fill` in a temporary folder and moves it into place, over the remains of an older entry. If the
   * disk is full, frees space for the next attempt.
   * @throws TypedError `Transient` (`DiskFull`) when the disk is full, and the errors of `fill`.
   */
  async create(name: string, fill: (directory: string) => Promise<void>): Promise<void> {
    const temporary = this.path(temporaryPrefix + randomBytes(8).toString('hex'));
    try {
      await mkdir(temporary, { recursive: true });
      await fill(temporary);
      await rm(this.path(name), { recursive: true, force: true });
      await rename(temporary, this.path(name));
    } catch (error) {
      const failure = ofDisk(error);
      if (isTyped(failure) && failure.reason === diskFull) await this.relieve();
      throw failure;
    } finally {
      await rm(temporary, { recursive: true, force: true });
    }
  }

  /** Measures a changed entry and evicts others until the total is within the bound. */
  async account(name: string): Promise<void> {
    const entry = this.#entries.get(name);
    if (entry) entry.bytes = await sizeOf(this.path(name));
    await this.#evicting.run(() => this.#evict());
  }

  /** Adds the size of a small write to an entry, so that it need not be measured. Returns whether it stays within `maxBytes`. */
  grow(name: string, bytes: number, maxBytes: number): boolean {
    const entry = this.#entries.get(name);
    if (!entry || entry.bytes + bytes > maxBytes) return false;
    entry.bytes += bytes;
    return true;
  }

  /**
   * Frees space when the disk is said to be full: deletes unused entries, the least recently used first, until an operation
   * on one entry has the space that it may need. The message may be text of a remote, so enough free space refutes it.
   */
  async relieve(): Promise<void> {
    const { reserveBytes, freeBytes } = this.#options;
    await this.#evicting.run(() => this.#removeOldest(async () => (await freeBytes()) >= reserveBytes));
  }

  #total(): number {
    let bytes = 0;
    for (const entry of this.#entries.values()) bytes += entry.bytes;
    return bytes;
  }

  async #open(): Promise<void> {
    await mkdir(this.#options.directory, { recursive: true, mode: 0o700 });
    for (const name of await readdir(this.#options.directory)) {
      const path = this.path(name);
      const mark = await stat(join(path, markFile)).catch(() => undefined);
      if (name.startsWith(temporaryPrefix)) await rm(path, { recursive: true, force: true });
      else if (mark)
        this.#entries.set(name, {
          bytes: await sizeOf(path),
          usedAt: mark.mtimeMs,
          markedAt: mark.mtimeMs,
          users: 0,
        });
    }
    await this.#evict();
  }

  /* The folder may be repaired: the next use retries. */
  #unusable(cause: unknown): never {
    this.#opened = undefined;
    const message = `cannot use the folder of the git mirrors, ${this.#options.directory}: ${messageOf(cause)}`;
    throw new TypedError('Transient', message, { reason: 'CacheUnavailable', isLocal: true, cause });
  }

  async #mark(name: string, entry: Entry): Promise<void> {
    const now = this.#options.now();
    entry.usedAt = now;
    if (now - entry.markedAt < markEveryMs) return;
    entry.markedAt = now;
    await utimes(join(this.path(name), markFile), now / 1000, now / 1000).catch(() => undefined);
  }

  async #evict(): Promise<void> {
    const { maxBytes, log } = this.#options;
    await this.#removeOldest(() => this.#total() <= maxBytes);
    const bytes = this.#total();
    if (bytes > maxBytes) log?.warn({ bytes, maxBytes }, 'the git mirrors in use exceed the disk limit');
  }

  /** Deletes unused entries, the least recently used first, until that is enough. */
  async #removeOldest(isEnough: () => boolean | Promise<boolean>): Promise<void> {
    const idle = [...this.#entries].filter(([, entry]) => entry.users === 0);
    for (const [name, entry] of idle.sort(([, a], [, b]) => a.usedAt - b.usedAt)) {
      if (await isEnough()) return;
      await this.#removeIdle(name, entry); // It is kept if it was taken into use in the meantime.
    }
  }

  async #remove(name: string, bytes: number): Promise<void> {
    this.#options.onEvict(name);
    const doomed = this.path(temporaryPrefix + randomBytes(8).toString('hex'));
    try {
      await rename(this.path(name), doomed);
    } catch {
      return; // Another process deleted it.
    }
    await rm(doomed, { recursive: true, force: true });
    this.#options.log?.debug({ mirror: name, bytes }, 'deleted a git mirror that was not used recently');
  }
}

/** Returns the error of a write that found no space as a typed error, and another error unchanged. */
function ofDisk(error: unknown): unknown {
  const { code } = error as NodeJS.ErrnoException;
  if (isTyped(error) || (code !== 'ENOSPC' && code !== 'EDQUOT')) return error;
  const message = `cannot create a git mirror: ${messageOf(error)}`;
  return new TypedError('Transient', message, { reason: diskFull, isLocal: true, cause: error });
}
