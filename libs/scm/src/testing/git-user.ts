import { BareFolder } from '@interlock/base/testing';
import { runProgram } from '@interlock/process';
import type { GitCredentials } from '../scm.js';
import type { WrittenFile } from './contract-fixture.js';

const timeoutMs = 60_000;
const maxOutputBytes = 1024 * 1024;
const submoduleMode = '160000';
const signature = 'Ann <ann@example.com> 1767225600 +0000';

/** The commits of a user in a bare repository of the forge, whichever API the forge has. */
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

  #write(branch: string, files: readonly WrittenFile[]): Promise<string> {
    const folder = new BareFolder(this.#path);
    const ref = `refs/heads/${branch}`;
    const parent = folder.ref(ref) ?? folder.ref('refs/heads/main');
    const entries = files.map(({ path, content, mode = '100644' }) => ({
      path,
      mode,
      id: mode === submoduleMode ? content.toString() : folder.putBlob(content),
    }));
    const commit = folder.putCommit({
      tree: folder.putTree(entries, parent && folder.treeOf(parent)),
      parents: parent === undefined ? [] : [parent],
      author: signature,
      committer: signature,
      message: `Write ${files.length === 1 ? files[0]?.path : `${files.length} files`}`,
    });
    folder.putRef(ref, commit);
    this.#files.set(branch, files[0]?.path ?? '');
    return Promise.resolve(commit);
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
