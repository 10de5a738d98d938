import type { CommitStatusPhase } from '@interlock/api';
import type { ShownPullRequest, ShownStatus, WrittenFile } from './contract-fixture.js';
import { git, GitUser } from './git-user.js';

const none = '0'.repeat(40);

/** The actions and reads of a user in a bare repository, only with git, as documented in docs/scm.md. */
export class LocalActions {
  readonly #user: GitUser;

  readonly #path: string;

  constructor(
    path: string,
    readonly user: string,
  ) {
    this.#path = path;

    this.#user = new GitUser(path);
  }

  commit(branch: string): Promise<string> {
    return this.#user.commit(branch);
  }

  write(branch: string, files: readonly WrittenFile[]): Promise<string> {
    return this.#user.write(branch, files);
  }

  async open(head: string, base: string): Promise<number> {
    const id = Math.max(0, ...(await this.#ids())) + 1;
    const record = JSON.stringify({ head, base, title: 'by hand', body: 'by hand' });
    const blob = await this.#git(['hash-object', '-w', '--stdin'], record);
    await this.#git(['update-ref', `refs/interlock/pulls/${id}`, blob, none]);
    return id;
  }

  async close(id: number): Promise<void> {
    const { head } = await this.#record(id);
    await this.#git(['tag', '-a', '-m', 'not now', `close-${id}`, head]);
    await this.#git(['update-ref', `refs/interlock/close/${id}`, `refs/tags/close-${id}`]);
    await this.#git(['tag', '-d', `close-${id}`]);
  }

  async retarget(id: number, base: string): Promise<void> {
    const { id: _, ...record } = await this.#record(id);
    const blob = await this.#git(['hash-object', '-w', '--stdin'], JSON.stringify({ ...record, base }));
    await this.#git(['update-ref', `refs/interlock/pulls/${id}`, blob]);
  }

  async merge(id: number): Promise<void> {
    const { head, base } = await this.#record(id);
    const tree = await this.#git(['merge-tree', '--write-tree', '--no-messages', base, head]);
    const merge = await this.#git(['commit-tree', tree, '-p', base, '-p', head, '-m', 'by hand']);
    await this.#git(['update-ref', `refs/heads/${base}`, merge]);
  }

  async conflict(id: number): Promise<void> {
    const { head, base } = await this.#record(id);
    await this.#user.conflictOf(head, base);
  }

  async configure(key: string, value: string): Promise<void> {
    await this.#git(['config', '--add', key, value]);
  }

  async pullRequests(): Promise<ShownPullRequest[]> {
    const records = await this.#records();
    return records
      .sort((a, b) => a.id - b.id)
      .map(({ id, state = 'open', title, body, labels = [] }) => ({ id, state, title, body, labels }));
  }

  async comment(id: number, body: string): Promise<void> {
    const { id: _, ...record } = await this.#record(id);
    const comments = [...(record.comments ?? []), { author: this.user, body }];
    const blob = await this.#git(['hash-object', '-w', '--stdin'], JSON.stringify({ ...record, comments }));
    await this.#git(['update-ref', `refs/interlock/pulls/${id}`, blob]);
  }

  async comments(id: number): Promise<string[]> {
    return ((await this.#record(id)).comments ?? []).map(({ body }) => body);
  }

  async status(sha: string, name: string): Promise<ShownStatus | undefined> {
    const text = await this.#git(['cat-file', 'blob', `refs/interlock/statuses/${sha}`]).catch(() => '{}');
    const statuses = JSON.parse(text) as Record<string, { phase: CommitStatusPhase; description: string }>;
    const found = statuses[name];
    return found && { phase: found.phase, description: found.description };
  }

  async #record(id: number): Promise<PullRecord> {
    const text = await this.#git(['cat-file', 'blob', `refs/interlock/pulls/${id}`]);
    return { id, ...(JSON.parse(text) as Omit<PullRecord, 'id'>) };
  }

  async #records(): Promise<PullRecord[]> {
    return Promise.all((await this.#ids()).map((id) => this.#record(id)));
  }

  async #ids(): Promise<number[]> {
    const refs = await this.#git(['for-each-ref', '--format=%(refname)', 'refs/interlock/pulls/']);
    return refs === '' ? [] : refs.split('\n').map((ref) => Number(ref.split('/').at(-1)));
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
  id: number;
  head: string;
  base: string;
  title: string;
  body: string;
  state?: ShownPullRequest['state'];
  labels?: string[];
  comments?: { author: string; body: string }[];
}
