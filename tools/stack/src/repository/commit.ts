import type { LocalRepository } from '../git.js';

export interface BranchCommit {
  branch: string;
  message: string;
  /** All files of the commit: path → content. */
  files: ReadonlyMap<string, string>;
  /** Milliseconds since the epoch. */
  time: number;
}

/** Puts a commit with exactly these files on a branch, which is begun if there is none. @returns its SHA. */
export async function commitFiles(repository: LocalRepository, commit: BranchCommit): Promise<string> {
  const ref = `refs/heads/${commit.branch}`;
  const parent = await repository.resolve(ref);
  const stream = [
    `commit ${ref}`,
    `committer Demo <demo@interlock.invalid> ${Math.floor(commit.time / 1000)} +0000`,
    data(commit.message),
    ...(parent === undefined ? [] : [`from ${parent}`]),
    'deleteall',
    ...[...commit.files].map(([path, content]) => `M 100644 inline ${path}\n${data(content)}`),
    '',
  ].join('\n');
  await repository.git(['fast-import', '--quiet'], { input: stream });
  return repository.git(['rev-parse', ref]);
}

/** @returns the files of a commit: path → content. */
export async function readFiles(repository: LocalRepository, commit: string): Promise<Map<string, string>> {
  const files = new Map<string, string>();
  for (const path of await repository.lines(['ls-tree', '-r', '--name-only', commit])) {
    files.set(path, `${await repository.git(['show', `${commit}:${path}`])}\n`);
  }
  return files;
}

function data(text: string): string {
  return `data ${Buffer.byteLength(text)}\n${text}`;
}
