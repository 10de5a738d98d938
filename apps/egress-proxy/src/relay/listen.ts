import type { AddressInfo, Server } from 'node:net';
import type { BindAddress } from '@interlock/service/flags';

/**
 * Listens on an address, and returns the port. Rejects when the address cannot be bound.
 *
 * @param onError called when a connection cannot be accepted; without a listener, that would end the process with all tunnels
 */
export function listenOn(
  server: Server,
  { host, port }: BindAddress,
  onError: (error: Error) => void,
): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ host, port, backlog: 1024 }, () => {
      server.off('error', reject);
      server.on('error', onError);
      resolve((server.address() as AddressInfo).port);
    });
  });
}
