import type { Logger } from '@interlock/base';
import type { Registry } from 'prom-client';
import type { CertificateSource } from '../certificates/types.js';
import type { BindAddress } from '../http/address.js';
import { HttpServer } from '../http/http-server.js';
import { admissionMetrics } from './metrics.js';
import { serveRoutes, type AdmissionRoute } from './routes.js';

const mebibyte = 1024 * 1024;
/**
 * Two objects of the largest size that etcd stores (1.5 MiB), and some room. The API server escapes `<`, `>` and `&` as six bytes. A
 * larger body would be refused, and a webhook with `failurePolicy: Ignore` bypassed.
 */
const maxBodyBytes = 20 * mebibyte;
const bodyLimits = { requests: 128, bytes: 4 * maxBodyBytes };

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
      bodyLimits,
      certificates,
      routes: (server) => serveRoutes(server, routes, counted, log),
    },
    log,
  );
}
