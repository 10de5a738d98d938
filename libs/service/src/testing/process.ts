import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, type Metafile } from 'esbuild';

/* CommonJS dependencies expect these names, which ES modules do not have. */
const commonJsNames = `
import { createRequire as __createRequire } from 'node:module';
import { fileURLToPath as __fileURLToPath } from 'node:url';
import { dirname as __dirnameOf } from 'node:path';
const require = __createRequire(import.meta.url);
const __filename = __fileURLToPath(import.meta.url);
const __dirname = __dirnameOf(__filename);
`;

export interface Bundle {
  program: string;
  metafile: Metafile;
  remove(): void;
}

/** Bundles a demo of this folder, by default the demo service, in the same way as apps. */
export async function bundleDemo(file = 'demo-service.ts'): Promise<Bundle> {
  const directory = mkdtempSync(join(tmpdir(), 'interlock-service-'));
  const { metafile } = await build({
    entryPoints: { main: fileURLToPath(new URL(file, import.meta.url)) },
    outdir: directory,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20.19',
    mainFields: ['module', 'main'],
    banner: { js: commonJsNames },
    metafile: true,
    logLevel: 'error',
  });
  return {
    program: join(directory, 'main.mjs'),
    metafile,
    remove: () => rmSync(directory, { recursive: true, force: true }),
  };
}

type LogLine = Record<string, unknown>;

/** A running program whose log can be waited for. */
export class TestProcess {
  stdout = '';
  stderr = '';
  readonly exit: Promise<number | null>;
  readonly #child: ChildProcess;
  readonly #waiting = new Set<() => void>();

  constructor(program: string, args: readonly string[], env: Record<string, string> = {}) {
    const path = process.env['PATH'] ?? '';
    this.#child = spawn(process.execPath, [program, ...args], {
      env: { PATH: path, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.#child.stdout?.on('data', (chunk: Buffer) => {
      this.stdout += chunk.toString('utf8');
      this.#waiting.forEach((check) => check());
    });
    this.#child.stderr?.on('data', (chunk: Buffer) => (this.stderr += chunk.toString('utf8')));
    this.exit = new Promise((resolve) => this.#child.once('close', (code) => resolve(code)));
  }

  get lines(): LogLine[] {
    const complete = this.stdout.split('\n').slice(0, -1);
    return complete.map((line) => JSON.parse(line) as LogLine);
  }

  /** Waits for a line of the log. Rejects if the process ends without it. */
  async line(matches: (line: LogLine) => boolean): Promise<LogLine> {
    const found = () => this.lines.find(matches);
    return new Promise((resolve, reject) => {
      const check = () => {
        const line = found();
        if (!line) return;
        this.#waiting.delete(check);
        resolve(line);
      };
      this.#waiting.add(check);
      check();
      void this.exit.then((code) =>
        reject(new Error(`exit ${code} without the line:\n${this.stdout}${this.stderr}`)),
      );
    });
  }

  /** Returns the base URL of a listener once it listens. */
  async url(listener: string): Promise<string> {
    const line = await this.line(({ msg, listener: name }) => msg === 'listening' && name === listener);
    return `http://127.0.0.1:${String(line['port'])}`;
  }

  kill(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }
}
