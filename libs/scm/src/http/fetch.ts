import { timeLimit } from '@interlock/base';
import { fetch, Response, type Dispatcher, type RequestInit } from 'undici';
import { tooLarge } from '../refusals.js';

interface FetchOptions {
  /** Called for every request, so that a dispatcher that was closed because it was idle is never used again. */
  dispatcher: (origin: string) => Dispatcher;
  /** Milliseconds for the whole exchange, including the body. */
  timeoutMs: number;
}

/** Maximum size of a body in bytes, compressed or not. */
export const maxResponseBytes = 16 * 1024 * 1024;
const maxRedirects = 3;
const withoutBody = new Set([101, 204, 205, 304]);

/**
 * Returns a `fetch` that reads the body to its end before it resolves (so that a connection that is cut within the
 * body is a failure, not a shorter response), that fails after the timeout, and that follows redirects only to the
 * host of the request: no response can make it dial another host. Other redirects are returned unchanged.
 */
export function createFetch(options: FetchOptions) {
  return async (url: string, init: RequestInit): Promise<Response> => {
    const signal = timeLimit(options.timeoutMs, init.signal);
    const { origin, pathname } = new URL(url);
    let target = url;
    for (let hop = 0; ; hop++) {
      const response = await fetch(target, {
        ...init,
        signal,
        redirect: 'manual',
        dispatcher: options.dispatcher(origin),
      });
      const body = await readBody(response, pathname);
      const next = redirectTarget(response, target, init.method ?? 'GET');
      if (next === undefined || next.origin !== origin || hop === maxRedirects) {
        const { status, headers } = response;
        return new Response(withoutBody.has(status) ? null : body, { status, headers });
      }
      target = next.href;
    }
  };
}

/**
 * Returns the text of a body. The dispatcher bounds only the bytes that are transferred, which may be compressed.
 *
 * @throws TypedError `Invalid`, reason `TooLarge`.
 */
async function readBody({ body }: Response, path: string): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of (body ?? []) as AsyncIterable<Uint8Array>) {
    size += chunk.length;
    if (size > maxResponseBytes) throw tooLarge(`the answer of ${path}`, 'this process reads');
    chunks.push(chunk);
  }
  return new TextDecoder().decode(Buffer.concat(chunks));
}

/**
 * Returns the target of a redirect that may be followed. 307 and 308 keep the method, so any request may follow them;
 * 301 and 302 may turn a POST into a GET, so only a GET follows them (RFC 9110, 15.4).
 */
function redirectTarget(response: Response, url: string, method: string): URL | undefined {
  const location = response.headers.get('location');
  const follow =
    response.status === 307 ||
    response.status === 308 ||
    ((response.status === 301 || response.status === 302) && method === 'GET');
  if (!follow || location === null || !URL.canParse(location, url)) return undefined;
  return new URL(location, url);
}
