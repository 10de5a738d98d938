import { createHmac } from 'node:crypto';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onClose } from './forge.js';

export interface Received {
  event: string;
  headers: IncomingHttpHeaders;
  /** Whether `x-hub-signature-256` is the HMAC of the body. */
  signed: boolean;
  /** The body as it was received. */
  body: string;
  payload: Payload;
}

/** The fields of webhooks that tests check. */
interface Payload {
  action?: string;
  ref?: string;
  before?: string;
  commits?: unknown[];
  after?: string;
  number?: number;
  repository?: { full_name?: string; name?: string; owner?: { login?: string } };
  installation?: { id?: number };
  sender?: { login?: string };
  pull_request?: { merged?: boolean; merge_commit_sha?: string | null; head?: { sha?: string } };
  check_run?: { name?: string; status?: string; conclusion?: string | null; head_sha?: string };
  context?: string;
  sha?: string;
  state?: string;
}

/** A server that receives webhooks. */
interface Receiver {
  url: string;
  received: Received[];
  /** The statuses of the next responses, followed by 200. */
  answers: number[];
}

export async function receiver(secret: string): Promise<Receiver> {
  const received: Received[] = [];
  const answers: number[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = Buffer.concat(chunks);
      const expected = `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;
      received.push({
        event: String(request.headers['x-github-event']),
        headers: request.headers,
        signed: request.headers['x-hub-signature-256'] === expected,
        body: body.toString('utf8'),
        payload: JSON.parse(body.toString('utf8')) as Payload,
      });
      response.writeHead(answers.shift() ?? 200).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onClose(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/hook`, received, answers };
}
