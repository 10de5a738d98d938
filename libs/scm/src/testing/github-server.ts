import { createHash } from 'node:crypto';
import type { ScriptedAnswer, SeenRequest } from './scripted-server.js';
import { ScriptedServer } from './scripted-server.js';
import type { GithubModel } from './github-model.js';
import { ApiError } from './github-status-model.js';
import type { Fault, Target } from './contract-world.js';

interface Rule {
  method: string;
  path: RegExp;
  target?: Target;
  handle: (model: GithubModel, params: string[], request: Parsed) => { status?: number; body?: unknown };
}
interface Parsed {
  query: URLSearchParams;
  body: Readonly<Record<string, unknown>>;
  asApp: boolean;
}

const repo = '^/api/v3/repos/acme/web';
const rules: Rule[] = [
  { method: 'GET', path: /^\/api\/v3\/user$/, handle: () => ({ body: { login: 'promoter' } }) },
  { method: 'GET', path: /^\/api\/v3\/app$/, handle: () => ({ body: { slug: 'promoter' } }) },
  rule('GET', '/installation', () => ({ body: { id: 11 } })),
  {
    method: 'POST',
    path: /^\/api\/v3\/app\/installations\/11\/access_tokens$/,
    handle: (model) => ({
      status: 201,
      body: { token: model.appToken, expires_at: new Date(model.clock.now() + 3_600_000).toISOString() },
    }),
  },
  rule('GET', '', () => ({ body: { default_branch: 'main', archived: false } })),
  rule('GET', '/pulls', (model, _, { query }) => ({ body: model.list(query) }), 'readPullRequest'),
  rule(
    'POST',
    '/pulls',
    (model, _, { body }) => ({ status: 201, body: model.create(body) }),
    'createPullRequest',
  ),
  rule('GET', '/pulls/(\\d+)', (model, [id]) => ({ body: model.get(Number(id)) }), 'readPullRequest'),
  rule('PATCH', '/pulls/(\\d+)', (model, [id], { body }) => ({ body: model.update(Number(id), body) })),
  rule(
    'PUT',
    '/pulls/(\\d+)/merge',
    (model, [id], { body }) => ({ body: model.mergePinned(Number(id), body) }),
    'mergePullRequest',
  ),
  rule('GET', '/issues/(\\d+)', (model, [id]) => ({ body: model.issue(Number(id)) })),
  rule('GET', '/issues/(\\d+)/labels', (model, [id]) => ({ body: model.labels(Number(id)) })),
  rule('POST', '/issues/(\\d+)/labels', (model, [id], { body }) => ({
    body: model.addLabels(Number(id), body),
  })),
  rule('DELETE', '/issues/(\\d+)/labels/(.+)', (model, [id, name = '']) => ({
    body: model.removeLabel(Number(id), decodeURIComponent(name)),
  })),
  rule('GET', '/commits/(\\w+)/status', (model, [sha = '']) => ({ body: model.statuses.list(sha) })),
  rule(
    'POST',
    '/statuses/(\\w+)',
    (model, [sha = ''], { body }) => ({ status: 201, body: model.statuses.addStatus(sha, body) }),
    'writeStatus',
  ),
  rule('GET', '/commits/(\\w+)/check-runs', (model, [sha = ''], { query }) => ({
    body: model.statuses.checkRuns(sha, query),
  })),
  rule('GET', '/check-runs/(\\d+)', (model, [id]) => ({ body: model.statuses.checkRun(Number(id)) })),
  rule(
    'POST',
    '/check-runs',
    (model, _, { body, asApp }) => ({ status: 201, body: model.statuses.addCheckRun(body, asApp) }),
    'writeStatus',
  ),
  rule(
    'PATCH',
    '/check-runs/(\\d+)',
    (model, [id], { body, asApp }) => ({ body: model.statuses.updateCheckRun(Number(id), body, asApp) }),
    'writeStatus',
  ),
];

function rule(method: string, path: string, handle: Rule['handle'], target?: Target): Rule {
  const made = { method, path: new RegExp(`${repo}${path}$`), handle };
  return target === undefined ? made : { ...made, target };
}

/** The REST API of GitHub over a {@link GithubModel}: pages, ETags, error bodies, rate limit headers and faults. */
export class GithubServer {
  readonly #faults: { target: Target; fault: Fault }[] = [];
  #http!: ScriptedServer;

  constructor(readonly model: GithubModel) {}

  async start(): Promise<this> {
    this.#http = await ScriptedServer.start((request) => this.#answer(request));
    return this;
  }

  get url(): string {
    return this.#http.url;
  }

  get seen(): readonly SeenRequest[] {
    return this.#http.seen;
  }

  inject(target: Target, fault: Fault, times: number): void {
    for (let i = 0; i < times; i++) this.#faults.push({ target, fault });
  }

  close(): Promise<void> {
    return this.#http.close();
  }

  #answer(request: SeenRequest): ScriptedAnswer {
    const date = new Date(this.model.clock.now()).toUTCString();
    const answer = this.#respond(request);
    return { ...answer, headers: { date, ...answer.headers } };
  }

  #respond(request: SeenRequest): ScriptedAnswer {
    const found = rules
      .filter(({ method }) => method === request.method)
      .map((candidate) => ({ candidate, match: candidate.path.exec(request.path) }))
      .find(({ match }) => match !== null);
    if (found === undefined) return failure(404, `no route ${request.method} ${request.path}`);
    const index = this.#faults.findIndex(({ target }) => target === found.candidate.target);
    const fault = index < 0 ? undefined : this.#faults.splice(index, 1)[0]?.fault;
    if (fault !== undefined && fault !== 'cut') return faults[fault];

    const bearer = String(request.headers['authorization']).replace('Bearer ', '');
    const asApp = bearer === this.model.appToken;
    const signed = bearer.split('.').length === 3;
    if (!asApp && !signed && bearer !== this.model.token) return failure(401, 'Bad credentials');
    try {
      const body = request.body === '' ? {} : (JSON.parse(request.body) as Record<string, unknown>);
      const params = found.match?.slice(1) ?? [];
      const result = found.candidate.handle(this.model, params, { query: request.query, body, asApp });
      return fault === 'cut' ? { cut: 'before' } : page(request, result);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      return { status: error.status, body: { message: error.message, errors: error.errors } };
    }
  }
}

const faults: Record<Exclude<Fault, 'cut'>, ScriptedAnswer> = {
  unauthorized: failure(401, 'Bad credentials'),
  forbidden: failure(403, 'Resource not accessible by integration'),
  notFound: failure(404, 'Not Found'),
  invalid: failure(422, 'Validation Failed'),
  serverError: failure(503, 'Service Unavailable'),
  rateLimited: { ...failure(429, 'API rate limit exceeded'), headers: { 'retry-after': '600' } },
  secondaryLimit: failure(403, 'You have exceeded a secondary rate limit. Please wait a few minutes.'),
};

function failure(status: number, message: string): ScriptedAnswer {
  return { status, body: { message, documentation_url: 'https://docs.github.com/rest' } };
}

/** Cuts lists into pages, links to the next one, and answers 304 to a known ETag. */
function page(
  request: SeenRequest,
  { status = 200, body }: { status?: number; body?: unknown },
): ScriptedAnswer {
  const size = Number(request.query.get('per_page') ?? 30);
  const number = Number(request.query.get('page') ?? 1);
  const cut = (items: unknown[]) => items.slice((number - 1) * size, number * size);
  let shown = body;
  let total = 0;
  if (Array.isArray(body)) {
    total = body.length;
    shown = cut(body);
  } else if (typeof body === 'object' && body !== null) {
    const list = Object.entries(body).find(
      ([key, value]) => /^(statuses|check_runs)$/.test(key) && Array.isArray(value),
    );
    if (list !== undefined) {
      const items = list[1] as unknown[];
      total = items.length;
      shown = { ...body, [list[0]]: cut(items) };
    }
  }
  const etag = `"${createHash('sha256')
    .update(JSON.stringify(shown ?? null))
    .digest('hex')}"`;
  if (request.method === 'GET' && request.headers['if-none-match'] === etag) return { status: 304 };
  const next = new URL(request.path, 'http://next');
  const link = total > number * size ? { link: `<${next.href}?page=${number + 1}>; rel="next"` } : {};
  return { status, body: shown, headers: { ...link, ...(request.method === 'GET' ? { etag } : {}) } };
}
