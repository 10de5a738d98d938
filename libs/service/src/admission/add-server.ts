import type { Clock, Logger } from '@interlock/base';
import type { Manager } from '@interlock/kube';
import type { Registry } from 'prom-client';
import type { WebhookConfigurations } from '../certificates/ca-bundle.js';
import type { HttpServer } from '../http/http-server.js';
import { admissionCertificates } from './certificates.js';
import type { AdmissionOptions } from './options.js';
import type { AdmissionRoute } from './routes.js';
import { admissionServer } from './server.js';

interface AddedServer extends AdmissionOptions {
  /** The clock by which certificates are issued. Default: the clock of the manager. */
  clock?: Clock;
  /** The webhook configurations that receive the certificate authority. */
  configurations: WebhookConfigurations;
  routes: readonly AdmissionRoute[];
  metrics: Registry;
  log: Logger;
}

/** Adds a server of admission webhooks to a manager, and returns it. It runs in every replica. */
export function addAdmissionServer(manager: Manager, options: AddedServer): HttpServer {
  const { address, routes, metrics, log } = options;
  const { client } = manager;
  const certificates = admissionCertificates({ clock: manager.clock, ...options, client });
  const server = admissionServer({ address, certificates, routes, metrics, log });
  manager.add(server);
  return server;
}
