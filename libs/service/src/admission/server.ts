import type { Logger } from '@interlock/base';
import type { Registry } from 'prom-client';
import type { CertificateSource } from '../certificates/types.js';
import type { BindAddress } from '../http/address.js';
import { HttpServer } from '../http/http-server.js';
import { admissionMetrics } from './metrics.js';
import { serveRoutes, type AdmissionRoute } from './routes.js';

/** Two objects of the largest size that the API server takes, with room for the rest; controller-runtime's limit. */
const maxBodyBytes = 7 * 1024 * 1024;

export interface AdmissionServerOptions {
  address: BindAddress;
  certificates: CertificateSource;
  routes: readonly AdmissionRoute[];
  metrics: Registry;
  log: Logger;
}

/** Returns a server that answers the API server's admission webhooks over TLS. */
export function admissionServer({
  address,
  certificates,
  routes,
  metrics,
  log,
}: AdmissionServerOptions): HttpServer {
  const counted = admissionMetrics(metrics);
  return new HttpServer(
    {
      name: 'admission',
      address,
      maxBodyBytes,
      certificates,
      routes: (server) => serveRoutes(server, routes, counted, log),
    },
    log,
  );
}
