import type { Objects } from './objects.js';
import { isTree, type TreeEntry } from './tree.js';

const fanOutDigits = 2;

/**
 * Finds a note in a notes tree of any fan-out: the path of a note is the id of its object, which git splits into folders of
 * two digits when there are many notes (`ab/cd/…`).
 * @returns the blob's id, or undefined when the object has no note.
 */
export async function findNote(
  objects: Objects,
  notesTree: string,
  objectId: string,
  signal?: AbortSignal,
): Promise<string | undefined> {
  let tree = notesTree;
  for (let rest = objectId; rest !== ''; rest = rest.slice(fanOutDigits)) {
    const note: TreeEntry | undefined = await objects.entry(tree, rest, signal);
    if (note && !isTree(note)) return note.sha;
    const folder: TreeEntry | undefined = await objects.entry(tree, rest.slice(0, fanOutDigits), signal);
    if (!isTree(folder)) return undefined;
    tree = folder.sha;
  }
  return undefined;
}
