import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A git program that records its arguments. */
export class GitProgram {
  readonly path: string;

  readonly #folder: string;

  private constructor(folder: string) {
    this.#folder = folder;

    this.path = join(folder, 'git');
  }

  static async create(): Promise<GitProgram> {
    const program = new GitProgram(await mkdtemp(join(tmpdir(), 'git-program-')));
    const script = ['#!/bin/sh', `echo "$1" >> '${program.#log}'`, 'exec git "$@"', ''];
    await writeFile(program.path, script.join('\n'));
    await chmod(program.path, 0o755);
    await writeFile(program.#log, '');
    return program;
  }

  get #log(): string {
    return join(this.#folder, 'started');
  }

  /** Returns the subcommands of all processes that were started, oldest first. */
  async started(): Promise<string[]> {
    const text = await readFile(this.#log, 'utf8');
    return text === '' ? [] : text.trimEnd().split('\n');
  }

  remove(): Promise<void> {
    return rm(this.#folder, { recursive: true, force: true });
  }
}
