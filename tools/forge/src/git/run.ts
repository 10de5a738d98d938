import { spawn } from 'node:child_process';

export interface GitOptions {
  input?: string | Buffer;
  env?: Readonly<Record<string, string>>;
  signal?: AbortSignal | undefined;
  /** Exit codes beside 0 that are an answer, not a failure. */
  allow?: readonly number[];
}

export interface GitResult {
  code: number;
  stdout: Buffer;
}

/** A git process that failed; the message holds what it wrote to standard error. */
export class GitError extends Error {
  override readonly name = 'GitError';

  constructor(
    readonly args: readonly string[],
    readonly code: number | undefined,
    readonly stderr: string,
  ) {
    super(`git ${args[0] ?? ''} ended with ${code ?? 'a signal'}: ${stderr.trim()}`);
  }
}

const maxOutputBytes = 64 * 1024 * 1024;
const timeoutMs = 60_000;

/** The environment of every git process: nothing of the person's or the machine's configuration, and no questions. */
export function gitEnvironment(extra: Readonly<Record<string, string>> = {}): NodeJS.ProcessEnv {
  return {
    PATH: process.env['PATH'],
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
 * Runs git in `directory` to its end.
 *
 * @returns its exit code and its standard output.
 * @throws GitError when it fails, writes more than 64 MiB or takes more than a minute.
 */
export function git(
  directory: string,
  args: readonly string[],
  options: GitOptions = {},
): Promise<GitResult> {
  const { input, env, signal, allow = [] } = options;
  const deadline = AbortSignal.timeout(timeoutMs);
  return new Promise((resolve, reject) => {
    const child = spawn('git', args, {
      cwd: directory,
      env: gitEnvironment(env),
      signal: signal === undefined ? deadline : AbortSignal.any([signal, deadline]),
      stdio: 'pipe',
    });
    const stdout: Buffer[] = [];
    const stderr: Buffer[] = [];
    let size = 0;
    child.stdout.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size > maxOutputBytes) child.kill();
      else stdout.push(chunk);
    });
    child.stderr.on('data', (chunk: Buffer) => stderr.push(chunk));
    child.on('error', reject);
    child.on('close', (code) => {
      const complete = code !== null && size <= maxOutputBytes;
      if (complete && (code === 0 || allow.includes(code))) {
        resolve({ code, stdout: Buffer.concat(stdout) });
      } else {
        reject(new GitError(args, code ?? undefined, Buffer.concat(stderr).toString('utf8')));
      }
    });
    // A process that ends before it has read its input is judged by its exit code.
    child.stdin.on('error', () => undefined);
    child.stdin.end(input);
  });
}

/** @returns standard output as text, without the last line break. */
export async function gitText(
  directory: string,
  args: readonly string[],
  options?: GitOptions,
): Promise<string> {
  const { stdout } = await git(directory, args, options);
  return stdout.toString('utf8').replace(/\n$/, '');
}
