import { devNull } from 'node:os';
import { isTyped, TypedError, type ErrorType } from '@interlock/api';
import { abortReason, prefixOf } from '@interlock/base';
import { processReasons, runProgram, type ProgramResult } from '@interlock/process';
import { tooLarge } from '../refusals.js';

interface GitOptions {
  input?: string | Buffer | undefined;
  /** Exit codes that are results, not failures. Default: `[0]`. */
  accept?: readonly number[];
  /** Added to the environment of the process. */
  env?: Readonly<Record<string, string>>;
  signal?: AbortSignal | undefined;
}

interface GitResult {
  code: number;
  stdout: Buffer;
}

const timeoutMs = 60_000;
const maxOutputBytes = 64 * 1024 * 1024;
const maxMessageLength = 500;

/** Messages of git 2.38 and newer with LC_ALL=C. The first match wins. */
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
  readonly #program: string;

  constructor(
    readonly path: string,
    /** Name in messages. */
    readonly fullName: string,
    program: string,
  ) {
    this.#program = program;
  }

  /**
   * Returns the output of a process, trimmed. @throws TypedError that depends on the message of git; the signal's
   * reason after an abort.
   */
  async text(args: readonly [string, ...string[]], options: GitOptions = {}): Promise<string> {
    return (await this.run(args, options)).stdout.toString('utf8').trim();
  }

  /** Returns the result of a process, of any accepted code. @throws as {@link text}. */
  async run(args: readonly [string, ...string[]], options: GitOptions = {}): Promise<GitResult> {
    const { accept = [0], signal } = options;
    const [command] = args;
    if (signal?.aborted === true) throw abortReason(signal);
    const { code, stdout, stderr } = await this.#run(args, options).catch((error: unknown) => {
      if (signal?.aborted === true) throw abortReason(signal);
      throw isTyped(error) ? this.#notRun(command, error) : error;
    });
    if (code !== undefined && accept.includes(code)) return { code, stdout };
    throw this.#failure(command, stderr);
  }

  #run(args: readonly string[], { input, env, signal }: GitOptions): Promise<ProgramResult> {
    const path = process.env['PATH'];
    return runProgram({
      program: this.#program,
      args,
      environment: { ...(path !== undefined && { PATH: path }), ...environment, ...env, GIT_DIR: this.path },
      input,
      signal,
      timeoutMs,
      maxOutputBytes,
    });
  }

  #notRun(command: string, error: TypedError): TypedError {
    const what = this.#what(command);
    if (error.reason === processReasons.programMissing) {
      const message = `${what}: the program ${this.#program} was not found; it is needed for spec.local`;
      return new TypedError('Permanent', message, { reason: 'GitNotFound' });
    }
    if (error.reason === processReasons.outputTooLarge)
      return tooLarge(`${what}: the output`, `${maxOutputBytes} bytes`);
    return new TypedError(error.type, `${what}: ${error.message}`, { reason: 'GitFailed', cause: error });
  }

  #what(command: string): string {
    return `git ${command} in ${this.fullName}`;
  }

  #failure(command: string, stderr: string): TypedError {
    const lines = stderr
      .trim()
      .split('\n')
      .map((line) => line.trim())
      .filter((line) => line !== '');
    const output = prefixOf(lines.join('; '), maxMessageLength);
    const [, type, reason] = failures.find(([pattern]) => pattern.test(output)) ?? [];
    const message = `${this.#what(command)}: ${output === '' ? 'it was terminated by a signal' : output}`;
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
