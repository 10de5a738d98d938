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
export type Json = Readonly<Record<string, unknown>>;

/** Commit statuses and check runs, with the rules of GitHub's REST API that matter to a plugin. */
export class GithubStatusModel {
  readonly appId = 7;
  allStatuses: Status[] = [];
  allCheckRuns: CheckRun[] = [];
  /** Whether lists show a check run yet. */
  listed: (run: CheckRun) => boolean = () => true;
  readonly checkRunWrites = new Map<number, number>();
  #ids = 100;

  isSuccess(sha: string, name: string): boolean {
    const status = this.allStatuses.filter((each) => each.sha === sha && each.context === name).at(-1);
    const run = this.allCheckRuns.filter((each) => each.head_sha === sha && each.name === name).at(-1);
    return status?.state === 'success' || run?.conclusion === 'success';
  }

  list(sha: string): object {
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
    for (const run of this.allCheckRuns.filter((each) => this.listed(each))) {
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
}
