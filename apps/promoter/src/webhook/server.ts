import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { carriesSignature, unverified } from '@interlock/scm';
import type { RequestAdmission } from '@interlock/service';
import {
  findTarget,
  handleWebhook,
  type TargetDependencies,
  type WebhookAddress,
  type WebhookDependencies,
} from './handler.js';

/**
 * Adds `POST /webhooks/<namespace>/<ScmProvider>` and `POST /webhooks/<ClusterScmProvider>`. Unsigned requests are refused
 * before their body is read, and the body of a request for an unknown provider is not kept. The response is the same for
 * both, and for a signature that does not match.
 */
export function webhookRoutes(dependencies: WebhookDependencies): (server: FastifyInstance) => void {
  const handle = async (
    request: FastifyRequest<{ Params: WebhookAddress }>,
    reply: FastifyReply,
  ): Promise<void> => {
    const { namespace, provider } = request.params;
    const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
    const { code, message } = await handleWebhook(dependencies, {
      namespace,
      provider,
      headers: request.headers,
      body,
    });
    await reply.code(code).send({ message });
  };
  const admit = (request: FastifyRequest): RequestAdmission => admitWebhook(dependencies, request);
  return (server) => {
    server.post('/webhooks/:namespace/:provider', { config: { admit } }, handle);
    server.post('/webhooks/:provider', { config: { admit } }, handle);
  };
}

/** Admits a request by the caches and the headers alone. It uses the budget share of the namespace. */
function admitWebhook(deps: TargetDependencies, { headers, params }: FastifyRequest): RequestAdmission {
  const address = params as WebhookAddress;
  if (!deps.scmProviders.hasSynced || !deps.clusterScmProviders.hasSynced) {
    return { refuse: { code: 503, body: { message: 'the providers have not been read yet; try again' } } };
  }
  if (!deps.registry.webhooks.some((webhook) => carriesSignature(webhook, headers))) {
    return { refuse: { code: unverified.code, body: { message: unverified.message } } };
  }
  const target = findTarget(deps, address);
  const isKept = target !== undefined && carriesSignature(target.plugin.webhook, headers);
  return { tenant: address.namespace ?? '', body: isKept ? 'keep' : 'drop' };
}
