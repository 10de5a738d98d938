import { createHash } from 'node:crypto';
import type { Reply, Request } from '../http/message.js';

/** What a resource of a REST API answers. */
export interface Answer {
  status: number;
  /** JSON, or text for another media type. */
  body?: unknown;
  headers?: Record<string, string>;
}

export function isRead({ method }: Pick<Request, 'method'>): boolean {
  return method === 'GET' || method === 'HEAD';
}

/** Gives a read its entity tag, and nothing else to a client that has it. */
export function conditional(request: Request, answer: Answer, cacheControl: string): Answer {
  if (!isRead(request) || answer.status !== 200) return answer;
  const text = typeof answer.body === 'string' ? answer.body : JSON.stringify(answer.body);
  const hash = createHash('sha256').update(text).digest('hex');
  const known = String(request.headers['if-none-match'] ?? '').split(/\s*,\s*/);
  const headers = { ...answer.headers, etag: `W/"${hash}"`, 'cache-control': cacheControl };
  const unchanged = known.some((tag) => tag === '*' || tag.replace(/^W\//, '') === `"${hash}"`);
  return unchanged ? { status: 304, headers } : { ...answer, headers };
}

/** Returns the answer as it is sent; `common` are headers that all answers of the API have. */
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
