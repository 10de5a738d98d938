import type { LocalGit } from './git.js';

/** Returns whether `descendant` contains `ancestor`; a commit contains itself. A missing commit is not contained in any other. */
export async function isAncestor(
  git: LocalGit,
  ancestor: string,
  descendant: string,
  signal?: AbortSignal,
): Promise<boolean> {
  if (ancestor === descendant) return true;
  // Exit code 128: one of them does not exist.
  const accept = [0, 1, 128];
  const { code } = await git.run(['merge-base', '--is-ancestor', ancestor, descendant], { accept, signal });
  return code === 0;
}

/**
 * Returns the commit with which the base first contained the head (a merge, or the head itself), and its committer.
 * @param head is contained in `base`.
 */
export async function mergeOf(
  git: LocalGit,
  head: string,
  base: string,
  signal?: AbortSignal,
): Promise<{ sha: string; committer: string }> {
  const way = [
    '--first-parent',
    '--ancestry-path',
    '--reverse',
    '--format=%H%x00%P%x00%cn',
    `${head}..${base}`,
  ];
  const [oldest = ''] = (await git.text(['log', ...way], { signal })).split('\n');
  const [sha = '', parents = '', committer = ''] = oldest.split('\0');
  // The base was moved to the head itself, and may have moved further.
  if (sha === '' || parents.split(' ')[0] === head) {
    return { sha: head, committer: await git.text(['show', '--no-patch', '--format=%cn', head], { signal }) };
  }
  return { sha, committer };
}
