import type { Logger } from '@interlock/base';
import { serverClock, type ClockSkew, type Manager } from '@interlock/kube';
import { addAdmissionServer, type AdmissionOptions, type HttpServer } from '@interlock/service';
import type { Registry } from 'prom-client';
import type { GateCaches } from '../caches.js';
import { admissionRoutes } from './routes.js';

interface GateAdmissionOptions extends AdmissionOptions {
  /** Name of both the mutating and the validating webhook configuration. */
  configuration: string;
  /** Whether a user who creates an override needs the verb `open` or `close` on its gate. */
  authorizesOverrides: boolean;
  clockSkew: Pick<ClockSkew, 'ms'>;
}

/** Adds the server of the admission webhooks to a manager. */
export function addAdmission(
  manager: Manager,
  caches: GateCaches,
  log: Logger,
  metrics: Registry,
  { configuration, authorizesOverrides, clockSkew, ...options }: GateAdmissionOptions,
): HttpServer {
  const { client, clock } = manager;
  return addAdmissionServer(manager, {
    ...options,
    /* The API server verifies the certificates by its own clock. */
    clock: serverClock(clock, clockSkew),
    log,
    metrics,
    configurations: { mutating: [configuration], validating: [configuration] },
    routes: admissionRoutes({ caches, client, clock, log, authorizesOverrides }),
  });
}
