import { fieldManagers } from '@interlock/api';
import type { Logger } from '@interlock/base';
import type { Manager } from '@interlock/kube';
import {
  admissionCertificates,
  admissionServer,
  type BindAddress,
  type HttpServer,
} from '@interlock/service';
import type { Registry } from 'prom-client';
import type { GateCaches } from '../caches.js';
import { admissionRoutes } from './routes.js';

interface AdmissionOptions {
  address: BindAddress;
  /** Namespace of the process, its Service and its Secret. */
  namespace: string;
  /** The Service through which the API server reaches the process. */
  service: string;
  /** The Secret that stores the certificates which the process issues itself. */
  secret: string;
  /** Name of both the mutating and the validating webhook configuration. */
  configuration: string;
  /** Whether a user who creates an override needs the verb `open` or `close` on its gate. */
  authorizesOverrides: boolean;
  /** PEM files of a certificate that another program renews and makes trusted. */
  files?: { certFile: string; keyFile: string };
}

/** Adds the server of the admission webhooks to a manager. It runs in every replica. */
export function addAdmission(
  manager: Manager,
  caches: GateCaches,
  log: Logger,
  metrics: Registry,
  options: AdmissionOptions,
): HttpServer {
  const { client, clock } = manager;
  const { namespace, service, secret, configuration, files } = options;
  const server = admissionServer({
    address: options.address,
    certificates: admissionCertificates({
      ...{ client, clock, log, namespace, service, secret, files },
      configurations: { mutating: [configuration], validating: [configuration] },
      fieldManager: fieldManagers.gateController,
    }),
    routes: admissionRoutes({
      caches,
      client,
      clock,
      log,
      authorizesOverrides: options.authorizesOverrides,
    }),
    metrics,
    log,
  });
  manager.add(server);
  return server;
}
