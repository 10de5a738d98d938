import type { FastifyInstance, FastifyRequest } from 'fastify';
import { BodyBudget, type BodyAllowance, type BodyLimits } from './body-budget.js';
import { BodyRefused, readBody } from './read-body.js';

/** What a route decides of a request by its path and its headers alone, before anything of the body is read. */
export type RequestAdmission = BodyAdmission | { refuse: { code: number; body: object } };

export interface BodyAdmission {
  /** `drop`: the body is read, so that the answer comes when it would for another request, and not kept. */
  body: 'keep' | 'drop';
  /** Whose part of the listener's budget the body counts in. */
  tenant?: string | undefined;
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Absent: the body is kept, and counts in the budget of no tenant. */
    admit?: (request: FastifyRequest) => RequestAdmission;
  }
}

/** Of a body up to this size the rest is read after the answer, and the connection stays open. */
const unreadBytes = 64 * 1024;

interface Admitted extends BodyAdmission {
  allowance?: BodyAllowance | undefined;
}

/**
 * Has each route admit its requests (`config.admit`), and reads bodies within a budget. `request.body` is a Buffer with the
 * bytes that were sent, whatever the content type; undefined when there is none or it was dropped.
 */
export function admitRequests(server: FastifyInstance, limits: BodyLimits, maxBytes: number): void {
  const budget = new BodyBudget(limits);
  const admitted = new WeakMap<FastifyRequest, Admitted>();
  server.addHook('onRequest', async (request, reply) => {
    const admission = request.routeOptions.config.admit?.(request) ?? { body: 'keep' };
    if ('refuse' in admission) {
      if ((lengthOf(request) ?? Infinity) > unreadBytes) reply.header('connection', 'close');
      return reply.code(admission.refuse.code).send(admission.refuse.body);
    }
    const state: Admitted = admission;
    admitted.set(request, state);
    reply.raw.once('close', () => state.allowance?.leave());
    return undefined;
  });
  server.removeAllContentTypeParsers();
  server.addContentTypeParser('*', async (request: FastifyRequest) => {
    const state: Admitted = admitted.get(request) ?? { body: 'keep' };
    const isKept = state.body === 'keep';
    const allowance = budget.enter(state.tenant, isKept);
    if (allowance === undefined) throw new BodyRefused(503, 'too many requests are under way');
    state.allowance = allowance;
    const declaredBytes = lengthOf(request);
    const body = await readBody(request.raw, { maxBytes, declaredBytes, isKept, allowance });
    return isKept ? body : undefined;
  });
}

function lengthOf({ headers }: FastifyRequest): number | undefined {
  if (headers['transfer-encoding'] !== undefined) return undefined;
  return Number(headers['content-length'] ?? 0);
}
