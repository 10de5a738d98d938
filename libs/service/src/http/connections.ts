import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { Server as TlsServer } from 'node:tls';

/**
 * Keeps account of a server's connections. `http.Server` itself waits for connections on which nothing was asked yet, and
 * for those whose answer is under way when it closes, until they time out.
 *
 * @returns closes all connections without a request now, and the others as soon as they are answered.
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
