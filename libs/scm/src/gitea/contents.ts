import { TypedError, ifFound, withoutEnd } from '@interlock/api';
import type { KeyedLock } from '@interlock/base';
import { LRUCache } from 'lru-cache';
import { commitError, isStillAt, prepareCommit } from '../branch-commit.js';
import type { CallOptions } from '../call-options.js';
import type { Commit, NewCommit, NewFile, RepositoryContents, TreeEntry } from '../contents.js';
import { contentsCall, whatOf } from '../http/call.js';
import { RefusalError } from '../http/errors.js';
import { headMoved, named, tooLarge } from '../refusals.js';
import { filesAmong, refuseMoreEntries, typeOfMode } from '../tree.js';
import type { GiteaClient } from './client.js';

interface CommitAnswer {
  sha: string;
  commit: { message: string };
  parents: { sha: string }[] | null;
}

interface TreeAnswer {
  tree: { path: string; mode: string; sha: string }[] | null;
  truncated: boolean;
}

/** The content is missing for a file that exceeds the limit of the server. */
interface BlobAnswer {
  size: number;
  content?: string | null;
}

/** Entries on a page; a server may return fewer. */
const pageSize = 1_000;
const maxKnownFolders = 200;

/** Files and commits of one repository (REST API, "repository": branches, git, contents). */
export class GiteaContents implements RepositoryContents {
  /** Folders by tree id, which identifies their content. */
  readonly #folders = new LRUCache<string, TreeEntry[]>({ max: maxKnownFolders });

  readonly #client: GiteaClient;
  readonly #turns: KeyedLock;

  /** @param turns serializes the commits to each branch. */
  constructor(client: GiteaClient, turns: KeyedLock) {
    this.#client = client;
    this.#turns = turns;
  }

  async branchTip(branch: string, options?: CallOptions): Promise<Commit | undefined> {
    const call = contentsCall('get', 'read', options, `branch ${branch}`);
    const found = await ifFound(
      this.#client.send<{ commit: { id: string } }>('GET', this.#client.branchPath(branch), call),
    );
    if (found === undefined) return undefined;
    const { id } = found.commit;
    // The branch does not include the parents; the commit is requested without the costly parts.
    const query = { stat: 'false', verification: 'false', files: 'false' };
    const request = { method: 'GET', path: this.#client.path('git', 'commits', id), query } as const;
    const { sha, commit, parents } = await this.#client.api.send<CommitAnswer>(request, call);
    return {
      sha,
      message: withoutEnd(commit.message, '\n'),
      parents: (parents ?? []).map((parent) => parent.sha),
    };
  }

  async listFolder(commit: string, folder: string, options?: CallOptions): Promise<TreeEntry[] | undefined> {
    const id = await this.#folderId(commit, folder, options);
    if (id === undefined) return undefined;
    return (await this.#folder(id, options)).map((entry) => below(folder, entry));
  }

  async listFiles(commit: string, folder: string, options?: CallOptions): Promise<TreeEntry[]> {
    const id = await this.#folderId(commit, folder, options);
    if (id === undefined) return [];
    const entries = await this.#tree(id, true, options);
    return filesAmong(
      `list files of ${this.#client.fullName}`,
      entries.map((entry) => below(folder, entry)),
    );
  }

  async readBlob(sha: string, maxBytes: number, options?: CallOptions): Promise<Buffer> {
    const call = contentsCall('get', 'read', options, `blob ${sha}`);
    const path = this.#client.path('git', 'blobs', sha);
    const blob = await this.#client.send<BlobAnswer>('GET', path, call).catch((error: unknown) => {
      // Gitea answers a missing object with a bad request.
      if (!(error instanceof RefusalError) || error.status !== 400) throw error;
      throw new TypedError('NotFound', error.message);
    });
    const isWithheld = blob.size > 0 && (blob.content ?? '') === '';
    if (blob.size > maxBytes || isWithheld) {
      const bound = isWithheld ? 'the server gives' : `${maxBytes} bytes`;
      throw named(whatOf(call, this.#client.fullName), tooLarge(`blob ${sha}`, bound));
    }
    return Buffer.from(blob.content ?? '', 'base64');
  }

  /**
   * Makes a commit. Gitea creates a branch from the tip of another one, and changes an existing one without comparing
   * its tip; it compares only files. So the tip is read before a commit, and the parent of the commit after it; commits
   * of one process take turns.
   */
  commitFiles(commit: NewCommit, options?: CallOptions): Promise<{ sha: string }> {
    const key = `${this.#client.api.options.apiUrl}${this.#client.path()} ${commit.branch}`;
    return this.#turns.run(key, () => this.#commit(commit, options), options?.signal);
  }

  async deleteBranch(branch: string, tip: string, options?: CallOptions): Promise<void> {
    const call = contentsCall('delete', 'write', options, `branch ${branch}`);
    const what = whatOf(call, this.#client.fullName);
    if (!(await isStillAt(this, what, { branch, tip }, { priority: 'write', ...options }))) return;
    await ifFound(this.#client.send('DELETE', this.#client.branchPath(branch), call));
  }

  async #commit(commit: NewCommit, options?: CallOptions): Promise<{ sha: string }> {
    const { branch, onto, message, files } = commit;
    const { call, what, urgent } = await prepareCommit(this, this.#client.fullName, commit, options);
    const branches = 'tip' in onto ? { branch } : { branch: onto.base, new_branch: branch };
    const body = { ...branches, message, files: files.map(changeOf) };
    const isChanged = async (file: NewFile, at: string): Promise<boolean> =>
      (await this.#entry(at, file.path, urgent))?.sha !== file.previous?.sha;
    const made = await this.#client
      .send<{ commit: CommitAnswer }>('POST', this.#client.path('contents'), call, body)
      .catch(async (error: unknown) => {
        throw await commitError(this, what, commit, error, urgent, isChanged);
      });
    const { sha, parents } = made.commit;
    if ('tip' in onto && parents?.[0]?.sha !== onto.tip) throw named(what, headMoved(branch, onto.tip, sha));
    return { sha };
  }

  async #entry(commit: string, path: string, options: CallOptions): Promise<TreeEntry | undefined> {
    const folder = path.slice(0, Math.max(0, path.lastIndexOf('/')));
    return (await this.listFolder(commit, folder, options))?.find((entry) => entry.path === path);
  }

  /** Returns the id of a folder. The API identifies trees by id, so all folders above are read first. */
  async #folderId(commit: string, folder: string, options?: CallOptions): Promise<string | undefined> {
    let id = commit;
    for (const name of folder === '' ? [] : folder.split('/')) {
      const entry = (await this.#folder(id, options)).find(({ path }) => path === name);
      if (entry?.type !== 'folder') return undefined;
      id = entry.sha;
    }
    return id;
  }

  async #folder(id: string, options?: CallOptions): Promise<TreeEntry[]> {
    const known = this.#folders.get(id) ?? (await this.#tree(id, false, options));
    this.#folders.set(id, known);
    return known;
  }

  /** Returns the entries of a tree, with paths relative to it. */
  async #tree(id: string, recursive: boolean, options?: CallOptions): Promise<TreeEntry[]> {
    const call = contentsCall('list', 'read', options, `files at ${id}`);
    const all: TreeEntry[] = [];
    for (let page = 1, more = true; more; page++) {
      const query = { page, per_page: pageSize, ...(recursive ? { recursive: 'true' } : {}) };
      const request = { method: 'GET', path: this.#client.path('git', 'trees', id), query } as const;
      const { tree, truncated } = await this.#client.api.send<TreeAnswer>(request, call);
      const entries = tree ?? [];
      all.push(...entries.map(({ path, mode, sha }) => ({ path, type: typeOfMode(mode), sha })));
      refuseMoreEntries(whatOf(call, this.#client.fullName), all.length);
      more = truncated && entries.length > 0;
    }
    return all;
  }
}

/** Returns the change of a file. An updated file keeps its executable bit; Gitea compares the id of the previous file. */
function changeOf({ path, contents, previous }: NewFile): Record<string, string> {
  const before: Record<string, string> = previous === undefined ? {} : { sha: previous.sha };
  if (contents === undefined) return { operation: 'delete', path, ...before };
  const operation = previous === undefined ? 'create' : 'update';
  return { operation, path, content: contents.toString('base64'), ...before };
}

function below(folder: string, entry: TreeEntry): TreeEntry {
  return folder === '' ? entry : { ...entry, path: `${folder}/${entry.path}` };
}
