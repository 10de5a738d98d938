import { execFile } from 'node:child_process';
import { devNull } from 'node:os';
import { TypedError, type ErrorType } from '@interlock/api';
import { abortReason } from '../abort.js';
import { tooLarge } from '../refusals.js';

export interface GitOptions {
  input?: string | Buffer | undefined;
  /** Exit codes that are answers and not failures. Default `[0]`. */
  accept?: readonly number[];
  /** Added to the environment of the process. */
  env?: Readonly<Record<string, string>>;
  signal?: AbortSignal | undefined;
}

export interface GitResult {
  code: number;
  stdout: Buffer;
}

const timeoutMs = 60_000;
const maxOutputBytes = 64 * 1024 * 1024;
const maxMessageLength = 500;

/** What git 2.38 and newer say with LC_ALL=C. The first match wins. */
const failures: readonly [RegExp, ErrorType, string][] = [
  [/permission denied|read-only file system/i, 'Unauthorized', 'Forbidden'],
  [/exists; cannot create/i, 'Invalid', 'BranchInTheWay'],
  [/\.lock': File exists/i, 'Transient', 'Locked'],
  [/cannot lock ref|reference already exists|but expected/i, 'Conflict', 'RefMoved'],
  [/not a git repository|no such file or directory/i, 'NotFound', 'RepositoryNotFound'],
  [/not a valid|invalid|bad object|malformed/i, 'Invalid', 'Invalid'],
];

/** The git program on one bare repository, with neither the configuration of the machine nor a terminal. */
export class LocalGit {
  constructor(
    readonly path: string,
    /** For messages. */
    readonly fullName: string,
    private readonly program: string,
  ) {}

  /** @returns the output of a process, trimmed. @throws TypedError by what git said; the signal's reason after an abort. */
  async text(args: readonly [string, ...string[]], options: GitOptions = {}): Promise<string> {
    return (await this.run(args, options)).stdout.toString('utf8').trim();
  }

  /** @returns the result of a process, of any accepted code. @throws as {@link text}. */
  run(args: readonly [string, ...string[]], options: GitOptions = {}): Promise<GitResult> {
    const { input = '', accept = [0], env = {}, signal } = options;
    const [command] = args;
    return new Promise((resolve, reject) => {
      if (signal?.aborted === true) {
        reject(abortReason(signal));
        return;
      }
      const child = execFile(
        this.program,
        args,
        {
          env: { PATH: process.env['PATH'], ...environment, ...env, GIT_DIR: this.path },
          cwd: '/',
          encoding: 'buffer',
          maxBuffer: maxOutputBytes,
          timeout: timeoutMs,
          killSignal: 'SIGKILL', // A stopped process does not heed any other.
          ...(signal === undefined ? {} : { signal }),
        },
        (error, stdout, stderr) => {
          const code = error === null ? 0 : error.code;
          if (typeof code === 'number' && accept.includes(code)) resolve({ code, stdout });
          else if (signal?.aborted === true) reject(abortReason(signal));
          else reject(this.#failure(command, code, stderr.toString('utf8')));
        },
      );
      // A program that ends before it has read all says so by its code.
      child.stdin?.on('error', () => undefined);
      child.stdin?.end(input);
    });
  }

  #failure(command: string, code: unknown, stderr: string): TypedError {
    const what = `git ${command} in ${this.fullName}`;
    if (code === 'ENOENT') {
      const message = `${what}: there is no program ${this.program}; it is needed for spec.local`;
      return new TypedError('Permanent', message, { reason: 'GitNotFound' });
    }
    if (code === 'ERR_CHILD_PROCESS_STDIO_MAXBUFFER')
      return tooLarge(`${what}: the output`, `${maxOutputBytes} bytes`);
    const said = stderr
      .trim()
      .split('\n')
      .map((line) => line.trim())
      .filter((line) => line !== '')
      .join('; ')
      .slice(0, maxMessageLength);
    const [, type, reason] = failures.find(([pattern]) => pattern.test(said)) ?? [];
    const message = `${what}: ${said === '' ? 'it was ended, or took too long' : said}`;
    return new TypedError(type ?? 'Transient', message, { reason: reason ?? 'GitFailed' });
  }
}

const environment = {
  HOME: devNull,
  LC_ALL: 'C',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: devNull,
  GIT_TERMINAL_PROMPT: '0',
  GIT_NO_REPLACE_OBJECTS: '1',
};
