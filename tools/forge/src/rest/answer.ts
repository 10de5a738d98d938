import { createHash } from 'node:crypto';
import type { Reply, Request } from '../http/message.js';

/** The response of a resource of a REST API. */
export interface Answer {
  status: number;
  /** JSON, or text for another media type. */
  body?: unknown;
  headers?: Record<string, string> | undefined;
}

export function isRead({ method }: Pick<Request, 'method'>): boolean {
  return method === 'GET' || method === 'HEAD';
}

/** Adds the entity tag to a read, and omits the body for a client that has it. */
export function conditional(request: Request, answer: Answer, cacheControl: string): Answer {
  if (!isRead(request) || answer.status !== 200) return answer;
  const text = typeof answer.body === 'string' ? answer.body : JSON.stringify(answer.body);
  const hash = createHash('sha256').update(text).digest('hex');
  const known = String(request.headers['if-none-match'] ?? '').split(/\s*,\s*/);
  const headers = { ...answer.headers, etag: `W/"${hash}"`, 'cache-control': cacheControl };
  const unchanged = known.some((tag) => tag === '*' || tag.replace(/^W\//, '') === `"${hash}"`);
  return unchanged ? { status: 304, headers } : { ...answer, headers };
}

/** Returns the response as it is sent. `common` contains the headers of all responses of the API. */
export function replyOf({ status, body, headers }: Answer, common: Record<string, string>): Reply {
  const text = typeof body === 'string' ? body : body === undefined ? undefined : JSON.stringify(body);
  return {
    status,
    headers: {
      ...(text === undefined ? {} : { 'content-type': 'application/json; charset=utf-8' }),
      ...common,
      ...headers,
    },
    body: text,
  };
}
