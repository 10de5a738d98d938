import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';

/** The authority and the certificate of a client, in PEM. */
export interface ClientIdentity {
  ca: string;
  cert: string;
  key: string;
}

interface Answer {
  status: number;
  body: string;
}

const timeoutMs = 5000;

/** Reads a URL on a new connection, never through a proxy. @throws Error when there is no response within 5 s */
export function get(url: string, identity?: ClientIdentity): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const send = url.startsWith('https:') ? httpsRequest : httpRequest;
    const signal = AbortSignal.timeout(timeoutMs);
    const request = send(url, { agent: false, signal, ...identity }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () => {
        resolve({ status: response.statusCode ?? 0, body: Buffer.concat(chunks).toString('utf8') });
      });
    });
    request.on('error', reject).end();
  });
}

/** Returns undefined if the URL returns 200, otherwise a description of the response. */
export async function missingAnswer(url: string, identity?: ClientIdentity): Promise<string | undefined> {
  try {
    const { status, body } = await get(url, identity);
    return status === 200 ? undefined : `${url} answers ${status}: ${body.trim().slice(0, 500)}`;
  } catch (error) {
    return `${url} does not answer: ${error instanceof Error ? error.message : String(error)}`;
  }
}
