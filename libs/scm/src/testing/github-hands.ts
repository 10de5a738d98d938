import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { CommitStatusPhase } from '@interlock/api';
import type { GitCredentials, MergeMethod } from '../scm.js';
import type { ShownPullRequest, ShownStatus } from './contract-world.js';
import type { Tenant } from './github-forge.js';

const run = promisify(execFile);

const allowances = {
  merge: 'allow_merge_commit',
  squash: 'allow_squash_merge',
  rebase: 'allow_rebase_merge',
} as const;

const phases: Readonly<Record<string, CommitStatusPhase>> = {
  pending: 'in_progress',
  success: 'success',
  failure: 'failure',
  error: 'cancelled',
};

/** What people do and see at GitHub. */
export class GithubHands {
  readonly #at: { owner: string; repo: string };
  /** The file that each branch was last given. */
  readonly #files = new Map<string, string>();
  #commits = 0;

  constructor(readonly tenant: Tenant) {
    this.#at = { owner: tenant.repository.owner, repo: tenant.repository.name };
  }

  /** Adds a file of its own, so that no two branches conflict. @returns the commit. */
  commit(branch: string): Promise<string> {
    return this.#write(branch, `file-${++this.#commits}`);
  }

  async open(head: string, base: string): Promise<number> {
    const route = 'POST /repos/{owner}/{repo}/pulls';
    const wanted = { ...this.#at, head, base, title: 'by hand', body: 'by hand' };
    return (await this.tenant.person.ask(route, wanted)).number;
  }

  async close(id: number): Promise<void> {
    const route = 'PATCH /repos/{owner}/{repo}/pulls/{pull_number}';
    await this.tenant.person.ask(route, { ...this.#at, pull_number: id, state: 'closed' });
  }

  async merge(id: number): Promise<void> {
    const route = 'PUT /repos/{owner}/{repo}/pulls/{pull_number}/merge';
    await this.tenant.person.ask(route, { ...this.#at, pull_number: id });
  }

  /** Puts another file of the same name on the base. */
  async conflict(id: number): Promise<void> {
    const route = 'GET /repos/{owner}/{repo}/pulls/{pull_number}';
    const { head, base } = await this.tenant.person.ask(route, { ...this.#at, pull_number: id });
    await this.#write(base.ref, this.#files.get(head.ref) ?? '');
  }

  async forbid(method: MergeMethod): Promise<void> {
    const { owner } = this.tenant;
    await owner.ask('PATCH /repos/{owner}/{repo}', { ...this.#at, [allowances[method]]: false });
  }

  /** @returns at most 100. */
  async pullRequests(): Promise<ShownPullRequest[]> {
    const pulls = await this.tenant.person.ask('GET /repos/{owner}/{repo}/pulls', {
      ...this.#at,
      state: 'all',
      sort: 'created',
      direction: 'asc',
      per_page: 100,
    });
    return pulls.map(({ number, state, merged_at: merged, title, body, labels }) => ({
      id: number,
      state: merged !== null ? 'merged' : state === 'open' ? 'open' : 'closed',
      title,
      body: body ?? '',
      labels: labels.map(({ name }) => name),
    }));
  }

  async openAndClose(head: string, base: string, times: number): Promise<number[]> {
    const ids: number[] = [];
    for (let time = 0; time < times; time++) {
      const id = await this.open(head, base);
      await this.close(id);
      ids.push(id);
    }
    return ids;
  }

  async gitReads(cloneUrl: string, credentials?: GitCredentials): Promise<boolean> {
    const url = new URL(cloneUrl);
    Object.assign(url, credentials);
    try {
      return (await git(['ls-remote', url.href])).includes('refs/heads/main');
    } catch {
      return false;
    }
  }

  status(sha: string, name: string): Promise<ShownStatus | undefined> {
    return this.tenant.kind === 'app' ? this.#checkRun(sha, name) : this.#commitStatus(sha, name);
  }

  async #commitStatus(ref: string, name: string): Promise<ShownStatus | undefined> {
    const route = 'GET /repos/{owner}/{repo}/commits/{ref}/status';
    const { statuses } = await this.tenant.person.ask(route, { ...this.#at, ref, per_page: 100 });
    const found = statuses.find(({ context }) => context === name);
    if (found === undefined) return undefined;
    return { phase: phases[found.state] ?? 'queued', description: found.description ?? '' };
  }

  async #checkRun(ref: string, name: string): Promise<ShownStatus | undefined> {
    const route = 'GET /repos/{owner}/{repo}/commits/{ref}/check-runs';
    const { check_runs: runs } = await this.tenant.person.ask(route, { ...this.#at, ref, check_name: name });
    const [newest] = runs.sort((a, b) => Number(b.id) - Number(a.id));
    if (newest === undefined) return undefined;
    return {
      phase: (newest.conclusion ?? newest.status) as CommitStatusPhase,
      description: newest.output.summary ?? '',
    };
  }

  #write(branch: string, file: string): Promise<string> {
    const parent = [branch, 'main'].find((name) => this.#files.has(name));
    this.#files.set(branch, file);
    return commitFile(this.tenant.repository.path, { branch, parent, file, content: `${++this.#commits}` });
  }
}

interface FileCommit {
  branch: string;
  /** Branch from whose tip the commit is made. */
  parent: string | undefined;
  file: string;
  content: string;
}

/** Commits a file in a bare repository. @returns the commit. */
async function commitFile(path: string, { branch, parent, file, content }: FileCommit): Promise<string> {
  const message = `Write ${file}`;
  const input = [
    `commit refs/heads/${branch}`,
    'mark :1',
    'committer Ann <ann@example.com> 1767225600 +0000',
    `data ${message.length}`,
    message,
    ...(parent === undefined ? [] : [`from refs/heads/${parent}^0`]),
    `M 100644 inline ${file}`,
    `data ${content.length}`,
    content,
    'get-mark :1',
    'done',
    '',
  ].join('\n');
  return git(['-C', path, 'fast-import', '--quiet', '--done', '--cat-blob-fd=1'], input);
}

/** Runs git without the configuration of the machine. @returns what it writes to its standard output. */
async function git(args: readonly string[], input = ''): Promise<string> {
  const env = { PATH: process.env['PATH'], GIT_CONFIG_NOSYSTEM: '1', GIT_TERMINAL_PROMPT: '0' };
  const running = run('git', args, { env });
  running.child.stdin?.end(input);
  return (await running).stdout.trim();
}
