import { isUtf8 } from 'node:buffer';
import { isTyped, withoutEnd } from '@interlock/api';
import type { CallOptions } from '../call-options.js';
import { refusePaths } from '../commit-paths.js';
import type { Commit, NewCommit, NewFile, RepositoryContents, TreeEntry } from '../contents.js';
import { contentsCall, type Call } from '../http/call.js';
import { branchMissing, headMoved, tooLarge } from '../refusals.js';
import { GithubBranches } from './branches.js';
import type { RepositoryClient } from './client.js';
import { GithubTrees } from './trees.js';
import type { Parameters } from './transport.js';

type NewEntry = Parameters<'POST /repos/{owner}/{repo}/git/trees'>['tree'][number];

/** Files and commits through the Git database (REST API, "Git database"), where a commit has any number of files. */
export class GithubContents implements RepositoryContents {
  readonly #branches: GithubBranches;
  readonly #trees: GithubTrees;

  readonly #client: RepositoryClient;

  constructor(client: RepositoryClient) {
    this.#client = client;

    this.#branches = new GithubBranches(client);
    this.#trees = new GithubTrees(client);
  }

  async branchTip(branch: string, options?: CallOptions): Promise<Commit | undefined> {
    const sha = await this.#branches.tip(branch, options);
    if (sha === undefined) return undefined;
    const { message, parents } = await this.#commit(sha, options);
    return { sha, message, parents };
  }

  listFolder(commit: string, folder: string, options?: CallOptions): Promise<TreeEntry[] | undefined> {
    return this.#trees.folder(commit, folder, options);
  }

  listFiles(commit: string, folder: string, options?: CallOptions): Promise<TreeEntry[]> {
    return this.#trees.files(commit, folder, options);
  }

  async readBlob(sha: string, maxBytes: number, options?: CallOptions): Promise<Buffer> {
    const call = contentsCall('get', 'read', options, `blob ${sha}`);
    const large = () => this.#client.named(call, tooLarge(`blob ${sha}`, `${maxBytes} bytes`));
    const { content, encoding, size } = await this.#client
      .send('GET /repos/{owner}/{repo}/git/blobs/{file_sha}', { ...this.#path(), file_sha: sha }, call)
      .catch((error: unknown) => {
        // GitHub refuses to return blobs of more than 100 MB, with status 403.
        throw isTyped(error, 'Unauthorized') && /too.large/i.test(error.message) ? large() : error;
      });
    if ((size ?? 0) > maxBytes) throw large();
    return Buffer.from(content, encoding === 'base64' ? 'base64' : 'utf8');
  }

  /**
   * Makes a commit. Until the last request, only objects without a reference are created. The commit has no explicit
   * author, because GitHub then signs it for an App.
   */
  async commitFiles(commit: NewCommit, options?: CallOptions): Promise<{ sha: string }> {
    const { branch, onto, message, files } = commit;
    const urgent: CallOptions = { priority: 'write', ...options };
    const call = (object: string): Call =>
      contentsCall('create', 'write', urgent, `${object} for branch ${branch}`);
    const parent = 'tip' in onto ? onto.tip : onto.sha;
    await this.#requireStart(branch, onto, urgent);
    // GitHub would replace anything by a file.
    await refusePaths(this, this.#client.whatOf(call('commit')), commit, urgent);
    const { tree: base } = await this.#commit(parent, urgent);
    const entries: NewEntry[] = [];
    for (const file of files)
      entries.push(await this.#entry(file, call(`file ${JSON.stringify(file.path)}`)));
    const tree = await this.#client.send(
      'POST /repos/{owner}/{repo}/git/trees',
      { ...this.#path(), base_tree: base, tree: entries },
      call('tree'),
    );
    const { sha } = await this.#client.send(
      'POST /repos/{owner}/{repo}/git/commits',
      { ...this.#path(), message, tree: tree.sha, parents: [parent] },
      call('commit'),
    );
    if ('tip' in onto) await this.#branches.move(branch, parent, sha, urgent);
    else await this.#branches.make(branch, sha, urgent);
    return { sha };
  }

  deleteBranch(branch: string, tip: string, options?: CallOptions): Promise<void> {
    return this.#branches.remove(branch, tip, options);
  }

  async #requireStart(branch: string, onto: NewCommit['onto'], options: CallOptions): Promise<void> {
    const start = 'tip' in onto ? branch : onto.base;
    const tip = await this.#branches.tip(start, options);
    const call = contentsCall('create', 'write', options, `commit for branch ${branch}`);
    if (tip === undefined) throw this.#client.named(call, branchMissing(start));
    if ('tip' in onto && tip !== onto.tip) throw this.#client.named(call, headMoved(branch, onto.tip, tip));
  }

  /**
   * Returns the entry of a file in a new tree. Text is sent within the tree, which saves a request; other bytes cannot
   * be part of JSON.
   */
  async #entry({ path, contents, previous }: NewFile, call: Call): Promise<NewEntry> {
    const mode = previous?.type === 'executable' ? '100755' : '100644';
    const entry = { path, mode, type: 'blob' } as const;
    if (contents === undefined) return { ...entry, sha: null };
    const text = contents.length > 0 && isUtf8(contents) && !contents.includes(0);
    if (text) return { ...entry, content: contents.toString('utf8') };
    const { sha } = await this.#client.send(
      'POST /repos/{owner}/{repo}/git/blobs',
      { ...this.#path(), content: contents.toString('base64'), encoding: 'base64' },
      call,
    );
    return { ...entry, sha };
  }

  #commit(sha: string, options?: CallOptions): Promise<Omit<Commit, 'sha'> & { tree: string }> {
    return this.#client.readObject(
      'GET /repos/{owner}/{repo}/git/commits/{commit_sha}',
      { ...this.#path(), commit_sha: sha },
      contentsCall('get', 'read', options, `commit ${sha}`),
      ({ message, parents, tree }) => ({
        message: withoutEnd(message, '\n'),
        parents: parents.map((parent) => parent.sha),
        tree: tree.sha,
      }),
    );
  }

  #path(): { owner: string; repo: string } {
    const { owner, name } = this.#client.repository;
    return { owner, repo: name };
  }
}
