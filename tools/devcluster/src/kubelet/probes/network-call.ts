import { request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { connect } from 'node:net';
import { errorText } from '../../error-text.js';
import { objectsAt, textAt, valueAt } from '../../object.js';
import type { Json, JsonObject } from '../../schema/types.js';
import type { HandlerResult } from '../container-runtime.js';

const maxBodyBytes = 10 * 1024;

/** Returns the number of a port that is given by number or by its name in the container; undefined when there is none. */
export function portOf(port: Json | undefined, container: JsonObject): number | undefined {
  if (typeof port === 'number') return port;
  const named = objectsAt(container, 'ports').find(({ name }) => name === port);
  const number = named?.['containerPort'] ?? Number(port);
  return typeof number === 'number' && Number.isInteger(number) ? number : undefined;
}

/**
 * Sends the request of a `httpGet` handler. Every status from 200 to 399 is a success; certificates are not checked. Never
 * rejects: a host or a header that cannot be sent is a failure.
 */
export function httpGet(
  get: JsonObject,
  container: JsonObject,
  podIp: string,
  timeoutMs: number,
): Promise<HandlerResult> {
  const port = portOf(valueAt(get, 'port'), container);
  if (port === undefined) return Promise.resolve(failed(`invalid port number: ${String(get['port'])}`));
  const isSecure = textAt(get, 'scheme') === 'HTTPS';
  const path = textAt(get, 'path');
  const hostname = textAt(get, 'host') || podIp;
  const url = `${isSecure ? 'https' : 'http'}://${hostname}:${port}${path.startsWith('/') ? path : `/${path}`}`;
  const headers = Object.fromEntries(
    objectsAt(get, 'httpHeaders').map((one) => [textAt(one, 'name'), textAt(one, 'value')]),
  );
  return new Promise<HandlerResult>((resolve) => {
    const send = isSecure ? httpsRequest : httpRequest;
    const options = {
      agent: false,
      rejectUnauthorized: false,
      headers: { 'User-Agent': 'kube-probe/1.36', Accept: '*/*', ...headers },
    };
    const request = send(url, options, (response) => void answered(response).then(resolve));
    const timer = setTimeout(() => {
      request.destroy();
      resolve(
        failed(`Get "${url}": context deadline exceeded (Client.Timeout exceeded while awaiting headers)`),
      );
    }, timeoutMs);
    request.on('error', (error) => resolve(failed(`Get "${url}": ${dialError(error, hostname, port)}`)));
    request.once('close', () => clearTimeout(timer));
    request.end();
  }).catch((error: unknown) => failed(`Get "${url}": ${errorText(error)}`));
}

async function answered(response: IncomingMessage): Promise<HandlerResult> {
  const { statusCode = 0 } = response;
  let size = 0;
  try {
    for await (const chunk of response as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size > maxBodyBytes) response.destroy();
    }
  } catch {
    // The status counts, whatever becomes of the body.
  }
  if (statusCode >= 200 && statusCode < 400) return { isSuccess: true, output: '' };
  return failed(`HTTP probe failed with statuscode: ${statusCode}`);
}

/** Opens a connection, as a `tcpSocket` handler does. Never rejects. */
export function tcpSocket(
  socket: JsonObject,
  container: JsonObject,
  podIp: string,
  timeoutMs: number,
): Promise<HandlerResult> {
  const port = portOf(valueAt(socket, 'port'), container);
  if (port === undefined) return Promise.resolve(failed(`invalid port number: ${String(socket['port'])}`));
  const host = textAt(socket, 'host') || podIp;
  return new Promise<HandlerResult>((resolve) => {
    const connection = connect({ host, port });
    const end = (result: HandlerResult): void => {
      clearTimeout(timer);
      connection.destroy();
      resolve(result);
    };
    const timer = setTimeout(() => end(failed(`dial tcp ${host}:${port}: i/o timeout`)), timeoutMs);
    connection.once('connect', () => end({ isSuccess: true, output: '' }));
    connection.once('error', (error) => end(failed(dialError(error, host, port))));
  }).catch((error: unknown) => failed(`dial tcp ${host}:${port}: ${errorText(error)}`));
}

function failed(output: string): HandlerResult {
  return { isSuccess: false, output };
}

/** Returns the error of a connection in Go's words. */
function dialError({ code, message }: NodeJS.ErrnoException, host: string, port: number): string {
  const at = `dial tcp ${host}:${port}`;
  if (code === 'ECONNREFUSED') return `${at}: connect: connection refused`;
  if (code === 'ECONNRESET') return 'EOF';
  return code === 'ENOTFOUND' ? `${at}: lookup ${host}: no such host` : message;
}
