import { sleep, type Clock } from '@interlock/base';
import type { Reply } from './message.js';
import { cutRequest, type AnyRequest, type AnyResponse } from './connections.js';

export type BodyMode = 'whole' | 'slow' | 'truncated';

const slowIntervalMs = 1_000;

/** Writes an answer; resolves when the system has accepted it or the connection ended. */
export async function writeReply(
  {
    request,
    response,
    clock,
    signal,
  }: { request: AnyRequest; response: AnyResponse; clock: Clock; signal: AbortSignal },
  reply: Reply,
  mode: BodyMode,
): Promise<void> {
  if (response.writableEnded || signal.aborted) return;
  const body = Buffer.from(reply.body ?? '', 'utf8');
  head(response, reply.status, {
    date: new Date(clock.now()).toUTCString(),
    ...reply.headers,
    ...(reply.status !== 204 && { 'content-length': String(body.length) }),
  });
  if (mode === 'truncated') {
    await new Promise<void>((resolve) => write(response, body.subarray(0, body.length >> 1), resolve));
    return cutRequest(request);
  }
  if (mode === 'slow') {
    for (const byte of body) {
      write(response, Buffer.of(byte), () => undefined);
      await sleep(clock, slowIntervalMs, signal);
    }
  }
  await new Promise<void>((resolve) => {
    response.once('close', resolve);
    end(response, mode === 'slow' ? undefined : body, resolve);
  });
}

/* The two classes of responses share no signature of these methods. */
function head(response: AnyResponse, status: number, headers: Record<string, string>): void {
  if ('stream' in response) response.writeHead(status, headers);
  else response.writeHead(status, headers);
}

function write(response: AnyResponse, chunk: Buffer, done: () => void): void {
  if ('stream' in response) response.write(chunk, 'utf8', done);
  else response.write(chunk, done);
}

function end(response: AnyResponse, chunk: Buffer | undefined, done: () => void): void {
  if ('stream' in response) response.end(chunk ?? '', done);
  else response.end(chunk, done);
}
