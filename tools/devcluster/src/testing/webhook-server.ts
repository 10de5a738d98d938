import { createServer } from 'node:https';
import type { IncomingMessage } from 'node:http';
import { createCertificates } from '../auth/certificates.js';
import { isObject } from '../schema/json.js';
import type { Json, JsonObject } from '../schema/types.js';

/** The response of a webhook: the fields of an AdmissionResponse, or any status and body. */
type WebhookAnswer = JsonObject | { status: number; body: string };
export type WebhookHandler = (request: JsonObject) => WebhookAnswer | Promise<WebhookAnswer>;

/** A webhook over TLS, for tests. */
export interface WebhookServer {
  port: number;
  /** Base64 PEM of its authority. */
  caBundle: string;
  /** The received requests, with their paths. */
  asked: { path: string; request: JsonObject; userAgent: string }[];
  /** The responses by path; a path without a response allows everything. */
  handlers: Map<string, WebhookHandler>;
  close: () => Promise<void>;
}

/** Starts a webhook on 127.0.0.1; its certificate is for that address and the given names. */
export async function startWebhookServer(names: readonly string[] = []): Promise<WebhookServer> {
  const { cert, key, caCert } = await createCertificates(new Date(), names);
  const handlers: WebhookServer['handlers'] = new Map();
  const asked: WebhookServer['asked'] = [];
  const server = createServer({ cert, key }, (request, response) => {
    void (async () => {
      const url = request.url ?? '';
      const review = JSON.parse(await read(request)) as JsonObject;
      const admission = isObject(review['request']) ? review['request'] : {};
      asked.push({ path: url, request: admission, userAgent: request.headers['user-agent'] ?? '' });
      const answer = (await handlers.get(url.split('?')[0] ?? '')?.(admission)) ?? { allowed: true };
      if (typeof answer['status'] === 'number') {
        response.writeHead(answer['status'], { 'content-type': 'text/plain' }).end(String(answer['body']));
      } else {
        response.writeHead(200, { 'content-type': 'application/json' });
        response.end(JSON.stringify(reviewAnswer(admission['uid'] ?? null, answer as JsonObject)));
      }
    })();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  return {
    port: typeof address === 'object' && address !== null ? address.port : 0,
    caBundle: Buffer.from(caCert).toString('base64'),
    asked,
    handlers,
    close: () =>
      new Promise((resolve) => {
        server.close(() => {
          resolve();
        });
        server.closeAllConnections();
      }),
  };
}

function reviewAnswer(uid: Json, response: JsonObject): JsonObject {
  return { apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', response: { uid, ...response } };
}

async function read(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}

/** Returns an AdmissionResponse with a JSON patch. */
export function patchAnswer(...operations: JsonObject[]): JsonObject {
  const patch = Buffer.from(JSON.stringify(operations)).toString('base64');
  return { allowed: true, patchType: 'JSONPatch', patch };
}
