import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ForgeState } from './model.js';

/** The state of a forge in memory and, if a folder is given, in a file. */
export class Store {
  readonly #file: string | undefined;
  #last: Promise<void> = Promise.resolve();
  #next: Promise<void> | undefined;

  private constructor(
    readonly state: ForgeState,
    file: string | undefined,
  ) {
    this.#file = file;
  }

  /** @param directory folder of `forge.json`; if absent, the state is only in memory. */
  static async open(directory: string | undefined): Promise<Store> {
    const empty: ForgeState = {
      version: 1,
      lastId: 1000,
      accounts: [],
      apps: [],
      installations: [],
      tokens: [],
      repositories: [],
    };
    if (directory === undefined) return new Store(empty, undefined);
    await mkdir(directory, { recursive: true });
    const file = join(directory, 'forge.json');
    try {
      return new Store(JSON.parse(await readFile(file, 'utf8')) as ForgeState, file);
    } catch (error) {
      if (!isMissing(error)) throw error;
      return new Store(empty, file);
    }
  }

  /** Resolves when all changes so far are on disk. Calls during a write share the next write. */
  save(): Promise<void> {
    const file = this.#file;
    if (file === undefined) return Promise.resolve();
    this.#next ??= this.#last.then(() => {
      this.#next = undefined;
      const writing = this.#write(file);
      this.#last = writing.catch(() => undefined);
      return writing;
    });
    return this.#next;
  }

  /**
   * Writes the state to a file. A reader of the file sees either the old state or the new one. The file contains
   * tokens, so only its owner can read it.
   */
  async #write(file: string): Promise<void> {
    const next = `${file}.next`;
    await writeFile(next, JSON.stringify(this.state), { mode: 0o600, flush: true });
    await rename(next, file);
  }
}

function isMissing(error: unknown): boolean {
  return typeof error === 'object' && error !== null && 'code' in error && error.code === 'ENOENT';
}
