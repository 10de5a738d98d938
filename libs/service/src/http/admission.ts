import type { FastifyInstance, FastifyRequest } from 'fastify';
import { BodyBudget, type BodyAllowance, type BodyLimits } from './body-budget.js';
import { readBody, tooMany } from './read-body.js';

/** How a route admits a request, based on its path and headers alone, before any part of the body is read. */
export type RequestAdmission = BodyAdmission | { refuse: { code: number; body: object } };

interface BodyAdmission {
  /** `drop`: the body is read but not kept, so that the answer takes as long as for an admitted request. */
  body: 'keep' | 'drop';
  /** The tenant whose part of the listener's budget the body uses. */
  tenant?: string | undefined;
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** If absent, the body is kept and does not count towards the budget of any tenant. */
    admit?: (request: FastifyRequest) => RequestAdmission;
  }
}

const keep: RequestAdmission = { body: 'keep' };
/** A body without a route would use the budget of the requests that have one. */
const unknownPath: RequestAdmission = { refuse: { code: 404, body: { error: 'not found' } } };

interface Admitted extends BodyAdmission {
  allowance?: BodyAllowance | undefined;
}

/**
 * Lets each route admit its requests (`config.admit`), and reads bodies within a budget. `request.body` is a Buffer
 * with the bytes that were sent, whatever the content type; undefined if there is no body or it was dropped.
 */
export function admitRequests(server: FastifyInstance, limits: BodyLimits, maxBytes: number): void {
  const budget = new BodyBudget(limits);
  const admitted = new WeakMap<FastifyRequest, Admitted>();
  server.addHook('onRequest', async (request, reply) => {
    const admission = request.is404 ? unknownPath : (request.routeOptions.config.admit?.(request) ?? keep);
    /* Node.js drops the rest of the body: a client that is still sending would not read the answer on a closed connection. */
    if ('refuse' in admission) return reply.code(admission.refuse.code).send(admission.refuse.body);
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
    if (allowance === undefined) throw tooMany();
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
