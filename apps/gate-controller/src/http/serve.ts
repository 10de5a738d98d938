import type { Logger } from '@interlock/base';
import type { Manager } from '@interlock/kube';
import { fileCertificates, HttpServer } from '@interlock/service';
import type { BindAddress } from '@interlock/service/flags';
import type { GateReader } from '../gate/reader.js';
import { GateAccess } from './access.js';
import { serveGates } from './routes.js';

interface GateEndpointOptions {
  address: BindAddress;
  /** PEM files of its certificate; without them it serves plain HTTP. */
  files?: { certFile: string; keyFile: string };
}

/**
 * Adds to a manager the server that reports the state of gates to clients without Kubernetes access. It runs in every
 * replica.
 */
export function addGateEndpoint(
  manager: Manager,
  reader: GateReader,
  log: Logger,
  { address, files }: GateEndpointOptions,
): HttpServer {
  const { client, clock } = manager;
  const access = new GateAccess(client, () => clock.monotonic());
  const server = new HttpServer(
    {
      name: 'gates',
      address,
      certificates: files && fileCertificates({ clock, log, ...files }),
      routes: (routes) => serveGates(routes, { reader, access, clock }),
    },
    log,
  );
  manager.add(server);
  return server;
}
