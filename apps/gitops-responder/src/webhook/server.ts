import type { FastifyInstance } from 'fastify';
import { handleWebhook, type WebhookDependencies } from './handler.js';

/** Adds `POST /webhooks/<Secret>`. */
export function webhookRoutes(dependencies: WebhookDependencies): (server: FastifyInstance) => void {
  return (server) => {
    server.post<{ Params: { secret: string } }>(
      '/webhooks/:secret',
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
