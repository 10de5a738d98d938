import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** A git wrapper that records its arguments and environment before it runs git. */
export class RecordingGit {
  readonly #folder: string;

  private constructor(
    /** The program. */
    readonly path: string,
    folder: string,
  ) {
    this.#folder = folder;
  }

  static async create(folder: string): Promise<RecordingGit> {
    const path = join(folder, 'git');
    const script = `#!/bin/sh
printf '%s\\n' "$(printf '%s ' "$@" | tr '\\n' ' ')" >> '${folder}/arguments'
env >> '${folder}/environment'
exec git "$@"
`;
    await writeFile(path, script, { mode: 0o700 });
    return new RecordingGit(path, folder);
  }

  /** Returns a line with the arguments of each started process. */
  async starts(): Promise<string[]> {
    return (await this.#read('arguments')).split('\n').filter((line) => line !== '');
  }

  /** Returns the environments of all started processes. */
  environments(): Promise<string> {
    return this.#read('environment');
  }

  async #read(name: string): Promise<string> {
    try {
      return await readFile(join(this.#folder, name), 'utf8');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return '';
      throw error;
    }
  }
}
