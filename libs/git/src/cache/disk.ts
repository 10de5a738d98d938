import { randomBytes } from 'node:crypto';
import { mkdir, readdir, rename, rm, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import type { GitLogger } from '../options.js';

interface Entry {
  bytes: number;
  /** Milliseconds since the epoch. */
  usedAt: number;
  users: number;
}

export interface DiskCacheOptions {
  directory: string;
  maxBytes: number;
  now: () => number;
  /** Called before an entry is deleted. */
  onEvict: (name: string) => void;
  log?: GitLogger | undefined;
}

const TEMPORARY = 'tmp-';
/* Its modification time is the time of the last use, so that the order survives a restart. */
const MARK = 'config';
const MARK_EVERY_MS = 60_000;

/** Folders bounded in total size: the least recently used go first, those in use never. */
export class DiskCache {
  private readonly entries = new Map<string, Entry>();
  private opened: Promise<void> | undefined;

  constructor(private readonly options: DiskCacheOptions) {}

  path(name: string): string {
    return join(this.options.directory, name);
  }

  /** Runs `task` while the entry cannot be evicted, and evicts others afterwards if it grew. */
  async use<T>(name: string, task: () => Promise<T>): Promise<T> {
    await (this.opened ??= this.open());
    const entry = this.entries.get(name) ?? { bytes: 0, usedAt: 0, users: 0 };
    this.entries.set(name, entry);
    entry.users += 1;
    try {
      return await task();
    } finally {
      entry.users -= 1;
      await this.mark(name, entry);
    }
  }

  /** Creates the entry by `fill` in a temporary folder and moves it into place: it is there whole or not at all. */
  async create(name: string, fill: (directory: string) => Promise<void>): Promise<void> {
    const temporary = this.path(TEMPORARY + randomBytes(8).toString('hex'));
    try {
      await mkdir(temporary, { recursive: true });
      await fill(temporary);
      await rename(temporary, this.path(name));
    } catch (error) {
      await rm(temporary, { recursive: true, force: true });
      if (!(await exists(this.path(name)))) throw error;
    }
  }

  /** Measures an entry that changed and brings the total back under the bound. */
  async account(name: string): Promise<void> {
    const entry = this.entries.get(name);
    if (entry) entry.bytes = await sizeOf(this.path(name));
    await this.evict();
  }

  private async open(): Promise<void> {
    await mkdir(this.options.directory, { recursive: true, mode: 0o700 });
    for (const name of await readdir(this.options.directory)) {
      const path = this.path(name);
      const mark = await stat(join(path, MARK)).catch(() => undefined);
      if (name.startsWith(TEMPORARY)) await rm(path, { recursive: true, force: true });
      else if (mark) this.entries.set(name, { bytes: await sizeOf(path), usedAt: mark.mtimeMs, users: 0 });
    }
    await this.evict();
  }

  private async mark(name: string, entry: Entry): Promise<void> {
    const now = this.options.now();
    const due = now - entry.usedAt >= MARK_EVERY_MS;
    entry.usedAt = now;
    if (due) await utimes(join(this.path(name), MARK), now / 1000, now / 1000).catch(() => undefined);
  }

  private async evict(): Promise<void> {
    let total = 0;
    for (const entry of this.entries.values()) total += entry.bytes;
    const idle = [...this.entries].filter(([, entry]) => entry.users === 0);
    for (const [name, entry] of idle.sort(([, a], [, b]) => a.usedAt - b.usedAt)) {
      if (total <= this.options.maxBytes) return;
      if (entry.users > 0) continue;
      total -= entry.bytes;
      this.entries.delete(name);
      await this.remove(name, entry.bytes);
    }
    if (total > this.options.maxBytes) {
      this.options.log?.warn(
        { bytes: total, maxBytes: this.options.maxBytes },
        'git mirrors in use exceed the disk bound',
      );
    }
  }

  private async remove(name: string, bytes: number): Promise<void> {
    this.options.onEvict(name);
    const doomed = this.path(TEMPORARY + randomBytes(8).toString('hex'));
    try {
      await rename(this.path(name), doomed);
    } catch {
      return; // Deleted by somebody else.
    }
    await rm(doomed, { recursive: true, force: true });
    this.options.log?.debug({ mirror: name, bytes }, 'deleted a git mirror that was not used lately');
  }
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}

async function sizeOf(directory: string): Promise<number> {
  const names = await readdir(directory, { recursive: true }).catch(() => []);
  let bytes = 0;
  for (const name of names) bytes += (await stat(join(directory, name)).catch(() => undefined))?.size ?? 0;
  return bytes;
}
