import { runProgram } from '@interlock/process';

/** Neither the configuration of the user nor prompts affect the git commands of the stack. */
const environment = {
  PATH: process.env['PATH'] ?? '',
  HOME: '/nonexistent',
  LC_ALL: 'C',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_TERMINAL_PROMPT: '0',
  GIT_AUTHOR_NAME: 'Hydrator',
  GIT_AUTHOR_EMAIL: 'hydrator@interlock.invalid',
  GIT_COMMITTER_NAME: 'Hydrator',
  GIT_COMMITTER_EMAIL: 'hydrator@interlock.invalid',
};

const maxOutputBytes = 256 * 1024 * 1024;
/* Copying a large repository takes longest. */
const timeoutMs = 600_000;

interface GitOptions {
  input?: string | Buffer;
  env?: Record<string, string>;
}

async function run(args: readonly string[], { input, env = {} }: GitOptions = {}): Promise<string> {
  const { code, stdout, stderr } = await runProgram({
    program: 'git',
    args,
    folder: process.cwd(),
    environment: { ...environment, ...env },
    input,
    timeoutMs,
    maxOutputBytes,
  });
  if (code === 0) return stdout.toString('utf8');
  throw new Error(
    stderr.trim() ||
      (code === undefined ? 'git was terminated by a signal' : `git ended with exit code ${code}`),
  );
}

/** A repository on disk, for the hydrator and the preparation of the demo. */
export class LocalRepository {
  constructor(readonly path: string) {}

  /** Returns the output of git without the last line break. @throws Error with the error output of git */
  async git(args: readonly string[], options: GitOptions = {}): Promise<string> {
    const stdout = await run(['-C', this.path, ...args], options);
    return stdout.replace(/\n$/, '');
  }

  /** Returns the lines of the output of git; none if it is empty. */
  async lines(args: readonly string[], options: GitOptions = {}): Promise<string[]> {
    const text = await this.git(args, options);
    return text === '' ? [] : text.split('\n');
  }

  /** Returns the commit or object that a name resolves to, or undefined. */
  async resolve(name: string): Promise<string | undefined> {
    const [found] = await this.lines(['rev-parse', '--verify', '--quiet', name]).catch(() => []);
    return found;
  }

  /** Returns all refs: full name → SHA. */
  async refs(...patterns: string[]): Promise<Map<string, string>> {
    const lines = await this.lines(['for-each-ref', '--format=%(objectname) %(refname)', ...patterns]);
    return new Map(
      lines.map((line) => [line.slice(line.indexOf(' ') + 1), line.slice(0, line.indexOf(' '))]),
    );
  }
}

/**
 * Returns a bare copy of a bundle, a repository on disk or a URL, with all its refs. @throws Error with the error
 * output of git
 */
export async function cloneMirror(source: string, path: string): Promise<LocalRepository> {
  await run(['clone', '--quiet', '--mirror', '--', source, path]);
  return new LocalRepository(path);
}

/** Returns a new bare repository. */
export async function initBare(path: string, branch: string): Promise<LocalRepository> {
  await run(['init', '--quiet', '--bare', `--initial-branch=${branch}`, path]);
  return new LocalRepository(path);
}
