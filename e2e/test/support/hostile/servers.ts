import { once } from 'node:events';
import { createServer as createHttpServer, type IncomingMessage } from 'node:http';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';

/** A server of an attacker at a separate loopback address. */
interface HostileServer {
  /** `http://<host>:<port>` */
  readonly url: string;
  close(): Promise<void>;
}

/** A server that accepts connections and never responds. */
export interface SilentServer extends HostileServer {
  /** Returns the number of open connections. */
  open(): number;
}

/** A server that records its requests. */
export interface CatchingServer extends HostileServer {
  /** The requests: method, path, headers and the beginning of the body, as text. */
  readonly caught: readonly string[];
}

const maxBodyBytes = 64 * 1024;

/** Starts a server that accepts connections, reads, and never responds. */
export async function startSilentServer(host: string): Promise<SilentServer> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => sockets.delete(socket));
    socket.resume();
  });
  const url = await listen(server, host);
  const close = async (): Promise<void> => {
    for (const socket of sockets) socket.destroy();
    await closed(server);
  };
  return { url, open: () => sockets.size, close };
}

/** Starts a server that requests a credential and records every request. */
export async function startCatchingServer(host: string): Promise<CatchingServer> {
  const caught: string[] = [];
  const server = createHttpServer((request, response) => {
    void bodyOf(request).then((body) => {
      const { method = '', url = '', rawHeaders } = request;
      caught.push([`${method} ${url}`, ...rawHeaders, body].join('\n'));
      response.writeHead(401, { 'www-authenticate': 'Basic realm="hostile"' }).end();
    });
  });
  const url = await listen(server, host);
  const close = async (): Promise<void> => {
    server.closeAllConnections();
    await closed(server);
  };
  return { url, caught, close };
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  let body = '';
  request.setEncoding('utf8');
  try {
    for await (const chunk of request as AsyncIterable<string>) {
      body += chunk;
      if (body.length > maxBodyBytes) break;
    }
  } catch {
    // The client has gone.
  }
  return body;
}

async function listen(server: Server, host: string): Promise<string> {
  server.listen(0, host);
  await once(server, 'listening');
  return `http://${host}:${(server.address() as AddressInfo).port}`;
}

async function closed(server: Server): Promise<void> {
  server.close();
  await once(server, 'close');
}
