import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { GitCredentials } from '../scm.js';

const run = promisify(execFile);

/** What a person does with git in a bare repository of the forge, whichever API the forge has. */
export class GitHands {
  /** The file that each branch was last given. */
  readonly #files = new Map<string, string>();
  #commits = 0;

  /** @param path of the bare repository. */
  constructor(private readonly path: string) {}

  /** Adds a file of its own, so that no two branches conflict. @returns the commit. */
  commit(branch: string): Promise<string> {
    return this.#write(branch, `file-${++this.#commits}`);
  }

  /** Puts another file of the same name on `base` as `head` was last given. @returns the commit. */
  conflict(head: string, base: string): Promise<string> {
    return this.#write(base, this.#files.get(head) ?? '');
  }

  #write(branch: string, file: string): Promise<string> {
    const parent = [branch, 'main'].find((name) => this.#files.has(name));
    this.#files.set(branch, file);
    return commitFile(this.path, { branch, parent, file, content: `${++this.#commits}` });
  }
}

/** @returns whether git may read the repository at that URL with these credentials, or with none. */
export async function gitReads(cloneUrl: string, credentials?: GitCredentials): Promise<boolean> {
  const url = new URL(cloneUrl);
  Object.assign(url, credentials);
  try {
    return (await git(['ls-remote', url.href])).includes('refs/heads/main');
  } catch {
    return false;
  }
}

interface FileCommit {
  branch: string;
  /** Branch from whose tip the commit is made. */
  parent: string | undefined;
  file: string;
  content: string;
}

/** Commits a file in a bare repository. @returns the commit. */
async function commitFile(path: string, { branch, parent, file, content }: FileCommit): Promise<string> {
  const message = `Write ${file}`;
  const input = [
    `commit refs/heads/${branch}`,
    'mark :1',
    'committer Ann <ann@example.com> 1767225600 +0000',
    `data ${message.length}`,
    message,
    ...(parent === undefined ? [] : [`from refs/heads/${parent}^0`]),
    `M 100644 inline ${file}`,
    `data ${content.length}`,
    content,
    'get-mark :1',
    'done',
    '',
  ].join('\n');
  return git(['-C', path, 'fast-import', '--quiet', '--done', '--cat-blob-fd=1'], input);
}

/** Runs git without the configuration of the machine. @returns what it writes to its standard output. */
export async function git(
  args: readonly string[],
  input = '',
  more: Readonly<Record<string, string>> = {},
): Promise<string> {
  const env = { PATH: process.env['PATH'], GIT_CONFIG_NOSYSTEM: '1', GIT_TERMINAL_PROMPT: '0', ...more };
  const running = run('git', args, { env });
  // A command that reads nothing may have ended already.
  running.child.stdin?.on('error', () => undefined);
  running.child.stdin?.end(input);
  return (await running).stdout.trim();
}
