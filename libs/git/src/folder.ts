import type { Cancellable, HistoryReader } from './history.js';
import type { Commit } from './objects/commit.js';
import type { Memory } from './objects/memory.js';
import { pathParts } from './names.js';

/** The id of the empty tree, which represents a missing folder. */
const emptyTree = '4b825dc642cb6eb9a060e54bf8d69288fbee4904';

/** The part of a mirror that a folder needs. */
interface FolderSource extends HistoryReader {
  /** Returns the id of the tree of a folder in a commit; undefined if there is no such folder. */
  treeOf(sha: string, path: string, options?: Cancellable): Promise<string | undefined>;
  /** Returns ids of the commit and its first parents that changed a folder, newest first, at most `limit`. */
  changesOf(sha: string, path: string, limit: number, options?: Cancellable): Promise<string[]>;
  /** Returns the id of a tree in which the folder at `path` is `subtree`. */
  graft(base: string, path: string, subtree: string, options?: Cancellable): Promise<string>;
}

/** The history of one folder: commits as if they contained only that folder. */
export class Folder implements HistoryReader {
  readonly #path: string;

  readonly #mirror: FolderSource;
  readonly #memory: Memory;

  constructor(mirror: FolderSource, memory: Memory, path: string) {
    this.#mirror = mirror;
    this.#memory = memory;

    this.#path = pathParts(path).join('/');
  }

  async commit(sha: string, options: Cancellable = {}): Promise<Commit> {
    const [commit, tree] = await Promise.all([
      this.#mirror.commit(sha, options),
      this.#mirror.treeOf(sha, this.#path, options),
    ]);
    return { ...commit, tree: tree ?? emptyTree };
  }

  file(
    sha: string,
    path: string,
    options?: Cancellable & { maxBytes?: number },
  ): Promise<Buffer | undefined> {
    return this.#mirror.file(sha, `${this.#path}/${path}`, options);
  }

  firstParents(sha: string, limit: number, options?: Cancellable): Promise<string[]> {
    return this.#mirror.changesOf(sha, this.#path, limit, options);
  }

  isAncestor(ancestor: string, descendant: string, options?: Cancellable): Promise<boolean> {
    return this.#mirror.isAncestor(ancestor, descendant, options);
  }

  note(notesSha: string, objectSha: string, options?: Cancellable): Promise<string | undefined> {
    return this.#mirror.note(notesSha, objectSha, options);
  }

  async whole(sha: string, tree: string, options: Cancellable = {}): Promise<string> {
    const { tree: base } = await this.#mirror.commit(sha, options);
    const key = `${base}/${tree}/${this.#path}`;
    const known = this.#memory.grafts.get(key);
    if (known !== undefined) return known;
    const grafted = await this.#mirror.graft(base, this.#path, tree, options);
    this.#memory.grafts.set(key, grafted);
    return grafted;
  }
}
