import { isTyped } from '@interlock/api';
import { delay, type Clock, type Logger } from '@interlock/base';
import { ensureCaBundle, type WebhookConfigurations } from './ca-bundle.js';
import { CertificateHolder } from './holder.js';
import { keepCertificates, type StoredCertificatesOptions } from './stored.js';
import type { CertificateSource } from './types.js';

interface SecretCertificatesOptions extends StoredCertificatesOptions {
  clock: Clock;
  log: Logger;
  /** The configurations that must trust the authority. */
  configurations: WebhookConfigurations;
  /** Milliseconds between two checks of the Secret and the configurations. Default: 20,000. */
  intervalMs?: number;
}

const defaultIntervalMs = 20_000;
const firstRetryMs = 1_000;

/**
 * Returns the certificates that the replicas of a service issue themselves: an authority and a serving certificate,
 * stored in a Secret and renewed in time.
 *
 * The first replica writes the Secret, and the others use its contents. A replica serves a certificate only after the
 * existing webhook configurations trust its authority.
 */
export function secretCertificates(options: SecretCertificatesOptions): CertificateSource {
  return new SecretCertificates(options);
}

class SecretCertificates extends CertificateHolder<SecretCertificatesOptions> implements CertificateSource {
  async run(signal: AbortSignal): Promise<void> {
    const { clock, log, intervalMs = defaultIntervalMs } = this.options;
    let retryMs = firstRetryMs;
    while (!signal.aborted) {
      let waitMs = intervalMs;
      try {
        await this.#sync(signal);
        retryMs = firstRetryMs;
      } catch (error) {
        if (signal.aborted) return;
        log.warn({ error, secret: this.options.secret }, 'the serving certificate may be out of date');
        waitMs = Math.min(retryMs, intervalMs);
        retryMs = waitMs * 2;
      }
      await delay(clock, waitMs, signal);
    }
  }

  async #sync(signal: AbortSignal): Promise<void> {
    const { client, configurations, log } = this.options;
    const { stored } = await keepCertificates(this.options, signal);
    try {
      await ensureCaBundle(client, configurations, stored.authorities, signal);
    } catch (error) {
      /* Serving a certificate that is not trusted yet is better than serving none, and a configuration that does not exist
         trusts none: it may be created later. */
      if (this.current() === undefined || isTyped(error, 'NotFound')) this.set(stored);
      throw error;
    }
    if (this.set(stored)) log.info({ secret: this.options.secret }, 'serving a new certificate');
  }
}
