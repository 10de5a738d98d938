import { ifFound, isTyped, type ObjectKey, type OwnerReference } from '@interlock/api';
import { semanticEqual, type Clock, type Logger } from '@interlock/base';
import { Secret, type Client } from '@interlock/kube';
import { issueAuthority, issueServing } from './issue.js';
import {
  planRenewal,
  splitBundle,
  validAuthorities,
  type RenewalStep,
  type StoredCertificates,
} from './plan.js';

export interface StoredCertificatesOptions {
  client: Client;
  clock: Pick<Clock, 'now'>;
  log: Pick<Logger, 'info'>;
  /** The Secret with the authority and the certificate; it is created if it does not exist. */
  secret: ObjectKey & { namespace: string };
  /** DNS names of the server, such as `<service>.<namespace>.svc`. */
  dnsNames: readonly [string, ...string[]];
  /** Labels and owners of the Secret, which are restored if they are missing. Owners of the same kind are replaced. */
  metadata?: Pick<Secret['metadata'], 'labels' | 'ownerReferences'> | undefined;
}

/** Number of times that another replica may write the Secret first. */
const attempts = 5;

const keys = { authorities: 'ca.crt', authorityKey: 'ca.key', cert: 'tls.crt', key: 'tls.key' } as const;

/**
 * Reads the certificates of a server from their Secret, and performs the next step of their renewal if one is due.
 * Returns the certificates, and whether the Secret was written.
 *
 * @throws TypedError
 */
export async function keepCertificates(
  options: StoredCertificatesOptions,
  signal: AbortSignal,
): Promise<{ stored: StoredCertificates; isWritten: boolean }> {
  const { client, clock, dnsNames, log, secret, metadata } = options;
  for (let attempt = 1; ; attempt += 1) {
    const existing = await ifFound(client.get(Secret, secret, { signal }));
    const stored = existing && storedIn(existing);
    const now = clock.now();
    const step = planRenewal(stored, dnsNames, now);
    const isKept = stored !== undefined && step === 'keep';
    const completed = existing && withMetadata(existing.metadata, metadata);
    if (isKept && semanticEqual(completed, existing?.metadata)) return { stored, isWritten: false };
    const next = isKept ? stored : await renew(options, step, stored, now);
    const data = isKept ? (existing?.data ?? {}) : dataOf(next);
    try {
      if (existing !== undefined && completed !== undefined)
        await client.update(Secret, { ...existing, metadata: completed, data }, { signal });
      else
        await client.create(
          Secret,
          { metadata: { ...metadata, ...secret }, type: 'Opaque', data },
          { signal },
        );
      log.info({ secret, step }, 'certificates renewed');
      return { stored: next, isWritten: true };
    } catch (error) {
      if (!isTyped(error, 'Conflict') || attempt === attempts) throw error;
    }
  }
}

async function renew(
  { dnsNames, secret }: StoredCertificatesOptions,
  step: RenewalStep,
  stored: StoredCertificates | undefined,
  now: number,
): Promise<StoredCertificates> {
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

/** Returns metadata with the labels and the owners of `required`. An earlier owner of the same kind no longer exists, or is replaced. */
function withMetadata(
  existing: Secret['metadata'],
  { labels, ownerReferences }: NonNullable<StoredCertificatesOptions['metadata']> = {},
): Secret['metadata'] {
  const isOther = ({ apiVersion, kind }: OwnerReference) =>
    ownerReferences?.every((one) => one.apiVersion !== apiVersion || one.kind !== kind) === true;
  return {
    ...existing,
    ...(labels && { labels: { ...existing.labels, ...labels } }),
    ...(ownerReferences && {
      ownerReferences: [...(existing.ownerReferences ?? []).filter(isOther), ...ownerReferences],
    }),
  };
}

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
