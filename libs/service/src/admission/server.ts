import type { Logger } from '@interlock/base';
import type { Registry } from 'prom-client';
import type { CertificateSource } from '../certificates/types.js';
import type { BindAddress } from '../http/address.js';
import { HttpServer } from '../http/http-server.js';
import { admissionMetrics } from './metrics.js';
import { serveRoutes, type AdmissionRoute } from './routes.js';

/** The limit of controller-runtime: two objects of the largest size that the API server accepts, and some room. */
const maxBodyBytes = 7 * 1024 * 1024;

interface AdmissionServerOptions {
  address: BindAddress;
  certificates: CertificateSource;
  routes: readonly AdmissionRoute[];
  metrics: Registry;
  log: Logger;
}

/** Returns a server that answers admission webhooks of the API server over TLS. */
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
