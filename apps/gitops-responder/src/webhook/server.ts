import type { FastifyInstance, FastifyRequest } from 'fastify';
import { carriesSignature, unverified } from '@interlock/scm';
import type { RequestAdmission } from '@interlock/service';
import { handleWebhook, sendersOf, type WebhookDependencies } from './handler.js';

interface Params {
  secret: string;
}

/**
 * Adds `POST /webhooks/<Secret>`. Unsigned requests are refused before their body is read, and the body of a request for an
 * unknown Secret is not kept. The response is the same for both, and for a signature that does not match.
 */
export function webhookRoutes(dependencies: WebhookDependencies): (server: FastifyInstance) => void {
  const admit = (request: FastifyRequest): RequestAdmission => admitWebhook(dependencies, request);
  return (server) => {
    server.post<{ Params: Params }>(
      '/webhooks/:secret',
      { config: { admit } },
      async ({ params, headers, body }, reply) => {
        const { code, message } = await handleWebhook(dependencies, {
          secret: params.secret,
          headers,
          body: Buffer.isBuffer(body) ? body : Buffer.alloc(0),
        });
        await reply.code(code).send({ message });
      },
    );
  };
}

/** Admits a request by the configuration in use and the headers alone. It uses the budget share of the Secret. */
function admitWebhook(
  deps: Pick<WebhookDependencies, 'registry' | 'store'>,
  { headers, params }: FastifyRequest,
): RequestAdmission {
  if (deps.store.inUse === undefined) {
    return { refuse: { code: 503, body: { message: 'no configuration is in use yet; try again' } } };
  }
  if (!deps.registry.webhooks.some((webhook) => carriesSignature(webhook, headers))) {
    return { refuse: { code: unverified.code, body: { message: unverified.message } } };
  }
  const { secret } = params as Params;
  return { tenant: secret, body: sendersOf(deps, { secret, headers }).length > 0 ? 'keep' : 'drop' };
}
