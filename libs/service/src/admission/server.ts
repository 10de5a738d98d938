import { aborted, type Runnable } from '@interlock/kube';
import type { Logger } from 'pino';
import type { Registry } from 'prom-client';
import type { CertificateSource } from '../certificates/types.js';
import type { BindAddress } from '../http/address.js';
import { startServer, type RunningServer } from '../http/server.js';
import { admissionMetrics, type AdmissionMetrics } from './metrics.js';
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

/** Answers the API server's admission webhooks over TLS, in every replica. */
export class AdmissionServer implements Runnable {
  readonly name = 'admission';
  readonly needsLeaderElection = false;
  readonly #metrics: AdmissionMetrics;
  #running: RunningServer | undefined;

  constructor(private readonly options: AdmissionServerOptions) {
    this.#metrics = admissionMetrics(options.metrics);
  }

  /** @returns whether it serves, which it does as soon as there is a certificate. */
  isServing(): boolean {
    return this.#running !== undefined;
  }

  /** @returns the port that it listens on; undefined while it does not. */
  get port(): number | undefined {
    return this.#running?.port;
  }

  /** Keeps the certificate up to date and serves until `signal` aborts. Rejects when the address cannot be used. */
  async run(signal: AbortSignal): Promise<void> {
    const { certificates, address, log, routes } = this.options;
    const renewal = certificates.run(signal);
    try {
      await firstCertificate(certificates, signal);
      if (signal.aborted) return;
      this.#running = await startServer(
        {
          name: this.name,
          address,
          maxBodyBytes,
          tls: certificates,
          routes: (server) => serveRoutes(server, routes, this.#metrics, log),
        },
        log,
      );
      await aborted(signal);
    } finally {
      const running = this.#running;
      this.#running = undefined;
      await running?.close();
      if (signal.aborted) await renewal;
    }
  }
}

/** Resolves when there is a certificate, or when `signal` aborts. */
async function firstCertificate(certificates: CertificateSource, signal: AbortSignal): Promise<void> {
  if (certificates.current() !== undefined) return;
  const found = new AbortController();
  const off = certificates.onChange(() => found.abort());
  await aborted(AbortSignal.any([found.signal, signal]));
  off();
}
