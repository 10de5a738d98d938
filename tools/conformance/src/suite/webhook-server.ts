import { createServer, type Server } from 'node:https';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Body } from './body.js';
import type { ServingCertificate } from './certificates.js';

const attempts = 10;

/** The `request` of an AdmissionReview. */
export interface AdmissionRequest {
  uid: string;
  kind: { group: string; version: string; kind: string };
  resource: { group: string; version: string; resource: string };
  name?: string;
  namespace?: string;
  operation: string;
  userInfo: { username: string; uid?: string; groups?: string[]; extra?: Record<string, string[]> };
  object: Body | null;
  oldObject: Body | null;
  dryRun?: boolean;
  options: Record<string, unknown> | null;
  [field: string]: unknown;
}

/** A call of the server. */
export interface ReviewCall {
  path: string;
  query: URLSearchParams;
  method: string;
  contentType: string;
  /** The AdmissionReview. */
  review: { apiVersion: string; kind: string };
  request: AdmissionRequest;
}

/** The fields of an AdmissionResponse without its uid, or the response that replaces it. */
export type ReviewAnswer = { response: object } | { body: string; status?: number } | 'never';

/** Answers a call. */
export type ReviewHandler = (call: ReviewCall) => ReviewAnswer;

/** A webhook of the suite: a real HTTPS server. */
interface WebhookServer {
  readonly port: number;
  /** The authority of its certificate: base64 of PEM. */
  readonly caBundle: string;
  /** The received requests, in order. */
  readonly calls: ReviewCall[];
  /** Handlers by path. A path without a handler allows the request. */
  readonly handlers: Map<string, ReviewHandler>;
  close(): Promise<void>;
}

/**
 * Starts a webhook. It listens on the loopback addresses if the API server reaches this machine at `localhost`, and
 * otherwise on all addresses.
 */
export async function startWebhookServer(
  { authority, certificate, key }: ServingCertificate,
  host: string,
): Promise<WebhookServer> {
  const handlers = new Map<string, ReviewHandler>();
  const calls: ReviewCall[] = [];
  const listener = (request: IncomingMessage, response: ServerResponse): void =>
    void answer(request, response, handlers, calls).catch(() => response.destroy());
  const create = (): Server => createServer({ cert: certificate, key }, listener);
  const { port, servers } = host === 'localhost' ? await listenOnLoopback(create) : await listenOnAll(create);
  return {
    port,
    caBundle: Buffer.from(authority).toString('base64'),
    calls,
    handlers,
    close: async () => void (await Promise.all(servers.map(stop))),
  };
}

interface Listening {
  port: number;
  servers: Server[];
}

/** Listens on the same port of 127.0.0.1 and ::1; if IPv6 is not available, only on 127.0.0.1. */
async function listenOnLoopback(create: () => Server): Promise<Listening> {
  for (let attempt = 1; ; attempt += 1) {
    const first = create();
    const port = await listen(first, 0, '127.0.0.1');
    const second = create();
    try {
      await listen(second, port, '::1');
      return { port, servers: [first, second] };
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') return { port, servers: [first] };
      await stop(first);
      if (attempt === attempts) throw error;
    }
  }
}

async function listenOnAll(create: () => Server): Promise<Listening> {
  const server = create();
  return { port: await listen(server, 0), servers: [server] };
}

function listen(server: Server, port: number, host?: string): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ port, host }, () => {
      const address = server.address();
      resolve(typeof address === 'object' && address !== null ? address.port : 0);
    });
  });
}

function stop(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  handlers: ReadonlyMap<string, ReviewHandler>,
  calls: ReviewCall[],
): Promise<void> {
  const { pathname, searchParams } = new URL(request.url ?? '/', 'https://webhook');
  const { request: admission, ...review } = JSON.parse(await read(request)) as ReviewCall['review'] & {
    request: AdmissionRequest;
  };
  const call: ReviewCall = {
    path: pathname,
    query: searchParams,
    method: request.method ?? '',
    contentType: request.headers['content-type'] ?? '',
    review,
    request: admission,
  };
  calls.push(call);
  const answered = handlers.get(pathname)?.(call) ?? { response: { allowed: true } };
  if (answered === 'never') return;
  const { apiVersion, kind } = review;
  const [status, body] =
    'response' in answered
      ? [200, JSON.stringify({ apiVersion, kind, response: { uid: admission.uid, ...answered.response } })]
      : [answered.status ?? 200, answered.body];
  response.writeHead(status, { 'content-type': 'application/json' }).end(body);
}

async function read(request: IncomingMessage): Promise<string> {
  let text = '';
  request.setEncoding('utf8');
  for await (const chunk of request as AsyncIterable<string>) text += chunk;
  return text;
}
