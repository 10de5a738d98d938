/** A file of a diff between two trees. */
export interface FileChange {
  status: 'added' | 'removed' | 'modified' | 'renamed' | 'copied' | 'changed';
  path: string;
  previousPath?: string;
  /** Id of the blob after the change, or before it if the file was deleted. */
  sha: string;
  additions: number;
  deletions: number;
  binary: boolean;
  /** The hunks; absent for a binary file. */
  patch?: string;
}

const statuses: Record<string, FileChange['status']> = {
  A: 'added',
  D: 'removed',
  M: 'modified',
  R: 'renamed',
  C: 'copied',
  T: 'changed',
};
const removedBlob = /^0+$/;

/** Returns the files in the output of `git diff --raw --numstat -z --no-abbrev`, in the same order. */
export function parseDiff(output: string): FileChange[] {
  const fields = output.split('\0');
  const changes: FileChange[] = [];
  let index = 0;
  for (; fields[index]?.startsWith(':') === true;) {
    const [, , before = '', after = '', letters = ''] = (fields[index++] ?? '').split(' ');
    const status = statuses[letters.charAt(0)] ?? 'modified';
    const first = fields[index++] ?? '';
    const moved = status === 'renamed' || status === 'copied';
    const path = moved ? (fields[index++] ?? '') : first;
    const sha = removedBlob.test(after) ? before : after;
    const change: FileChange = { status, path, sha, additions: 0, deletions: 0, binary: false };
    changes.push(moved ? { ...change, previousPath: first } : change);
  }
  for (const change of changes) {
    const [added = '0', deleted = '0', name = ''] = (fields[index++] ?? '').split('\t');
    // A rename has an empty name here, and its two names in separate fields.
    if (name === '') index += 2;
    change.binary = added === '-';
    change.additions = Number(added) || 0;
    change.deletions = Number(deleted) || 0;
  }
  return changes;
}

/** Adds the hunks of each change from the output of `git diff` with the same options. */
export function withPatches(changes: readonly FileChange[], text: string): FileChange[] {
  const parts = text.split(/^diff --git .*$/m).slice(1);
  return changes.map((change, index) => {
    const part = parts[index] ?? '';
    const start = part.search(/^@@ /m);
    return start === -1 ? change : { ...change, patch: part.slice(start).replace(/\n$/, '') };
  });
}
