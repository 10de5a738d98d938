import { createHash } from 'node:crypto';
import type { FakeClock } from './fake-clock.js';

/** A refusal of the API. */
export class ApiError extends Error {
  constructor(
    readonly status: number,
    message: string,
    readonly errors: object[] = [],
  ) {
    super(message);
  }
}

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
interface Status {
  id: number;
  sha: string;
  context: string;
  state: string;
  description: string;
  target_url: string | null;
}
interface CheckRun {
  id: number;
  name: string;
  head_sha: string;
  status: string;
  conclusion: string | null;
  details_url: string | null;
  output: { title: string | null; summary: string | null };
  app: { id: number };
}
type Json = Readonly<Record<string, unknown>>;

const me = 'promoter';
const at = '2026-01-01T00:00:00Z';

/** What GitHub keeps of one repository, with the rules of its REST API that matter to a plugin. */
export class GithubModel {
  readonly token = 'ghp_contract';
  readonly appToken = 'ghs_contract';
  readonly appId = 7;
  readonly branches = new Map<string, string>();
  readonly pulls: Pull[] = [];
  readonly protection = new Map<string, string>();
  readonly forbiddenMethods = new Set<string>();
  allStatuses: Status[] = [];
  allCheckRuns: CheckRun[] = [];
  checkRunWrites = new Map<number, number>();
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
    if (pull.conflicting) throw refuse(405, 'Pull Request has merge conflicts');
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

  statuses(sha: string): object {
    const newest = new Map(
      this.allStatuses.filter((status) => status.sha === sha).map((s) => [s.context, s]),
    );
    return { sha, statuses: [...newest.values()] };
  }

  addStatus(sha: string, body: Json): Status {
    const description = String(body['description'] ?? '');
    if (description.length > 140) {
      throw new ApiError(422, 'Validation Failed', [
        { message: 'description is too long (maximum is 140 characters)' },
      ]);
    }
    const status: Status = {
      id: this.#ids++,
      sha,
      context: String(body['context']),
      state: String(body['state']),
      description,
      target_url: this.#url(body['target_url']),
    };
    this.allStatuses.push(status);
    return status;
  }

  checkRuns(sha: string, query: URLSearchParams): object {
    const name = query.get('check_name');
    const newest = new Map<string, CheckRun>();
    for (const run of this.allCheckRuns) {
      if (run.head_sha === sha && (name === null || run.name === name))
        newest.set(`${run.app.id} ${run.name}`, run);
    }
    return { total_count: newest.size, check_runs: [...newest.values()] };
  }

  checkRun(id: number): CheckRun {
    const run = this.allCheckRuns.find((candidate) => candidate.id === id);
    if (run === undefined) throw new ApiError(404, 'Not Found');
    return run;
  }

  addCheckRun(body: Json, asApp: boolean): CheckRun {
    this.#onlyApp(asApp);
    const run: CheckRun = {
      id: this.#ids++,
      name: String(body['name']),
      head_sha: String(body['head_sha']),
      status: 'queued',
      conclusion: null,
      details_url: null,
      output: { title: null, summary: null },
      app: { id: this.appId },
    };
    this.#fill(run, body);
    this.allCheckRuns.push(run);
    return run;
  }

  updateCheckRun(id: number, body: Json, asApp: boolean): CheckRun {
    this.#onlyApp(asApp);
    const run = this.checkRun(id);
    const changes = body['status'] !== run.status || (body['conclusion'] ?? null) !== run.conclusion;
    if (run.status === 'completed' && changes) throw new ApiError(422, 'The check run is completed');
    this.#fill(run, body);
    return run;
  }

  pull(id: number): Pull {
    const pull = this.pulls.find(({ number }) => number === id);
    if (pull === undefined) throw new ApiError(404, 'Not Found');
    return pull;
  }

  #fill(run: CheckRun, body: Json): void {
    const output = body['output'] as { title?: string; summary?: string } | undefined;
    if (output !== undefined && !output.summary)
      throw new ApiError(422, "For 'properties/summary', nil is not a string.");
    run.status = String(body['status'] ?? 'queued');
    run.conclusion = typeof body['conclusion'] === 'string' ? body['conclusion'] : null;
    if (run.status === 'completed' && run.conclusion === null) throw new ApiError(422, 'Invalid request.');
    run.details_url = this.#url(body['details_url']) ?? run.details_url;
    run.output = { title: output?.title ?? null, summary: output?.summary ?? null };
    this.checkRunWrites.set(run.id, (this.checkRunWrites.get(run.id) ?? 0) + 1);
  }

  #url(value: unknown): string | null {
    if (typeof value !== 'string') return null;
    if (!/^https?:\/\//.test(value))
      throw new ApiError(422, 'Validation Failed', [{ field: 'url', code: 'invalid' }]);
    return value;
  }

  #onlyApp(asApp: boolean): void {
    if (!asApp) throw new ApiError(403, 'You must authenticate via a GitHub App.');
  }

  #missingStatus({ base, headSha }: Pull): string | undefined {
    const required = this.protection.get(base);
    if (required === undefined) return undefined;
    const status = this.allStatuses
      .filter(({ sha, context }) => sha === headSha && context === required)
      .at(-1);
    const run = this.allCheckRuns
      .filter(({ head_sha, name }) => head_sha === headSha && name === required)
      .at(-1);
    return status?.state === 'success' || run?.conclusion === 'success' ? undefined : required;
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
