import { Ancestry } from './ancestry.js';
import { Folder } from './folder.js';
import { FolderChanges } from './folder-changes.js';
import type { Cancellable, HistoryReader } from './history.js';
import type { Commit } from './objects/commit.js';
import type { Memory } from './objects/memory.js';
import type { MergeResult } from './objects/merge-result.js';
import { findNote } from './objects/notes.js';
import { Objects } from './objects/objects.js';
import { isTree } from './objects/tree.js';
import { checkObjectId, pathParts } from './names.js';
import { Activity } from './process/activity.js';
import { listRemoteRefs } from './remote/refs.js';
import { Sync, type Refreshed } from './remote/sync.js';
import type { Repository } from './repository.js';
import { Writer, type NewCommit, type Push } from './write.js';

const defaultMaxFileBytes = 1024 * 1024;
const submoduleMode = '160000';

/**
 * The bare, blobless mirror of one remote repository. Object ids are full SHA-1 ids; they are immutable, so results are
 * cached by id. A missing object is fetched. Besides the errors of each method, all of them throw TypedErrors that
 * depend on the message of git (`Unauthorized`, `NotFound`, `RateLimited`, `Transient`, …), `Invalid` for malformed
 * arguments, and the signal's reason after an abort.
 */
export class Mirror implements HistoryReader {
  readonly #sync: Sync;
  readonly #objects: Objects;
  readonly #ancestry: Ancestry;
  readonly #changes: FolderChanges;
  readonly #writer: Writer;

  readonly #repository: Repository;
  readonly #memory: Memory;

  constructor(repository: Repository, memory: Memory) {
    this.#repository = repository;
    this.#memory = memory;

    const reads = new Activity();
    this.#sync = new Sync(repository, reads, memory.refs);
    this.#objects = new Objects(repository, this.#sync, memory, reads);
    this.#ancestry = new Ancestry(repository, this.#sync, this.#objects, memory);
    this.#changes = new FolderChanges(repository, this.#sync, this.#objects, memory);
    this.#writer = new Writer(repository, this.#sync, this.#objects, this.#ancestry, memory);
  }

  /** The remote's URL. */
  get url(): string {
    return this.#repository.remote.url;
  }

  /**
   * Runs `task` while the mirror is kept on disk. Objects of {@link mergeTree}, {@link graft} and {@link commitTree} exist
   * only there until they are pushed.
   */
  keep<T>(task: () => Promise<T>, { signal }: Cancellable = {}): Promise<T> {
    return this.#repository.use(task, signal);
  }

  /** Releases the memory and the reader process of the mirror. */
  release(): void {
    this.#sync.forget();
    this.#repository.reader.close();
  }

  /**
   * Returns the object ids of full reference names as the remote has them now, by one request; missing references are
   * absent.
   */
  remoteRefs(names: readonly string[], { signal }: Cancellable = {}): Promise<Map<string, string>> {
    return listRemoteRefs(this.#repository, names, signal);
  }

  /**
   * Fetches the commits that `refs` (as from {@link remoteRefs}) point at, in one git process, unless all of them exist
   * locally.
   */
  fetch(refs: ReadonlyMap<string, string>, { signal }: Cancellable = {}): Promise<void> {
    return this.#sync.fetchCommits([...refs.values()].map(checkObjectId), signal);
  }

  /**
   * Returns {@link remoteRefs}, after a fetch if a reference moved. If none moved, exactly one request is sent to the
   * remote. Calls that arrive while another one is running are served together by the next request.
   */
  refresh(names: readonly string[], { signal }: Cancellable = {}): Promise<Refreshed> {
    return this.#sync.refresh(names, signal);
  }

  /**
   * Returns the history of the folder `path`, or of the whole repository if there is no path. @throws TypedError
   * `Invalid` (`PathInvalid`).
   */
  at(path = ''): HistoryReader {
    return pathParts(path).length === 0 ? this : new Folder(this, this.#memory, path);
  }

  commit(sha: string, { signal }: Cancellable = {}): Promise<Commit> {
    return this.#objects.commit(sha, signal);
  }

  async file(
    sha: string,
    path: string,
    { signal, maxBytes = defaultMaxFileBytes }: Cancellable & { maxBytes?: number } = {},
  ): Promise<Buffer | undefined> {
    const { tree } = await this.#objects.commit(sha, signal);
    const entry = await this.#objects.entryAt(tree, path, signal);
    if (!entry || isTree(entry) || entry.mode === submoduleMode) return undefined;
    return this.#objects.blob(entry.sha, maxBytes, signal);
  }

  /** Returns the id of a commit's tree, or of the tree at `path` in it, or undefined when there is no such folder. */
  async treeOf(sha: string, path = '', { signal }: Cancellable = {}): Promise<string | undefined> {
    const { tree } = await this.#objects.commit(sha, signal);
    const entry = await this.#objects.entryAt(tree, path, signal);
    return isTree(entry) ? entry.sha : undefined;
  }

  isAncestor(ancestor: string, descendant: string, { signal }: Cancellable = {}): Promise<boolean> {
    return this.#ancestry.isAncestor(ancestor, descendant, signal);
  }

  async firstParents(sha: string, limit: number, { signal }: Cancellable = {}): Promise<string[]> {
    const ids: string[] = [];
    for (let next: string | undefined = sha; next !== undefined && ids.length < limit;) {
      const commit: Commit = await this.#objects.commit(next, signal);
      ids.push(commit.sha);
      next = commit.parents[0];
    }
    return ids;
  }

  /**
   * Returns the ids of the newest commits, among this commit and its first parents, that changed the folder `path`
   * compared with their first parent; newest first, at most `limit`.
   */
  async changesOf(sha: string, path: string, limit: number, { signal }: Cancellable = {}): Promise<string[]> {
    const folder = pathParts(path).join('/');
    if (folder === '') return this.firstParents(sha, limit, { signal });
    return this.#changes.of(sha, folder, limit, signal);
  }

  async note(notesSha: string, objectSha: string, { signal }: Cancellable = {}): Promise<string | undefined> {
    const { tree } = await this.#objects.commit(notesSha, signal);
    const blob = await findNote(this.#objects, tree, checkObjectId(objectSha), signal);
    return blob === undefined
      ? undefined
      : (await this.#objects.blob(blob, defaultMaxFileBytes, signal)).toString('utf8');
  }

  whole(_sha: string, tree: string): Promise<string> {
    return Promise.resolve(checkObjectId(tree));
  }

  /** Returns the result of merging two commits, without touching a reference; unrelated histories are merged too. */
  mergeTree(ours: string, theirs: string, { signal }: Cancellable = {}): Promise<MergeResult> {
    return this.#writer.mergeTree(ours, theirs, signal);
  }

  /** Returns the id of a tree that differs from `base` only in the folder `path`, which is `subtree`. */
  graft(base: string, path: string, subtree: string, { signal }: Cancellable = {}): Promise<string> {
    return this.#writer.graft(base, path, subtree, signal);
  }

  /** Returns the id of a new commit in the mirror; equal arguments give an equal id. */
  commitTree(commit: NewCommit, { signal }: Cancellable = {}): Promise<string> {
    return this.#writer.commitTree(commit, signal);
  }

  /**
   * Moves a reference of the remote from `expected` to `sha`. It succeeds if the reference is already there.
   * @throws TypedError `Conflict` (`RefMoved`) when the remote has another commit, `Conflict` (`NotFastForward`) when
   *   history would be rewritten without `force`, `Permanent` (`PushDeclined`) when a rule or hook of the remote refuses.
   */
  async push(push: Push, { signal }: Cancellable = {}): Promise<void> {
    const needsProof = push.expected !== null && push.force !== true;
    const descends =
      needsProof && push.expected !== null && (await this.isAncestor(push.expected, push.sha, { signal }));
    await this.#writer.push(push, descends, signal);
  }
}
