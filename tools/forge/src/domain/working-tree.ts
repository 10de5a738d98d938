import type { BareRepository } from '../git/bare-repository.js';
import { listTree, type TreeChange, type TreeEntry } from '../git/tree.js';

interface File {
  mode: TreeEntry['mode'];
  sha: string;
}

/** The files of a commit, including links and submodules, and the result of successive changes. */
export class WorkingTree {
  readonly #files = new Map<string, File>();
  readonly #before: ReadonlySet<string>;
  readonly #touched = new Set<string>();

  private constructor(entries: readonly TreeEntry[]) {
    for (const { path, mode, sha, type } of entries)
      if (type !== 'tree') this.#files.set(path, { mode, sha });
    this.#before = new Set(this.#files.keys());
  }

  static async of(git: BareRepository, commit: string): Promise<WorkingTree> {
    return new WorkingTree(await listTree(git, commit, { recursive: true }));
  }

  get(path: string): File | undefined {
    return this.#files.get(path);
  }

  isFolder(path: string): boolean {
    return [...this.#files.keys()].some((name) => name.startsWith(`${path}/`));
  }

  /** Returns the parent of a path that is a file instead of a folder. */
  obstacle(path: string): string | undefined {
    const parts = path.split('/');
    const above = parts.slice(1).map((_, index) => parts.slice(0, index + 1).join('/'));
    return above.find((name) => this.#files.has(name));
  }

  put(path: string, file: File): void {
    this.#files.set(path, file);
    this.#touched.add(path);
  }

  remove(path: string): void {
    this.#files.delete(path);
    this.#touched.add(path);
  }

  /** Returns the differences from the commit, unordered. */
  changes(): TreeChange[] {
    return [...this.#touched].flatMap((path): TreeChange[] => {
      const file = this.#files.get(path);
      if (file !== undefined) return [{ path, ...file }];
      return this.#before.has(path) ? [{ path, mode: '100644', sha: null }] : [];
    });
  }
}
