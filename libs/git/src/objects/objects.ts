import { TypedError } from '@interlock/api';
import { checkObjectId, pathParts } from '../names.js';
import type { Activity } from '../process/activity.js';
import type { Sync } from '../remote/sync.js';
import type { Repository } from '../repository.js';
import type { ObjectType } from './cat-file.js';
import { parseCommit, type Commit } from './commit.js';
import { parsedSize, type Memory } from './memory.js';
import { findEntry, isTree, treeMode, type TreeEntry } from './tree.js';

const maxCommitBytes = 1024 * 1024;
const maxTreeBytes = 16 * 1024 * 1024;

/** Reads objects by id: from memory, or else from the mirror, or else from the remote. */
export class Objects {
  readonly #repository: Repository;
  readonly #sync: Sync;
  readonly #memory: Memory;
  readonly #reads: Activity;

  constructor(repository: Repository, sync: Sync, memory: Memory, reads: Activity) {
    this.#repository = repository;
    this.#sync = sync;
    this.#memory = memory;
    this.#reads = reads;
  }

  /** Returns a commit. @throws TypedError `NotFound`, including when the id names an object of another type. */
  async commit(sha: string, signal?: AbortSignal): Promise<Commit> {
    const key = this.key(checkObjectId(sha));
    const known = this.#memory.commits.get(key);
    if (known) return known;
    const content = await this.#read(sha, 'commit', maxCommitBytes, signal);
    const commit = parseCommit(sha, content);
    this.#memory.commits.set(key, commit, { size: parsedSize(content.length) });
    return commit;
  }

  /** Returns an entry of a tree, or undefined. */
  async entry(tree: string, name: string, signal?: AbortSignal): Promise<TreeEntry | undefined> {
    return findEntry(tree, await this.treeContent(tree, signal), name);
  }

  /** Returns the raw bytes of a tree. */
  async treeContent(sha: string, signal?: AbortSignal): Promise<Buffer> {
    const key = this.key(checkObjectId(sha));
    const known = this.#memory.trees.get(key);
    if (known) return known;
    const content = await this.#read(sha, 'tree', maxTreeBytes, signal);
    this.#memory.trees.set(key, content, { size: content.length + 100 });
    return content;
  }

  /** Returns a blob. @throws TypedError `Invalid` (`ObjectTooLarge`) above `maxBytes`. */
  async blob(sha: string, maxBytes: number, signal?: AbortSignal): Promise<Buffer> {
    const key = this.key(sha);
    const known = this.#memory.blobs.get(key);
    if (known && known.length <= maxBytes) return known;
    const content = await this.#read(sha, 'blob', maxBytes, signal);
    this.#memory.blobs.set(key, content, { size: content.length + 100 });
    return content;
  }

  /** Returns the entry at `path` below a tree, or undefined. */
  async entryAt(tree: string, path: string, signal?: AbortSignal): Promise<TreeEntry | undefined> {
    let entry: TreeEntry | undefined = { mode: treeMode, sha: tree };
    for (const part of pathParts(path)) {
      if (!isTree(entry)) return undefined;
      entry = await this.entry(entry.sha, part, signal);
    }
    return entry;
  }

  /** Returns the cache key of an object. The same id in another mirror has another key, so that tenants do not share content. */
  key(sha: string): string {
    return `${this.#repository.name}/${sha}`;
  }

  async #read(sha: string, type: ObjectType, maxBytes: number, signal?: AbortSignal): Promise<Buffer> {
    signal?.throwIfAborted();
    const end = this.#reads.begin();
    const repository = this.#repository;
    const readOrFetch = async () => {
      const object = await repository.read(sha, maxBytes);
      if (object) return object;
      end();
      await (type === 'commit'
        ? this.#sync.fetchNamedCommit(sha, signal)
        : this.#sync.fetchObject(sha, type === 'blob', signal));
      const { generation } = repository;
      const fetched = await repository.read(sha, maxBytes);
      if (!fetched) await repository.suspectDamage(generation); // The remote has the object, and it was fetched.
      return fetched;
    };
    const object = await this.#repository.use(readOrFetch, signal).finally(end);
    if (object?.type === type) return object.content;
    const found = object
      ? `object ${sha} is a ${object.type}, not a ${type}`
      : `the repository has no object ${sha}`;
    throw new TypedError('NotFound', found, { reason: 'ObjectNotFound' });
  }
}
