import { isTyped, type TypedError } from '@interlock/api';
import type { CallOptions } from '../call-options.js';
import { maxListedFiles, type TreeEntry } from '../contents.js';
import { contentsCall } from '../http/call.js';
import { tooLarge } from '../refusals.js';
import { filesAmong, typeOfMode } from '../tree.js';
import type { RepositoryClient } from './client.js';
import type { Data } from './transport.js';

/** How many folders are listed one by one when GitHub truncates a recursive list. */
const maxTrees = 1_000;

type Listed = Data<'GET /repos/{owner}/{repo}/git/trees/{tree_sha}'>;

interface Tree {
  /** Entries with paths relative to the requested tree. */
  entries: TreeEntry[];
  /** Whether there are more. */
  truncated: boolean;
}

/** The folders of commits (REST API, "Git trees"). */
export class GithubTrees {
  readonly #client: RepositoryClient;

  constructor(client: RepositoryClient) {
    this.#client = client;
  }

  /** Returns the direct entries of a folder of a commit; undefined when there is no such folder. */
  async folder(commit: string, folder: string, options?: CallOptions): Promise<TreeEntry[] | undefined> {
    const tree = await this.#find(commit, folder, options);
    return tree === undefined ? undefined : this.#right(tree, folder, options);
  }

  /** Returns all files below a folder, sorted. @throws TypedError `Invalid` with reason `TooLarge`. */
  async files(commit: string, folder: string, options?: CallOptions): Promise<TreeEntry[]> {
    const tree = await this.#find(commit, folder, options);
    if (tree === undefined) return [];
    const files: TreeEntry[] = [];
    const left = [{ tree, path: folder }];
    for (let trees = 1; ; trees++) {
      const next = left.pop();
      if (next === undefined) return filesAmong(JSON.stringify(folder), files);
      const all = await this.#below(next.tree, next.path, options);
      const entries = all ?? (await this.#right(next.tree, next.path, options));
      for (const { path, type, sha } of entries) {
        if (type === 'folder' && all === undefined) left.push({ tree: sha, path });
        else if (type !== 'folder') files.push({ path, type, sha });
      }
      if (files.length > maxListedFiles || trees > maxTrees) {
        throw this.#tooLarge(folder, `${maxListedFiles} files`, options);
      }
    }
  }

  /** Returns the id of a folder; GitHub accepts the id of a commit for its root. */
  async #find(commit: string, folder: string, options?: CallOptions): Promise<string | undefined> {
    if (folder === '') return commit;
    const parts = folder.split('/');
    let tree = commit;
    for (let depth = 1; depth <= parts.length; depth++) {
      const here = parts.slice(0, depth).join('/');
      const siblings = await this.#right(tree, parts.slice(0, depth - 1).join('/'), options);
      const entry = siblings.find(({ path }) => path === here);
      if (entry?.type !== 'folder') return undefined;
      tree = entry.sha;
    }
    return tree;
  }

  async #right(tree: string, folder: string, options?: CallOptions): Promise<TreeEntry[]> {
    const { entries, truncated } = await this.#read(tree, folder, undefined, options);
    if (truncated) throw this.#tooLarge(folder, 'GitHub lists', options);
    return inside(folder, entries);
  }

  /** Lists recursively; returns undefined when that exceeds the limit of GitHub or of this process. */
  async #below(tree: string, folder: string, options?: CallOptions): Promise<TreeEntry[] | undefined> {
    try {
      const { entries, truncated } = await this.#read(tree, folder, '1', options);
      return truncated ? undefined : inside(folder, entries);
    } catch (error) {
      if (isTyped(error, 'Invalid') && error.reason === 'TooLarge') return undefined;
      throw error;
    }
  }

  #tooLarge(folder: string, bound: string, options?: CallOptions): TypedError {
    const what = `folder ${JSON.stringify(folder)}`;
    return this.#client.named(contentsCall('list', 'read', options, what), tooLarge(what, bound));
  }

  #read(tree: string, folder: string, recursive: '1' | undefined, options?: CallOptions): Promise<Tree> {
    const { owner, name: repo } = this.#client.repository;
    return this.#client.readObject(
      'GET /repos/{owner}/{repo}/git/trees/{tree_sha}',
      { owner, repo, tree_sha: tree, ...(recursive !== undefined && { recursive }) },
      contentsCall('list', 'read', options, `folder ${JSON.stringify(folder)} (tree ${tree})`),
      ({ tree: entries, truncated }) => ({ entries: entries.map(entryOf), truncated }),
    );
  }
}

function inside(folder: string, entries: readonly TreeEntry[]): TreeEntry[] {
  return entries.map((entry) => (folder === '' ? entry : { ...entry, path: `${folder}/${entry.path}` }));
}

function entryOf({ path, mode, sha }: Listed['tree'][number]): TreeEntry {
  return { path, type: typeOfMode(mode), sha };
}
