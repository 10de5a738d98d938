import type { Kind, KubeObject } from '@interlock/api';
import { isProblem, type Logger } from '@interlock/base';
import type { FastifyInstance } from 'fastify';
import { parseDuration } from '../durations.js';
import type { AdmissionMetrics } from './metrics.js';
import { answerReview, readReview } from './review.js';
import type {
  AdmissionRequest,
  Allowed,
  Denied,
  MutatingHandler,
  Patched,
  ValidatingHandler,
} from './types.js';

/** A webhook for a kind. */
export interface AdmissionRoute {
  /** `/validate/<group>/<plural>` or `/mutate/<group>/<plural>`; the core group is `core`. */
  readonly path: string;
  readonly kind: Kind;
  handle(request: AdmissionRequest): Promise<Allowed | Patched | Denied>;
}

/** Returns the route that validates writes of a kind. */
export function validating<T extends KubeObject>(
  kind: Kind<T>,
  handler: ValidatingHandler<T>,
): AdmissionRoute {
  /* The route only accepts requests about its kind. */
  return {
    path: pathOf('validate', kind),
    kind,
    handle: async (request) => handler(request as AdmissionRequest<T>),
  };
}

/** Returns the route that mutates objects of a kind before they are validated and stored. */
export function mutating(kind: Kind, handler: MutatingHandler): AdmissionRoute {
  return { path: pathOf('mutate', kind), kind, handle: async (request) => handler(request) };
}

function pathOf(verb: string, { group, plural }: Kind): string {
  return `/${verb}/${group === '' ? 'core' : group}/${plural}`;
}

const longestMs = 30_000;

/** Serves routes on a server whose request bodies are Buffers. */
export function serveRoutes(
  server: FastifyInstance,
  routes: readonly AdmissionRoute[],
  metrics: AdmissionMetrics,
  log: Logger,
): void {
  for (const route of routes) {
    server.post<{ Querystring: { timeout?: string } }>(route.path, async ({ body, query }, reply) => {
      const end = metrics.started(route.path);
      const signal = AbortSignal.timeout(timeoutMs(query.timeout));
      const request = readReview(body, route.kind, signal);
      if (isProblem(request)) {
        end(400);
        return reply.code(400).type('text/plain').send(request.message);
      }
      try {
        const verdict = await route.handle(request);
        if (!verdict.allowed) logDenial(log, route, request, verdict);
        end(200);
        return await reply.send(answerReview(request, route.kind, verdict));
      } catch (error) {
        end(500);
        throw error;
      }
    });
  }
}

/** Returns for how many milliseconds the API server waits, according to its request: an integer, as timers require. */
function timeoutMs(text: string | undefined): number {
  try {
    return text === undefined ? longestMs : Math.max(0, Math.min(longestMs, Math.ceil(parseDuration(text))));
  } catch {
    return longestMs;
  }
}

function logDenial(
  log: Logger,
  { kind }: AdmissionRoute,
  request: AdmissionRequest,
  { message }: Denied,
): void {
  const { operation, name, namespace, user } = request;
  const fields = { kind: kind.kind, name, namespace, operation, user: user.username };
  log.info({ ...fields, reason: message }, 'write refused');
}
