import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A git program that writes down with what it is started, and that a test can make wait. */
export class GitProgram {
  readonly path: string;

  private constructor(private readonly folder: string) {
    this.path = join(folder, 'git');
  }

  static async create(): Promise<GitProgram> {
    const program = new GitProgram(await mkdtemp(join(tmpdir(), 'git-program-')));
    const script = [
      '#!/bin/sh',
      `echo "$1" >> '${program.#log}'`,
      `while [ -e '${program.#hold}'-"$1" ]; do sleep 0.01; done`,
      'exec git "$@"',
      '',
    ];
    await writeFile(program.path, script.join('\n'));
    await chmod(program.path, 0o755);
    await writeFile(program.#log, '');
    return program;
  }

  get #log(): string {
    return join(this.folder, 'started');
  }

  get #hold(): string {
    return join(this.folder, 'hold');
  }

  /** @returns the subcommands of all processes that were started, oldest first. */
  async started(): Promise<string[]> {
    const text = await readFile(this.#log, 'utf8');
    return text === '' ? [] : text.trimEnd().split('\n');
  }

  /** Makes processes with a subcommand wait from now on. @returns what ends it. */
  async hold(subcommand: string): Promise<() => Promise<void>> {
    const file = `${this.#hold}-${subcommand}`;
    await writeFile(file, '');
    return () => rm(file);
  }

  remove(): Promise<void> {
    return rm(this.folder, { recursive: true, force: true });
  }
}
