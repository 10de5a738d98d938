import { isTyped } from '@interlock/api';
import { runProgram } from '@interlock/process';

export interface GitOptions {
  input?: string | Buffer;
  env?: Readonly<Record<string, string>>;
  signal?: AbortSignal | undefined;
  /** Exit codes other than 0 that are results, not failures. */
  allow?: readonly number[];
}

interface GitResult {
  code: number;
  stdout: Buffer;
}

/** A git process that failed. The message contains its standard error. */
export class GitError extends Error {
  override readonly name = 'GitError';

  constructor(
    readonly args: readonly string[],
    readonly code: number | undefined,
    readonly stderr: string,
  ) {
    super(`git ${args[0] ?? ''} ended with ${code ?? 'no exit code'}: ${stderr.trim()}`);
  }
}

const maxOutputBytes = 64 * 1024 * 1024;
const timeoutMs = 60_000;

/**
 * Returns the environment of every git process: without the configuration of the user and the machine, and without
 * prompts.
 */
export function gitEnvironment(extra: Readonly<Record<string, string>> = {}): Record<string, string> {
  return {
    PATH: process.env['PATH'] ?? '',
    LC_ALL: 'C',
    HOME: '/nonexistent',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_TERMINAL_PROMPT: '0',
    GIT_LITERAL_PATHSPECS: '1',
    ...extra,
  };
}

/**
 * Runs git in `directory`.
 *
 * @returns its exit code and its standard output.
 * @throws GitError when it fails, writes more than 64 MiB or takes more than a minute.
 */
export async function git(
  directory: string,
  args: readonly string[],
  options: GitOptions = {},
): Promise<GitResult> {
  const { input, env, signal, allow = [] } = options;
  const { code, stdout, stderr } = await runProgram({
    program: 'git',
    name: `git ${args[0] ?? ''}`,
    args,
    folder: directory,
    environment: gitEnvironment(env),
    input,
    signal,
    timeoutMs,
    maxOutputBytes,
  }).catch((error: unknown) => {
    throw isTyped(error) ? new GitError(args, undefined, error.message) : error;
  });
  if (code === 0 || (code !== undefined && allow.includes(code))) return { code, stdout };
  throw new GitError(args, code, stderr);
}

/** Returns standard output as text, without the last line break. */
export async function gitText(
  directory: string,
  args: readonly string[],
  options?: GitOptions,
): Promise<string> {
  const { stdout } = await git(directory, args, options);
  return stdout.toString('utf8').replace(/\n$/, '');
}
