import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { Server as TlsServer } from 'node:tls';

/**
 * Tracks the connections of a server. When it closes, `http.Server` itself waits for connections without a request, and
 * for those whose answer is in progress, until they time out.
 *
 * Returns a function that closes all idle connections at once, and the others as soon as they are answered.
 */
export function trackConnections(server: Server): () => void {
  /** By the address of the client: after the handshake, the socket of TLS replaces the socket below it. */
  const sockets = new Map<string, Socket>();
  const busy = new Set<Socket>();
  let closing = false;
  const track = (socket: Socket) => {
    const client = `${socket.remoteAddress} ${socket.remotePort}`;
    sockets.set(client, socket);
    socket.once('close', () => {
      if (sockets.get(client) === socket) sockets.delete(client);
    });
  };
  server.on('connection', track);
  if (server instanceof TlsServer) server.on('secureConnection', track);
  server.on('request', ({ socket }: { socket: Socket }, response: ServerResponse) => {
    busy.add(socket);
    response.once('close', () => {
      busy.delete(socket);
      if (closing) socket.destroySoon();
    });
  });
  return () => {
    closing = true;
    for (const socket of sockets.values()) if (!busy.has(socket)) socket.destroySoon();
  };
}
