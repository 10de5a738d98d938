import type { IncomingMessage, ServerResponse } from 'node:http';
import { stringify as yamlText } from 'yaml';
import type { ApiError } from '../api/api-error.js';
import type { Json, JsonObject } from '../schema/types.js';

/** A complete response; `body` is text or an object to encode as JSON. */
export interface Answer {
  code: number;
  body: string | JsonObject;
  /** Default: `application/json`. */
  contentType?: string;
  headers?: Record<string, string> | undefined;
}

/** A streaming response. Resolves when the stream ends or the client disconnects. */
export type Streamed = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

const yamlType = 'application/yaml';
const notModified = 304;

/** Returns the same response as YAML. */
export function asYaml({ body, ...rest }: Answer): Answer {
  const value = (typeof body === 'string' ? JSON.parse(body) : body) as Json;
  return { ...rest, body: yamlText(value, { version: '1.1' }), contentType: yamlType };
}

/** Returns the Status of a failed request. */
export function errorAnswer(error: ApiError): Answer {
  const retryAfter = error.details?.['retryAfterSeconds'];
  return {
    code: error.code,
    body: error.toStatus(),
    headers: retryAfter === undefined ? undefined : { 'Retry-After': String(retryAfter) },
  };
}

/** Sends a response with its warnings (RFC 7234 `Warning`, code 299). */
export function send(response: ServerResponse, answer: Answer, warnings: readonly string[]): void {
  if (response.headersSent || response.destroyed) return;
  const text = typeof answer.body === 'string' ? answer.body : `${JSON.stringify(answer.body)}\n`;
  const content = Buffer.from(text, 'utf8');
  if (warnings.length > 0) response.setHeader('Warning', warnings.map(warningHeader));
  /* A cache merges the headers of a 304 into those of its stored response. */
  const described = answer.code !== notModified && {
    'Content-Type': answer.contentType ?? 'application/json',
    'Content-Length': content.byteLength,
  };
  response.writeHead(answer.code, {
    ...described,
    'Cache-Control': 'no-cache, private',
    ...answer.headers,
  });
  response.end(content);
}

function warningHeader(text: string): string {
  const quoted = text
    .replace(/[^\x20-\x7e]/g, ' ')
    .replace(/(["\\])/g, '\\$1')
    .slice(0, 2048);
  return `299 - "${quoted}"`;
}
