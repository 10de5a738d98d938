import { ifFound, isTyped, type ObjectKey } from '@interlock/api';
import { delay, type Clock, type Logger } from '@interlock/base';
import { Secret, type Client } from '@interlock/kube';
import { ensureCaBundle, type WebhookConfigurations } from './ca-bundle.js';
import { CertificateHolder } from './holder.js';
import { issueAuthority, issueServing } from './issue.js';
import {
  planRenewal,
  splitBundle,
  validAuthorities,
  type RenewalStep,
  type StoredCertificates,
} from './plan.js';
import type { CertificateSource } from './types.js';

export interface SecretCertificatesOptions {
  client: Client;
  clock: Clock;
  log: Logger;
  /** Where authority and certificate are kept; made when it is missing. */
  secret: ObjectKey & { namespace: string };
  /** What the server is called, such as `<service>.<namespace>.svc`. */
  dnsNames: readonly [string, ...string[]];
  /** Are kept to trust the authority. */
  configurations: WebhookConfigurations;
  fieldManager: string;
  /** Milliseconds between two looks at Secret and configurations. Default 20,000. */
  intervalMs?: number;
}

const defaultIntervalMs = 20_000;
const firstRetryMs = 1_000;
/** How often another replica may write the Secret first. */
const attempts = 5;

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
    const stored = await this.#ensureStored(signal);
    try {
      await ensureCaBundle(client, configurations, stored.authorities, fieldManager, signal);
    } catch (error) {
      /* Better a certificate that is not trusted yet than none: the configurations may come later. */
      if (this.current() === undefined) this.set(stored);
      throw error;
    }
    if (this.set(stored)) log.info({ secret: this.options.secret }, 'serving another certificate');
  }

  /** Reads the certificates, and takes the next step of their renewal when one is due. */
  async #ensureStored(signal: AbortSignal): Promise<StoredCertificates> {
    const { client, clock, dnsNames, log, secret } = this.options;
    for (let attempt = 1; ; attempt += 1) {
      const existing = await this.#read(signal);
      const stored = existing && storedIn(existing);
      const now = clock.now();
      const step = planRenewal(stored, dnsNames, now);
      if (stored !== undefined && step === 'keep') return stored;
      const next = await this.#renew(step, stored, now);
      try {
        if (existing === undefined) await client.create(Secret, secretWith(secret, next), { signal });
        else await client.update(Secret, { ...existing, data: dataOf(next) }, { signal });
        log.info({ secret, step }, 'certificates renewed');
        return next;
      } catch (error) {
        if (!isTyped(error, 'Conflict') || attempt === attempts) throw error;
      }
    }
  }

  #read(signal: AbortSignal): Promise<Secret | undefined> {
    return ifFound(this.options.client.get(Secret, this.options.secret, { signal }));
  }

  async #renew(
    step: RenewalStep,
    stored: StoredCertificates | undefined,
    now: number,
  ): Promise<StoredCertificates> {
    const { dnsNames, secret } = this.options;
    if (stored !== undefined && step === 'serving') {
      const authority = { cert: splitBundle(stored.authorities)[0] ?? '', key: stored.authorityKey };
      return { ...stored, ...(await issueServing(authority, dnsNames, now)) };
    }
    const authority = await issueAuthority(secret.name, now);
    const authorityKey = authority.key;
    if (stored !== undefined && step === 'authority') {
      const authorities = [authority.cert.trim(), ...validAuthorities(stored.authorities, now)];
      return { ...stored, authorityKey, authorities: `${authorities.join('\n')}\n` };
    }
    const serving = await issueServing(authority, dnsNames, now);
    return { authorities: authority.cert, authorityKey, ...serving };
  }
}

const keys = { authorities: 'ca.crt', authorityKey: 'ca.key', cert: 'tls.crt', key: 'tls.key' } as const;

function storedIn({ data = {} }: Secret): StoredCertificates {
  const text = (key: string) => Buffer.from(data[key] ?? '', 'base64').toString('utf8');
  return {
    authorities: text(keys.authorities),
    authorityKey: text(keys.authorityKey),
    cert: text(keys.cert),
    key: text(keys.key),
  };
}

function dataOf(stored: StoredCertificates): Record<string, string> {
  const base64 = (text: string) => Buffer.from(text).toString('base64');
  return {
    [keys.authorities]: base64(stored.authorities),
    [keys.authorityKey]: base64(stored.authorityKey),
    [keys.cert]: base64(stored.cert),
    [keys.key]: base64(stored.key),
  };
}

function secretWith(key: ObjectKey, stored: StoredCertificates) {
  return { metadata: key, type: 'Opaque', data: dataOf(stored) };
}
