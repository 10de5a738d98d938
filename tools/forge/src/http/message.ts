import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';

export interface Request {
  method: string;
  /** Decoded by nobody yet. */
  path: string;
  query: URLSearchParams;
  headers: IncomingHttpHeaders;
  /** To be read at most once. */
  stream: IncomingMessage;
  /** Aborted when the client goes away or the forge closes. */
  signal: AbortSignal;
}

export interface Reply {
  status: number;
  headers?: Record<string, string>;
  body?: string | Buffer | Readable | undefined;
}

/** A request whose body is larger than its reader allows. */
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
