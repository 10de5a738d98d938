import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { run } from '../../src/run.js';
import type { Result } from './fixture.js';

/** A folder with files, which is removed afterwards. */
export class Files {
  readonly folder: string;

  private constructor(folder: string) {
    this.folder = folder;
  }

  static async start(): Promise<Files> {
    return new Files(await mkdtemp(join(tmpdir(), 'cli-files-')));
  }

  /** Returns the path of the file. */
  async write(name: string, text: string | Buffer): Promise<string> {
    const path = join(this.folder, name);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, text);
    return path;
  }

  read(name: string): Promise<string> {
    return readFile(join(this.folder, name), 'utf8');
  }

  async close(): Promise<void> {
    await rm(this.folder, { recursive: true, force: true });
  }
}

/** Runs the program in this process, without a cluster. */
export async function runOffline(args: readonly string[]): Promise<Result> {
  const result = { stdout: '', stderr: '' };
  const code = await run('interlock', args, {
    stdout: (text) => (result.stdout += text),
    stderr: (text) => (result.stderr += text),
    env: {},
    now: () => Date.parse('2026-11-21T12:00:00Z'),
    signal: new AbortController().signal,
  });
  return { code, ...result };
}
