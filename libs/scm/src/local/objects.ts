import type { LocalGit } from './git.js';

export interface GitObject {
  id: string;
  type: string;
  content: string;
}

/** The old value of a reference that must not exist. */
export const absent = '0'.repeat(40);

/** One step of a transaction: all of them happen, or none. */
export type RefChange =
  | { ref: string; to: string | undefined; from: string }
  /** The reference must be there; nothing changes. */
  | { ref: string; verify: string };

/**
 * Returns the objects by name, read in one process; missing objects are absent.
 * @param names the names of objects or references.
 */
export async function readObjects(
  git: LocalGit,
  names: readonly string[],
  signal?: AbortSignal,
): Promise<Map<string, GitObject>> {
  const found = new Map<string, GitObject>();
  if (names.length === 0) return found;
  const input = names.map((name) => `${name}\n`).join('');
  const { stdout } = await git.run(['cat-file', '--batch'], { input, signal });
  let offset = 0;
  for (const name of names) {
    const end = stdout.indexOf('\n', offset);
    if (end < 0) break;
    const [id = '', type = '', size = ''] = stdout.toString('utf8', offset, end).split(' ');
    offset = end + 1;
    // "<name> missing", and other messages for a malformed name.
    if (!/^\d+$/.test(size)) continue;
    const bytes = Number(size);
    found.set(name, { id, type, content: stdout.toString('utf8', offset, offset + bytes) });
    offset += bytes + 1;
  }
  return found;
}

/** Returns the ids that references point at, read in one process; missing references are absent. */
export async function readRefs(
  git: LocalGit,
  refs: readonly string[],
  signal?: AbortSignal,
): Promise<Map<string, string>> {
  const input = refs.map((ref) => `${ref}\n`).join('');
  const text = await git.text(['cat-file', '--batch-check=%(objectname)'], { input, signal });
  const lines = text.split('\n');
  return new Map(
    refs.flatMap((ref, index) => {
      const id = lines[index] ?? '';
      return /^[0-9a-f]{40}$/.test(id) ? [[ref, id] as const] : [];
    }),
  );
}

/** Writes a blob with this content and returns its id. */
export function writeBlob(git: LocalGit, content: string | Buffer, signal?: AbortSignal): Promise<string> {
  return git.text(['hash-object', '-w', '--stdin'], { input: content, signal });
}

/**
 * Changes references by compare-and-swap, all of them or none, regardless of other processes.
 *
 * @throws TypedError `Conflict` (`RefMoved`) when a reference does not have the expected value; `Transient`
 *   (`Locked`) while another process changes a reference.
 */
export async function changeRefs(
  git: LocalGit,
  changes: readonly RefChange[],
  signal?: AbortSignal,
): Promise<void> {
  const steps = changes.map((change) => {
    if ('verify' in change) return `verify ${change.ref} ${change.verify}\n`;
    const { ref, from, to } = change;
    return to === undefined ? `delete ${ref} ${from}\n` : `update ${ref} ${to} ${from}\n`;
  });
  await git.run(['update-ref', '--stdin'], {
    input: ['start\n', ...steps, 'prepare\n', 'commit\n'].join(''),
    signal,
  });
}
