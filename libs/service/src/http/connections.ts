import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { Server as TlsServer } from 'node:tls';

/**
 * Tracks the connections of a server. Beyond `maxConnections`, the one that has been idle for the longest time is closed, or
 * the oldest one if all are in use: clients that keep connections open cannot keep out others, such as the kubelet.
 *
 * Returns a function that closes all idle connections at once, and the others as soon as they are answered. When a server closes,
 * `http.Server` itself waits for connections without a request, and for those whose answer is in progress, until they time out.
 */
export function trackConnections(server: Server, maxConnections: number): () => void {
  /**
   * By the address of the client: after the handshake, the socket of TLS replaces the socket below it. The socket that has been
   * unused for the longest time is the first one.
   */
  const sockets = new Map<string, Socket>();
  const busy = new Set<Socket>();
  let closing = false;
  const closeOldest = (newest: Socket) => {
    const idle = firstOf(sockets.values(), (socket) => socket !== newest && !busy.has(socket));
    const socket = idle ?? firstOf(sockets.values(), () => true);
    if (socket === undefined) return;
    sockets.delete(clientOf(socket));
    socket.destroy();
  };
  const track = (socket: Socket) => {
    const client = clientOf(socket);
    sockets.set(client, socket);
    socket.once('close', () => {
      if (sockets.get(client) === socket) sockets.delete(client);
    });
    if (sockets.size > maxConnections) closeOldest(socket);
  };
  server.on('connection', track);
  if (server instanceof TlsServer) server.on('secureConnection', track);
  server.on('request', ({ socket }: { socket: Socket }, response: ServerResponse) => {
    busy.add(socket);
    response.once('close', () => {
      busy.delete(socket);
      const client = clientOf(socket);
      if (sockets.delete(client)) sockets.set(client, socket);
      if (closing) socket.destroySoon();
    });
  });
  return () => {
    closing = true;
    for (const socket of sockets.values()) if (!busy.has(socket)) socket.destroySoon();
  };
}

function clientOf({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress} ${remotePort}`;
}

function firstOf<T>(values: Iterable<T>, matches: (value: T) => boolean): T | undefined {
  for (const value of values) if (matches(value)) return value;
  return undefined;
}
