import { delay, type Clock, type Logger } from '@interlock/base';
import { ensureCaBundle, type WebhookConfigurations } from './ca-bundle.js';
import { CertificateHolder } from './holder.js';
import { keepCertificates, type StoredCertificatesOptions } from './stored.js';
import type { CertificateSource } from './types.js';

export interface SecretCertificatesOptions extends StoredCertificatesOptions {
  clock: Clock;
  log: Logger;
  /** Are kept to trust the authority. */
  configurations: WebhookConfigurations;
  fieldManager: string;
  /** Milliseconds between two looks at Secret and configurations. Default 20,000. */
  intervalMs?: number;
}

const defaultIntervalMs = 20_000;
const firstRetryMs = 1_000;

/**
 * Certificates that the replicas of a service make for themselves: an authority of their own, and a certificate of it,
 * kept in a Secret and renewed in time. Whichever replica comes first writes; the others take what is there. A replica
 * serves a certificate only after the webhook configurations trust its authority.
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
    const { client, configurations, fieldManager, log } = this.options;
    const { stored } = await keepCertificates(this.options, signal);
    try {
      await ensureCaBundle(client, configurations, stored.authorities, fieldManager, signal);
    } catch (error) {
      /* Better a certificate that is not trusted yet than none: the configurations may come later. */
      if (this.current() === undefined) this.set(stored);
      throw error;
    }
    if (this.set(stored)) log.info({ secret: this.options.secret }, 'serving another certificate');
  }
}
