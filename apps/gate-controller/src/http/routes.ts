import { isTyped, type ObjectKey } from '@interlock/api';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Clock } from '@interlock/base';
import type { GateReader } from '../gate/reader.js';
import type { GateAccess } from './access.js';
import { answerAt, answerNow, parseAt, type GateAnswer } from './answer.js';
import { tokenOf } from './credentials.js';

interface EndpointParts {
  reader: Pick<GateReader, 'get' | 'observe' | 'decide'>;
  access: GateAccess;
  clock: Pick<Clock, 'now'>;
}

interface Asked {
  Params: { namespace: string; name: string };
  Querystring: { at?: string | string[] };
}

const reviewTimeoutMs = 5_000;

/**
 * Serves `GET` and `POST /v1/gates/<namespace>/<name>`: 200 for an open gate, 403 for a closed one, 404 if the gate does not
 * exist, 401 without a token that the API server accepts. A client that may not read the Gate gets 403 as well, whether it exists
 * or not.
 */
export function serveGates(server: FastifyInstance, parts: EndpointParts): void {
  server.route<Asked>({
    method: ['GET', 'POST'],
    url: '/v1/gates/:namespace/:name',
    /* The body that Flagger sends does not concern the gate. */
    config: { admit: () => ({ body: 'drop' }) },
    handler: (request, reply) => answer(parts, request, reply.header('cache-control', 'no-store')),
  });
}

async function answer(parts: EndpointParts, request: FastifyRequest<Asked>, reply: FastifyReply) {
  const { namespace, name } = request.params;
  const refused = await refusal(parts, request.headers.authorization, { namespace, name });
  if (refused !== undefined) {
    if (refused.code === 401) reply.header('www-authenticate', 'Bearer realm="gates", Basic realm="gates"');
    if (refused.code === 503) reply.header('retry-after', '1');
    return reply.code(refused.code).send({ error: refused.error });
  }
  const gate = parts.reader.get({ namespace, name });
  if (gate === undefined) return reply.code(404).send({ error: `Gate ${namespace}/${name} does not exist` });
  const now = parts.clock.now();
  const { at } = request.query;
  if (at === undefined) return send(reply, answerNow(gate, now));
  const time = typeof at === 'string' ? parseAt(at, now) : { error: 'parameter at is given twice' };
  if (typeof time === 'object') return reply.code(400).send(time);
  const simulated = answerAt(gate, parts.reader, time);
  if (simulated !== undefined) return send(reply, simulated);
  return reply
    .code(503)
    .header('retry-after', '1')
    .send({ error: 'the objects that the gate depends on are being read; try again in a few seconds' });
}

function send(reply: FastifyReply, gate: GateAnswer): FastifyReply {
  return reply.code(gate.state === 'Open' ? 200 : 403).send(gate);
}

/** Returns why a request is refused; undefined if it is not. */
async function refusal(
  { access }: EndpointParts,
  authorization: string | undefined,
  { namespace = '', name }: ObjectKey,
): Promise<{ code: number; error: string } | undefined> {
  const token = tokenOf(authorization);
  const unauthenticated =
    'send a token of this cluster as a Bearer token, or as the password of Basic authentication';
  if (token === undefined) return { code: 401, error: unauthenticated };
  try {
    switch (await access.check(token, namespace, name, AbortSignal.timeout(reviewTimeoutMs))) {
      case 'allowed':
        return undefined;
      case 'unauthenticated':
        return { code: 401, error: unauthenticated };
      case 'forbidden':
        return { code: 403, error: `the owner of the token may not get Gate ${namespace}/${name}` };
      case 'busy':
        return { code: 503, error: 'too many tokens are being checked; try again in a few seconds' };
    }
  } catch (error) {
    if (!isTyped(error)) throw error;
    return { code: 503, error: 'the token cannot be checked now; try again in a few seconds' };
  }
}
