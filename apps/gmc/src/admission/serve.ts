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
import type { TenantPolicy } from './policy.js';
import { tenantRoutes } from './routes.js';

interface AdmissionOptions {
  address: BindAddress;
  /** Namespace of the process, its Service and its Secret. */
  namespace: string;
  /** The Service through which the API server sends its requests. */
  service: string;
  /** Name of the Secret that stores the certificates that the process issues for itself. */
  secret: string;
  /** Name of the validating webhook configuration. */
  configuration: string;
  policy: TenantPolicy;
  /** A certificate that another component renews and makes trusted; PEM files. */
  files?: { certFile: string; keyFile: string };
}

/** Adds the server of the admission webhooks to a manager. It runs in every replica. */
export function addTenantAdmission(
  manager: Manager,
  log: Logger,
  metrics: Registry,
  { address, configuration, policy, ...own }: AdmissionOptions,
): HttpServer {
  const { client, clock } = manager;
  const server = admissionServer({
    ...{ address, metrics, log },
    certificates: admissionCertificates({
      ...{ client, clock, log, ...own },
      configurations: { validating: [configuration] },
      fieldManager: fieldManagers.gmc,
    }),
    routes: tenantRoutes(client, policy),
  });
  manager.add(server);
  return server;
}
