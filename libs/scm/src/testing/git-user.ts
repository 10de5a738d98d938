import { runProgram } from '@interlock/process';
import type { GitCredentials } from '../scm.js';
import type { WrittenFile } from './contract-fixture.js';

const timeoutMs = 60_000;
const maxOutputBytes = 1024 * 1024;

/** The actions of a user with git in a bare repository of the forge, whichever API the forge has. */
export class GitUser {
  /** The file that was last written to each branch. */
  readonly #files = new Map<string, string>();
  #commits = 0;

  readonly #path: string;

  /** Opens a repository. @param path the path of the bare repository. */
  constructor(path: string) {
    this.#path = path;
  }

  /** Adds a separate file, so that no two branches conflict. Returns the commit. */
  commit(branch: string): Promise<string> {
    return this.#write(branch, [this.#text(`file-${++this.#commits}`)]);
  }

  /** Puts a commit with these files on the branch, which is made from `main` when it does not exist. Returns the commit. */
  write(branch: string, files: readonly WrittenFile[]): Promise<string> {
    return this.#write(branch, files);
  }

  /** Puts another file on `base` under the name that was last written to `head`. Returns the commit. */
  conflictOf(head: string, base: string): Promise<string> {
    return this.#write(base, [this.#text(this.#files.get(head) ?? '')]);
  }

  #text(path: string): WrittenFile {
    return { path, content: `${++this.#commits}` };
  }

  async #write(branch: string, files: readonly WrittenFile[]): Promise<string> {
    const wanted = [branch, 'main'].map((name) => `refs/heads/${name}`);
    const args = ['for-each-ref', '--format=%(refname)', ...wanted];
    const there = (await git(['-C', this.#path, ...args])).split('\n');
    const parent = wanted.find((ref) => there.includes(ref));
    this.#files.set(branch, files[0]?.path ?? '');
    return commitFiles(this.#path, { branch, parent, files });
  }
}

/** Returns whether git may read the repository at that URL with these credentials, or with none. */
export async function gitReads(cloneUrl: string, credentials?: GitCredentials): Promise<boolean> {
  const url = new URL(cloneUrl);
  Object.assign(url, credentials);
  try {
    return (await git(['ls-remote', url.href])).includes('refs/heads/main');
  } catch {
    return false;
  }
}

interface FilesCommit {
  branch: string;
  /** Reference from which the commit is made. */
  parent: string | undefined;
  files: readonly WrittenFile[];
}

/** Commits files in a bare repository. Returns the commit. */
function commitFiles(path: string, { branch, parent, files }: FilesCommit): Promise<string> {
  const message = `Write ${files.length === 1 ? files[0]?.path : `${files.length} files`}`;
  const input = [
    `commit refs/heads/${branch}\nmark :1\ncommitter Ann <ann@example.com> 1767225600 +0000\n`,
    `data ${Buffer.byteLength(message)}\n${message}\n`,
    ...(parent === undefined ? [] : [`from ${parent}^0\n`]),
    ...files.flatMap(({ path: file, content, mode = '100644' }) =>
      mode === '160000'
        ? [`M ${mode} ${content.toString()} ${file}\n`]
        : [`M ${mode} inline ${file}\ndata ${Buffer.byteLength(content)}\n`, content, '\n'],
    ),
    'get-mark :1\ndone\n',
  ];
  return git(
    ['-C', path, 'fast-import', '--quiet', '--done', '--cat-blob-fd=1'],
    Buffer.concat(input.map((part) => Buffer.from(part))),
  );
}

/** Runs git without the configuration of the machine. Returns its standard output. */
export async function git(
  args: readonly string[],
  input: string | Buffer = '',
  more: Readonly<Record<string, string>> = {},
): Promise<string> {
  const { code, stdout, stderr } = await runProgram({
    program: 'git',
    args,
    environment: {
      PATH: process.env['PATH'] ?? '',
      GIT_CONFIG_NOSYSTEM: '1',
      GIT_TERMINAL_PROMPT: '0',
      ...more,
    },
    input,
    timeoutMs,
    maxOutputBytes,
  });
  if (code !== 0) throw new Error(`git ${args[0] ?? ''} failed: ${stderr}`);
  return stdout.toString('utf8').trim();
}
