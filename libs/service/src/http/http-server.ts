import { aborted, type Logger } from '@interlock/base';
import type { Runnable } from '@interlock/kube';
import type { CertificateSource } from '../certificates/types.js';
import { startServer, type RunningServer, type ServerOptions } from './server.js';

interface HttpServerOptions extends Omit<ServerOptions, 'tls'> {
  /** If set, serves HTTPS with these certificates, as soon as there is one. */
  certificates?: CertificateSource | undefined;
}

/** A server that a manager runs, in every replica. */
export class HttpServer implements Runnable {
  readonly needsLeaderElection = false;
  #running: RunningServer | undefined;

  readonly #options: HttpServerOptions;
  readonly #log: Logger;

  constructor(options: HttpServerOptions, log: Logger) {
    this.#options = options;
    this.#log = log;
  }

  get name(): string {
    return this.#options.name;
  }

  /** Returns whether the server listens. */
  isServing(): boolean {
    return this.#running !== undefined;
  }

  /** Returns the port on which the server listens; undefined while it does not listen. */
  get port(): number | undefined {
    return this.#running?.port;
  }

  /** Keeps the certificate up to date and serves until `signal` aborts. Rejects if the address cannot be used. */
  async run(signal: AbortSignal): Promise<void> {
    const { certificates, ...options } = this.#options;
    const renewal = certificates?.run(signal);
    try {
      if (certificates !== undefined) await firstCertificate(certificates, signal);
      if (signal.aborted) return;
      this.#running = await startServer({ ...options, tls: certificates }, this.#log);
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
