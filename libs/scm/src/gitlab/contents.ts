import type { CommitAction } from '@gitbeaker/rest';
import { isTyped, withoutEnd } from '@interlock/api';
import type { KeyedLock } from '@interlock/base';
import { commitError, isStillAt, prepareCommit } from '../branch-commit.js';
import type { CallOptions } from '../call-options.js';
import type { Commit, NewCommit, NewFile, RepositoryContents, TreeEntry } from '../contents.js';
import { contentsCall, whatOf, type Call } from '../http/call.js';
import type { Headers } from '../http/errors.js';
import { pageSize } from '../http/pages.js';
import { headMoved, named, tooLarge } from '../refusals.js';
import { filesAmong, refuseMoreEntries, typeOfMode } from '../tree.js';
import type { ProjectClient } from './client.js';

interface Asked {
  ref: string;
  path?: string;
  recursive: boolean;
}

interface TreePage {
  entries: TreeEntry[];
  /** Parameters of the next page; undefined on the last page. */
  next: Readonly<Record<string, string>> | undefined;
}

/** Files and commits of one project (REST API, "Repositories", "Commits", "Branches"). */
export class GitlabContents implements RepositoryContents {
  readonly #client: ProjectClient;
  readonly #turns: KeyedLock;

  constructor(client: ProjectClient, turns: KeyedLock) {
    this.#client = client;
    this.#turns = turns;
  }

  async branchTip(branch: string, options?: CallOptions): Promise<Commit | undefined> {
    const call = contentsCall('get', 'read', options, `branch ${branch}`);
    const found = await this.#orNothing(
      this.#client.get((api) => api.Branches.show(this.#client.id, branch), call),
    );
    if (found === undefined) return undefined;
    const { id, message, parent_ids: parents } = found.commit;
    return { sha: id, message: withoutEnd(message, '\n'), parents: parents ?? [] };
  }

  async listFolder(commit: string, folder: string, options?: CallOptions): Promise<TreeEntry[] | undefined> {
    const entries = await this.#tree(commit, folder, false, options);
    // Git has no empty folders; only a repository can be empty.
    return entries?.length === 0 && folder !== '' ? undefined : entries;
  }

  async listFiles(commit: string, folder: string, options?: CallOptions): Promise<TreeEntry[]> {
    return filesAmong(
      `list files of ${this.#client.fullName}`,
      (await this.#tree(commit, folder, true, options)) ?? [],
    );
  }

  async readBlob(sha: string, maxBytes: number, options?: CallOptions): Promise<Buffer> {
    const call = contentsCall('get', 'read', options, `blob ${sha}`);
    const blob = await this.#client.get((api) => api.Repositories.showBlob(this.#client.id, sha), call);
    if (blob.size > maxBytes) {
      throw named(whatOf(call, this.#client.fullName), tooLarge(`blob ${sha}`, `${maxBytes} bytes`));
    }
    return Buffer.from(blob.content, 'base64');
  }

  /**
   * Makes a commit. GitLab creates a branch from exactly a commit, but changes an existing one whatever its tip is. So
   * the tip is read before a commit, and the parent of the commit after it; commits of one process take turns.
   */
  commitFiles(commit: NewCommit, options?: CallOptions): Promise<{ sha: string }> {
    const key = `${this.#client.transport.account.url} ${this.#client.id} ${commit.branch}`;
    return this.#turns.run(key, () => this.#commit(commit, options), options?.signal);
  }

  async #commit(commit: NewCommit, options?: CallOptions): Promise<{ sha: string }> {
    const { branch, onto, message, files } = commit;
    const { call, what, urgent } = await prepareCommit(this, this.#client.fullName, commit, options);
    const start = 'tip' in onto ? {} : { startSha: onto.sha };
    const actions: CommitAction[] = [];
    for (const file of files) {
      const last = 'tip' in onto ? await this.#lastCommit(file, onto.tip, urgent) : {};
      actions.push({ ...actionOf(file), ...last });
    }
    // The actions are applied in order: a folder may replace a deleted file.
    actions.sort((a, b) => Number(b.action === 'delete') - Number(a.action === 'delete'));
    const made = await this.#client
      .send(
        (api) => api.Commits.create(this.#client.id, branch, message, actions, { ...start, stats: false }),
        call,
      )
      .catch(async (error: unknown) => {
        throw await commitError(this, what, commit, error, urgent);
      });
    if ('tip' in onto && made.parent_ids?.[0] !== onto.tip)
      throw named(what, headMoved(branch, onto.tip, made.id));
    return { sha: made.id };
  }

  async deleteBranch(branch: string, tip: string, options?: CallOptions): Promise<void> {
    const call = contentsCall('delete', 'write', options, `branch ${branch}`);
    const what = whatOf(call, this.#client.fullName);
    if (!(await isStillAt(this, what, { branch, tip }, { priority: 'write', ...options }))) return;
    await this.#orNothing(this.#client.send((api) => api.Branches.remove(this.#client.id, branch), call));
  }

  /**
   * Reads a tree page by page. Every page identifies the next one: by a token, or by a number if the server does not use
   * tokens for trees.
   *
   * @returns undefined when there is no such folder.
   */
  async #tree(
    ref: string,
    path: string,
    recursive: boolean,
    options?: CallOptions,
  ): Promise<TreeEntry[] | undefined> {
    const call = contentsCall('list', 'read', options, `files at ${ref}`);
    const asked: Asked = { ref, recursive, ...(path === '' ? {} : { path }) };
    const all: TreeEntry[] = [];
    for (let page: TreePage['next'] = {}; page !== undefined;) {
      const found: TreePage | undefined = await this.#orNothing(this.#treePage({ ...asked, ...page }, call));
      if (found === undefined) return undefined;
      all.push(...found.entries);
      refuseMoreEntries(whatOf(call, this.#client.fullName), all.length);
      page = found.next;
    }
    return all;
  }

  #treePage(asked: Asked, call: Call): Promise<TreePage> {
    const paging = { pagination: 'keyset', perPage: pageSize } as const;
    return this.#client.read(
      (api) => api.Repositories.allRepositoryTrees(this.#client.id, { ...asked, ...paging }),
      call,
      (items, headers) => ({
        entries: items.map((item) => ({ path: item.path, type: typeOfMode(item.mode), sha: item.id })),
        next: items.length === 0 ? undefined : nextPage(headers),
      }),
    );
  }

  /** Returns the last commit that changed a file: GitLab refuses to change a file that another commit has changed since. */
  async #lastCommit(
    { path, previous }: NewFile,
    tip: string,
    options: CallOptions,
  ): Promise<{ lastCommitId?: string }> {
    if (previous === undefined) return {};
    const [last] = await this.#client.get(
      (api) => api.Commits.all(this.#client.id, { refName: tip, path, perPage: 1, page: 1 }),
      contentsCall('list', 'write', options, `commits of ${path}`),
    );
    return last === undefined ? {} : { lastCommitId: last.id };
  }

  /**
   * Returns undefined if the project does not have the requested object. @throws all other errors, including a missing
   * project.
   */
  async #orNothing<T>(asked: Promise<T>): Promise<T | undefined> {
    try {
      return await asked;
    } catch (error) {
      if (isTyped(error, 'NotFound') && !/project not found/i.test(error.message)) return undefined;
      throw error;
    }
  }
}

/** Returns the change of a file. An updated file keeps its executable bit. */
function actionOf({ path, contents, previous }: NewFile): CommitAction {
  if (contents === undefined) return { action: 'delete', filePath: path };
  return {
    action: previous === undefined ? 'create' : 'update',
    filePath: path,
    content: contents.toString('base64'),
    encoding: 'base64',
  };
}

function nextPage(headers: Headers): TreePage['next'] {
  const [, url] = /<([^<>]+)>\s*;\s*rel="?next"?/.exec(String(headers['link'] ?? '')) ?? [];
  if (url === undefined || !URL.canParse(url)) return undefined;
  const query = new URL(url).searchParams;
  const [token, page] = [query.get('page_token'), query.get('page')];
  if (token !== null) return { pageToken: token };
  return page === null ? undefined : { page };
}
