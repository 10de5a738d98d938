import * as z from 'zod';
import type { Faults } from '../faults.js';
import { readBody, type Reply, type Request } from '../http/message.js';
import type { Protocol, Operation } from '../http/operation.js';
import type { Journal } from '../journal.js';

const prefix = '/_forge/';
const maxBodyBytes = 1024 * 1024;

const api = z.enum(['rest', 'git', 'web', 'control']);
const kind = z.enum(['read', 'write']);
const filter = z.strictObject({
  since: z.coerce.number().int().min(0).optional(),
  api: api.optional(),
  kind: kind.optional(),
  method: z.string().optional(),
  route: z.string().optional(),
  actor: z.string().optional(),
});
const fault = z.strictObject({
  match: z
    .strictObject({
      api: api.optional(),
      kind: kind.optional(),
      method: z.string().optional(),
      route: z.string().optional(),
      path: z.string().optional(),
      actor: z.string().optional(),
    })
    .optional(),
  skip: z.number().int().min(0).optional(),
  times: z.number().int().min(1).optional(),
  status: z.number().int().min(200).max(599).optional(),
  headers: z.record(z.string(), z.string()).optional(),
  body: z.unknown().optional(),
  cutBeforeResponse: z.boolean().optional(),
  cutAfterEffect: z.boolean().optional(),
  rateLimit: z.enum(['primary', 'secondary']).optional(),
  retryAfterSeconds: z.number().int().min(0).optional(),
  latencyMs: z.number().min(0).max(600_000).optional(),
});

/** The control API of the forge, for tests in other processes: the journal and the faults. */
export class ControlProtocol implements Protocol {
  constructor(
    readonly journal: Journal,
    readonly faults: Faults,
  ) {}

  operation(request: Request): Promise<Operation | undefined> {
    if (!request.path.startsWith(prefix)) return Promise.resolve(undefined);
    return Promise.resolve({
      api: 'control',
      kind: 'read',
      route: request.path,
      actor: 'anonymous',
      run: () => this.#run(request),
    });
  }

  async #run(request: Request): Promise<Reply> {
    switch (`${request.method} ${request.path}`) {
      case 'GET /_forge/journal':
        return this.#entries(request.query);
      case 'POST /_forge/faults':
        return this.#add(request);
      case 'DELETE /_forge/faults':
        this.faults.clear();
        return { status: 204 };
      default:
        return json(404, { message: 'Not Found' });
    }
  }

  #entries(query: URLSearchParams): Reply {
    const parsed = filter.safeParse(Object.fromEntries(query));
    if (!parsed.success) return json(400, { message: z.prettifyError(parsed.error) });
    return json(200, { seq: this.journal.seq, entries: this.journal.entries(defined(parsed.data)) });
  }

  /**
   * Adds a fault. Requires JSON: a page in a browser cannot send this media type to another origin without a
   * preflight request.
   */
  async #add(request: Request): Promise<Reply> {
    if (!/^application\/json\b/.test(request.headers['content-type'] ?? '')) {
      return json(415, { message: 'Send application/json' });
    }
    const body = await readBody(request.stream, maxBodyBytes);
    try {
      const rule = defined(fault.parse(JSON.parse(body.toString('utf8'))));
      const { match, ...rest } = rule;
      const { id } = this.faults.add({ ...rest, match: match === undefined ? undefined : defined(match) });
      return json(201, { id });
    } catch (error) {
      return json(400, { message: error instanceof z.ZodError ? z.prettifyError(error) : String(error) });
    }
  }
}

type Defined<T> = { [K in keyof T]: Exclude<T[K], undefined> };

/** Returns the object without the fields that are undefined. */
function defined<T extends object>(value: T): Defined<T> {
  return Object.fromEntries(Object.entries(value).filter(([, field]) => field !== undefined)) as Defined<T>;
}

function json(status: number, value: unknown): Reply {
  return {
    status,
    headers: { 'content-type': 'application/json; charset=utf-8' },
    body: JSON.stringify(value),
  };
}
