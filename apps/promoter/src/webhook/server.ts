import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { handleWebhook, type WebhookDependencies } from './handler.js';

interface Params {
  namespace?: string;
  provider: string;
}

/** Adds `POST /webhooks/<namespace>/<ScmProvider>` and `POST /webhooks/<ClusterScmProvider>`. */
export function webhookRoutes(dependencies: WebhookDependencies): (server: FastifyInstance) => void {
  const handle = async (request: FastifyRequest<{ Params: Params }>, reply: FastifyReply): Promise<void> => {
    const { namespace, provider } = request.params;
    const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
    const { code, message } = await handleWebhook(dependencies, {
      ...(namespace !== undefined && { namespace }),
      provider,
      headers: request.headers,
      body,
    });
    await reply.code(code).send({ message });
  };
  return (server) => {
    server.post('/webhooks/:namespace/:provider', handle);
    server.post('/webhooks/:provider', handle);
  };
}
