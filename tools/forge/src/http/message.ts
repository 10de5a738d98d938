import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';

export interface Request {
  method: string;
  /** The path in its encoded form. */
  path: string;
  query: URLSearchParams;
  headers: IncomingHttpHeaders;
  /** Can be read at most once. */
  stream: IncomingMessage;
  /** Aborted when the client disconnects or the forge closes. */
  signal: AbortSignal;
}

export interface Reply {
  status: number;
  headers?: Record<string, string>;
  body?: string | Buffer | Readable | undefined;
}

/** A request body that exceeds the limit of its reader. */
export class BodyTooLarge extends Error {
  override readonly name = 'BodyTooLarge';
}

/** @throws BodyTooLarge */
export async function readBody(stream: Readable, maxBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > maxBytes) throw new BodyTooLarge(`the body has more than ${maxBytes} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
