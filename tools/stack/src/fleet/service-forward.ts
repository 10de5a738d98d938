import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import type { ObjectKey } from '@interlock/api';
import type { Client } from '@interlock/kube';
import { endpointOf } from './app-pods.js';

/** A local port that forwards to a Service. */
export interface ServiceForward {
  /** `http://127.0.0.1:<port>` */
  readonly url: string;
  close(): Promise<void>;
}

/**
 * Opens a local port that forwards connections to a ready pod of a Service with one port, as `kubectl port-forward`
 * does. Replaced pods have new addresses, so each connection selects a pod. Without a ready pod, connections are
 * closed.
 */
export async function forwardService(client: Client, service: ObjectKey): Promise<ServiceForward> {
  const sockets = new Set<Socket>();
  const keep = (socket: Socket): Socket => {
    sockets.add(socket);
    return socket.once('close', () => sockets.delete(socket)).on('error', () => socket.destroy());
  };
  const forward = async (incoming: Socket): Promise<void> => {
    const endpoint = await endpointOf(client, service).catch(() => undefined);
    if (endpoint === undefined || incoming.destroyed) {
      incoming.destroy();
      return;
    }
    const outgoing = keep(connect(endpoint));
    incoming.pipe(outgoing).pipe(incoming);
    incoming.once('close', () => outgoing.destroySoon());
    outgoing.once('close', () => incoming.destroySoon());
  };
  const server = createServer((socket) => void forward(keep(socket)));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    close: async () => {
      const closed = once(server, 'close');
      server.close();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}
