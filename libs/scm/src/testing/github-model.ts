import { createHash } from 'node:crypto';
import type { FakeClock } from './fake-clock.js';
import { ApiError, GithubStatusModel, type Json } from './github-status-model.js';

interface Pull {
  number: number;
  title: string;
  body: string | null;
  state: 'open' | 'closed';
  draft: boolean;
  fork: boolean;
  head: string;
  headSha: string;
  base: string;
  labels: string[];
  conflicting: boolean;
  mergedAt: string | null;
  mergeSha: string | null;
  mergedBy: string | null;
  closedBy: string | null;
}

const me = 'promoter';
const at = '2026-01-01T00:00:00Z';

/** What GitHub keeps of one repository, with the rules of its REST API that matter to a plugin. */
export class GithubModel {
  readonly token = 'ghp_contract';
  readonly appToken = 'ghs_contract';
  readonly branches = new Map<string, string>();
  readonly pulls: Pull[] = [];
  readonly protection = new Map<string, string>();
  readonly forbiddenMethods = new Set<string>();
  /** Of all commits. */
  readonly statuses = new GithubStatusModel();
  #ids = 100;

  constructor(readonly clock: FakeClock) {
    this.commit('main');
  }

  commit(branch: string): string {
    const sha = createHash('sha1').update(`${branch} ${this.#ids++}`).digest('hex');
    this.branches.set(branch, sha);
    for (const pull of this.pulls) if (pull.state === 'open' && pull.head === branch) pull.headSha = sha;
    return sha;
  }

  list(query: URLSearchParams): object[] {
    const [owner, head] = (query.get('head') ?? '').split(':');
    return this.pulls
      .filter(({ state }) => query.get('state') === 'all' || state === (query.get('state') ?? 'open'))
      .filter((pull) => head === undefined || (owner === 'acme' && pull.head === head))
      .filter(({ base }) => query.get('base') === null || base === query.get('base'))
      .map((pull) => this.#show(pull));
  }

  create(body: Json, by: { fork?: boolean } = {}): object {
    const { head, base } = { head: String(body['head']), base: String(body['base']) };
    for (const [field, name] of Object.entries({ head, base })) {
      if (!this.branches.has(name)) {
        throw new ApiError(422, 'Validation Failed', [{ resource: 'PullRequest', field, code: 'invalid' }]);
      }
    }
    const invalid = (message: string): ApiError =>
      new ApiError(422, 'Validation Failed', [{ resource: 'PullRequest', code: 'custom', message }]);
    if (this.branches.get(head) === this.branches.get(base)) {
      throw invalid(`No commits between ${base} and ${head}`);
    }
    const { fork = false } = by;
    const same = (pull: Pull): boolean => pull.head === head && pull.base === base && pull.fork === fork;
    if (this.pulls.some((pull) => pull.state === 'open' && same(pull))) {
      throw invalid(`A pull request already exists for acme:${head}.`);
    }
    const pull: Pull = {
      number: this.pulls.length + 1,
      title: String(body['title']),
      body: typeof body['body'] === 'string' ? body['body'] : null,
      state: 'open',
      draft: body['draft'] === true,
      fork,
      head,
      headSha: this.branches.get(head) ?? '',
      base,
      labels: [],
      conflicting: false,
      mergedAt: null,
      mergeSha: null,
      mergedBy: null,
      closedBy: null,
    };
    this.pulls.push(pull);
    return this.get(pull.number);
  }

  get(id: number): object {
    const pull = this.pull(id);
    const blocked = this.#missingStatus(pull) !== undefined;
    return {
      ...this.#show(pull),
      mergeable: pull.state === 'open' ? !pull.conflicting : null,
      mergeable_state: pull.conflicting ? 'dirty' : blocked ? 'blocked' : 'clean',
      merged_by: pull.mergedBy === null ? null : { login: pull.mergedBy },
    };
  }

  update(id: number, body: Json, by = me): object {
    const pull = this.pull(id);
    if (typeof body['title'] === 'string') pull.title = body['title'];
    if (typeof body['body'] === 'string') pull.body = body['body'];
    if (body['state'] === 'closed' && pull.state === 'open') {
      pull.state = 'closed';
      pull.closedBy = by;
    }
    return this.get(id);
  }

  mergePinned(id: number, body: Json, by = me): object {
    const pull = this.pull(id);
    const refuse = (status: number, message: string): ApiError => new ApiError(status, message);
    if (pull.state !== 'open') throw refuse(405, 'Pull Request is not mergeable');
    if (body['sha'] !== undefined && body['sha'] !== pull.headSha) {
      throw refuse(409, 'Head branch was modified. Review and try the merge again.');
    }
    const method = String(body['merge_method'] ?? 'merge');
    if (this.forbiddenMethods.has(method)) {
      const names: Record<string, string> = {
        merge: 'Merge commits',
        squash: 'Squash merges',
        rebase: 'Rebase merges',
      };
      throw refuse(405, `${names[method]} are not allowed on this repository.`);
    }
    if (pull.conflicting) throw refuse(405, 'Pull Request is not mergeable');
    const missing = this.#missingStatus(pull);
    if (missing !== undefined) throw refuse(405, `Required status check "${missing}" is expected.`);
    pull.state = 'closed';
    pull.mergedAt = at;
    pull.mergedBy = by;
    pull.mergeSha = this.commit(pull.base);
    return { sha: pull.mergeSha, merged: true };
  }

  issue(id: number): object {
    const { closedBy } = this.pull(id);
    return { number: id, closed_by: closedBy === null ? null : { login: closedBy } };
  }

  labels(id: number): object[] {
    return this.pull(id).labels.map((name) => ({ name }));
  }

  addLabels(id: number, body: Json): object[] {
    const pull = this.pull(id);
    pull.labels.push(...(body['labels'] as string[]));
    return this.labels(id);
  }

  removeLabel(id: number, name: string): object[] {
    const pull = this.pull(id);
    const index = pull.labels.findIndex((label) => label.toLowerCase() === name.toLowerCase());
    if (index < 0) throw new ApiError(404, 'Label does not exist');
    pull.labels.splice(index, 1);
    return this.labels(id);
  }

  pull(id: number): Pull {
    const pull = this.pulls.find(({ number }) => number === id);
    if (pull === undefined) throw new ApiError(404, 'Not Found');
    return pull;
  }

  #missingStatus({ base, headSha }: Pull): string | undefined {
    const required = this.protection.get(base);
    return required === undefined || this.statuses.isSuccess(headSha, required) ? undefined : required;
  }

  #show(pull: Pull): object {
    return {
      number: pull.number,
      html_url: `https://github.test/acme/web/pull/${pull.number}`,
      title: pull.title,
      body: pull.body,
      state: pull.state,
      draft: pull.draft,
      head: { ref: pull.head, sha: pull.headSha, repo: { id: pull.fork ? 2 : 1 } },
      base: { ref: pull.base, sha: this.branches.get(pull.base), repo: { id: 1 } },
      labels: pull.labels.map((name) => ({ name })),
      created_at: at,
      updated_at: at,
      merged_at: pull.mergedAt,
      merge_commit_sha: pull.mergeSha ?? 'f'.repeat(40),
    };
  }
}
