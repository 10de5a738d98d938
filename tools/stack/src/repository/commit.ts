import type { LocalRepository } from '../git.js';

export interface BranchCommit {
  branch: string;
  message: string;
  /** All files of the commit: path → content. */
  files: ReadonlyMap<string, string>;
  /** Milliseconds since the epoch. */
  time: number;
}

/** Commits exactly these files to a branch, which is created if it does not exist. @returns the SHA of the commit. */
export async function commitFiles(repository: LocalRepository, commit: BranchCommit): Promise<string> {
  const [sha = ''] = await commitEach(repository, [commit]);
  return sha;
}

/** Does the same as {@link commitFiles} for several branches, each named once. @returns the SHAs, in the same order. */
export async function commitEach(
  repository: LocalRepository,
  commits: readonly BranchCommit[],
): Promise<string[]> {
  const names = commits.map(({ branch }) => `refs/heads/${branch}`);
  const begun = await repository.refs(...names);
  const stream = commits.flatMap(({ message, files, time }, index) => {
    const ref = names[index] ?? '';
    return [
      `commit ${ref}`,
      `mark :${index + 1}`,
      `committer Demo <demo@interlock.invalid> ${Math.floor(time / 1000)} +0000`,
      data(message),
      ...(begun.has(ref) ? [`from ${ref}^0`] : []),
      'deleteall',
      ...[...files].map(([path, content]) => `M 100644 inline ${path}\n${data(content)}`),
      '',
      `get-mark :${index + 1}`,
    ];
  });
  const input = [...stream, 'done', ''].join('\n');
  return repository.lines(['fast-import', '--quiet', '--done', '--cat-blob-fd=1'], { input });
}

/** Returns the files of a commit: path → content. */
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
