import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { BareFolder } from '@interlock/base/testing';
import type { ShownPullRequest, ShownStatus, WrittenFile } from './contract-fixture.js';
import { git, GitUser } from './git-user.js';

const pulls = 'refs/interlock/pulls';

/**
 * The actions and reads of a user in a bare repository, as documented in docs/scm.md. What is only an object or a
 * reference there is written and read without git; another test runs the documented commands.
 */
export class LocalActions {
  readonly #user: GitUser;

  readonly #path: string;
  readonly #folder: BareFolder;

  constructor(
    path: string,
    readonly user: string,
  ) {
    this.#path = path;
    this.#folder = new BareFolder(path);
    this.#user = new GitUser(path);
  }

  commit(branch: string): Promise<string> {
    return this.#user.commit(branch);
  }

  write(branch: string, files: readonly WrittenFile[]): Promise<string> {
    return this.#user.write(branch, files);
  }

  open(head: string, base: string): Promise<number> {
    const id = Math.max(0, ...this.#ids()) + 1;
    this.#put(id, { head, base, title: 'by hand', body: 'by hand' });
    return Promise.resolve(id);
  }

  async close(id: number): Promise<void> {
    const { head } = this.#record(id);
    await this.#git(['tag', '-a', '-m', 'not now', `close-${id}`, head]);
    const tag = `refs/tags/close-${id}`;
    this.#folder.putRef(`refs/interlock/close/${id}`, this.#folder.ref(tag) ?? '');
    rmSync(join(this.#path, tag));
  }

  retarget(id: number, base: string): Promise<void> {
    this.#put(id, { ...this.#record(id), base });
    return Promise.resolve();
  }

  async merge(id: number): Promise<void> {
    const { head, base } = this.#record(id);
    const tree = await this.#git(['merge-tree', '--write-tree', '--no-messages', base, head]);
    const merge = await this.#git(['commit-tree', tree, '-p', base, '-p', head, '-m', 'by hand']);
    await this.#git(['update-ref', `refs/heads/${base}`, merge]);
  }

  async conflict(id: number): Promise<void> {
    const { head, base } = this.#record(id);
    await this.#user.conflictOf(head, base);
  }

  async configure(key: string, value: string): Promise<void> {
    await this.#git(['config', '--add', key, value]);
  }

  pullRequests(): Promise<ShownPullRequest[]> {
    const shown = this.#ids()
      .sort((a, b) => a - b)
      .map((id) => ({ id, ...this.#record(id) }))
      .map(({ id, state = 'open', title, body, labels = [] }) => ({ id, state, title, body, labels }));
    return Promise.resolve(shown);
  }

  comment(id: number, body: string): Promise<void> {
    const record = this.#record(id);
    this.#put(id, { ...record, comments: [...(record.comments ?? []), { author: this.user, body }] });
    return Promise.resolve();
  }

  comments(id: number): Promise<string[]> {
    return Promise.resolve((this.#record(id).comments ?? []).map(({ body }) => body));
  }

  status(sha: string, name: string): Promise<ShownStatus | undefined> {
    const statuses = this.#json<Record<string, ShownStatus>>(`refs/interlock/statuses/${sha}`);
    const found = statuses?.[name];
    return Promise.resolve(found && { phase: found.phase, description: found.description });
  }

  #record(id: number): PullRecord {
    const record = this.#json<PullRecord>(`${pulls}/${id}`);
    if (record === undefined) throw new Error(`there is no pull request ${id}`);
    return record;
  }

  #put(id: number, record: PullRecord): void {
    this.#folder.putRef(`${pulls}/${id}`, this.#folder.putBlob(JSON.stringify(record)));
  }

  #json<T>(ref: string): T | undefined {
    const id = this.#folder.ref(ref);
    return id === undefined ? undefined : (JSON.parse(this.#folder.content(id).toString('utf8')) as T);
  }

  #ids(): number[] {
    return [...this.#folder.refs(pulls).keys()].map((ref) => Number(ref.split('/').at(-1)));
  }

  #git(args: readonly string[], input = ''): Promise<string> {
    const name = { name: this.user, email: `${this.user}@example.com` };
    return git(['-C', this.#path, ...args], input, {
      GIT_AUTHOR_NAME: name.name,
      GIT_AUTHOR_EMAIL: name.email,
      GIT_COMMITTER_NAME: name.name,
      GIT_COMMITTER_EMAIL: name.email,
    });
  }
}

interface PullRecord {
  head: string;
  base: string;
  title: string;
  body: string;
  state?: ShownPullRequest['state'];
  labels?: string[];
  comments?: { author: string; body: string }[];
}
