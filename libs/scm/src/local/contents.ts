import { branchRef, TypedError, withoutEnd } from '@interlock/api';
import type { CallOptions } from '../call-options.js';
import { refusePaths } from '../commit-paths.js';
import { type Commit, type NewCommit, type RepositoryContents, type TreeEntry } from '../contents.js';
import { contentsCall, whatOf } from '../http/call.js';
import { branchExists, branchMissing, headMoved, tooLarge } from '../refusals.js';
import { commitTree, localLogin, ourselves } from './merge.js';
import { absent, readObjects, readRefs, type RefChange } from './objects.js';
import type { LocalStore } from './store.js';
import { changeTree, listTree } from './trees.js';
import { filesAmong } from '../tree.js';
import { replacing, timestamp, Views } from './views.js';

/** Files and commits of a bare repository, without a work tree or its index. */
export class LocalContents implements RepositoryContents {
  readonly #store: LocalStore;

  constructor(store: LocalStore) {
    this.#store = store;
  }

  branchTip(branch: string, options?: CallOptions): Promise<Commit | undefined> {
    const call = contentsCall('get', 'read', options, `branch ${branch}`);
    return this.#store.read(call, async (signal) => {
      const ref = branchRef(branch);
      const found = (await readObjects(this.#store.git, [ref], signal)).get(ref);
      return found === undefined ? undefined : { sha: found.id, ...parseCommit(found.content) };
    });
  }

  /** Returns the entries of a folder; undefined if there is no such folder, because git does not have empty folders. */
  listFolder(commit: string, folder: string, options?: CallOptions): Promise<TreeEntry[] | undefined> {
    return this.#store.read(listCall(folder, options), async (signal) => {
      const entries = await this.#list(commit, folder, [], signal);
      return entries.length === 0 && folder !== '' ? undefined : entries;
    });
  }

  listFiles(commit: string, folder: string, options?: CallOptions): Promise<TreeEntry[]> {
    return this.#store.read(listCall(folder, options), async (signal) => {
      const entries = await this.#list(commit, folder, ['-r'], signal);
      return filesAmong(JSON.stringify(folder), entries);
    });
  }

  readBlob(sha: string, maxBytes: number, options?: CallOptions): Promise<Buffer> {
    const call = contentsCall('get', 'read', options, `blob ${sha}`);
    return this.#store.read(call, async (signal) => {
      const { git } = this.#store;
      requireId(sha);
      const output = await git.text(['cat-file', '--batch-check'], { input: `${sha}\n`, signal });
      const [, type, size] = output.split(' ');
      if (type !== 'blob')
        throw new TypedError('NotFound', `there is no blob ${sha}`, { reason: 'BlobNotFound' });
      if (Number(size) > maxBytes) throw tooLarge(`blob ${sha}`, `${maxBytes} bytes`);
      return (await git.run(['cat-file', 'blob', sha], { signal })).stdout;
    });
  }

  async commitFiles(desired: NewCommit, options?: CallOptions): Promise<{ sha: string }> {
    const { branch, onto, message, files } = desired;
    const call = contentsCall('commit', 'write', options, `to branch ${branch}`);
    await refusePaths(this, whatOf(call, this.#store.git.fullName), desired, {
      priority: 'write',
      ...options,
    });
    return this.#store.change(call, async (commit, signal) => {
      const { git, context } = this.#store;
      const parent = await this.#start(branch, onto, signal);
      const tree = await changeTree(git, parent, files, signal);
      const us = ourselves(context.clock.now());
      const made = { tree, parents: [parent], message: `${message}\n`, author: us, committer: us };
      const sha = await commitTree(git, made, signal);
      await commit([{ ref: branchRef(branch), to: sha, from: 'tip' in onto ? onto.tip : absent }]);
      return { sha };
    });
  }

  deleteBranch(branch: string, tip: string, options?: CallOptions): Promise<void> {
    const call = contentsCall('delete', 'write', options, `branch ${branch}`);
    return this.#store.change(call, async (commit, signal) => {
      const ref = branchRef(branch);
      const now = (await readRefs(this.#store.git, [ref], signal)).get(ref);
      if (now === undefined) return;
      if (now !== tip) throw headMoved(branch, tip, now);
      await commit([{ ref, to: undefined, from: tip }, ...(await this.#closing(branch, tip, signal))]);
    });
  }

  /** Returns the changes that close the pull requests of a deleted branch, because their head cannot be determined afterwards. */
  async #closing(branch: string, tip: string, signal?: AbortSignal): Promise<RefChange[]> {
    const { views } = await new Views(this.#store).find({ head: branch, state: 'open' }, signal);
    const updatedAt = timestamp(this.#store.context.clock.now());
    const closed = { state: 'closed', headSha: tip, closedBy: localLogin, updatedAt } as const;
    const all: RefChange[] = [];
    for (const view of views) {
      const { changes } = await replacing(this.#store, view, { ...view.record, ...closed }, signal);
      all.push(...changes);
    }
    return all;
  }

  /** Returns the parent of the new commit, after checking the branches. */
  async #start(branch: string, onto: NewCommit['onto'], signal?: AbortSignal): Promise<string> {
    const start = 'tip' in onto ? branch : onto.base;
    const refs = [branchRef(branch), branchRef(start)] as const;
    const tips = await readRefs(this.#store.git, refs, signal);
    const [tip, startTip] = refs.map((ref) => tips.get(ref));
    if (startTip === undefined) throw branchMissing(start);
    if ('tip' in onto) {
      if (tip !== onto.tip) throw headMoved(branch, onto.tip, tip);
      return onto.tip;
    }
    if (tip !== undefined) throw branchExists(branch);
    return requireId(onto.sha);
  }

  /** Returns the entries below a folder. For a submodule, `ls-tree` returns the submodule itself, which is omitted. */
  async #list(
    commit: string,
    folder: string,
    options: readonly string[],
    signal?: AbortSignal,
  ): Promise<TreeEntry[]> {
    const inside = folder === '' ? '' : `${folder}/`;
    const paths = inside === '' ? [] : [inside];
    const entries = await listTree(this.#store.git, requireId(commit), options, paths, signal);
    return entries.filter(({ path }) => path.startsWith(inside));
  }
}

function listCall(folder: string, options: CallOptions | undefined) {
  return contentsCall('list', 'read', options, `folder ${JSON.stringify(folder)}`);
}

/** Returns the id of an object. Any other text is refused: it could be an option, or another kind of revision. */
function requireId(sha: string): string {
  if (/^[0-9a-f]{40}$/.test(sha)) return sha;
  throw new TypedError('Invalid', `${JSON.stringify(sha)} is not the id of an object`);
}

function parseCommit(content: string): Omit<Commit, 'sha'> {
  const end = content.indexOf('\n\n');
  const parents = content.slice(0, end).matchAll(/^parent ([0-9a-f]{40})$/gm);
  return {
    message: withoutEnd(content.slice(end + 2), '\n'),
    parents: [...parents].map(([, sha = '']) => sha),
  };
}
