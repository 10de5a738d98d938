import type { Logger } from '@interlock/base';
import type { Manager } from '@interlock/kube';
import { addAdmissionServer, type AdmissionOptions, type HttpServer } from '@interlock/service';
import type { Registry } from 'prom-client';
import type { TenantPolicy } from './policy.js';
import { tenantRoutes } from './routes.js';

interface TenantAdmissionOptions extends AdmissionOptions {
  /** Name of the validating webhook configuration. */
  configuration: string;
  policy: TenantPolicy;
}

/** Adds the server of the admission webhooks to a manager. */
export function addTenantAdmission(
  manager: Manager,
  log: Logger,
  metrics: Registry,
  { configuration, policy, ...options }: TenantAdmissionOptions,
): HttpServer {
  return addAdmissionServer(manager, {
    ...options,
    log,
    metrics,
    configurations: { validating: [configuration] },
    routes: tenantRoutes(manager.client, policy),
  });
}
