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
  const sockets = new Set<Socket>();
  const busy = new Set<Socket>();
  let closing = false;
  server.on(server instanceof TlsServer ? 'secureConnection' : 'connection', (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  server.on('request', ({ socket }: { socket: Socket }, response: ServerResponse) => {
    busy.add(socket);
    response.once('close', () => {
      busy.delete(socket);
      if (closing) socket.destroySoon();
    });
  });
  return () => {
    closing = true;
    for (const socket of sockets) if (!busy.has(socket)) socket.destroySoon();
  };
}
