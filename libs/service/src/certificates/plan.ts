import type { KeyObject, X509Certificate } from 'node:crypto';
import { readCertificate, readPrivateKey } from './pem.js';

const dayMs = 24 * 60 * 60 * 1000;
/** Longer than the lifetime of a serving certificate: the next authority is trusted long before it signs. */
const renewAuthorityBeforeMs = 365 * dayMs;
const renewServingBeforeMs = 30 * dayMs;
/*
 * Certificates and keys of EC P-256 have less than 1,000 characters. A team can write the Secret of its proxy, and OpenSSL, which blocks the
 * process meanwhile, takes hours to read some keys of other types, and seconds to check a signature against many authorities.
 */
const longest = { certificates: 16 * 1024, key: 1024 } as const;

/** The contents of the Secret, all in PEM. */
export interface StoredCertificates {
  /** Trusted authorities; the first one signs. */
  readonly authorities: string;
  readonly authorityKey: string;
  readonly cert: string;
  readonly key: string;
}

/**
 * The next step of the renewal. `all`: nothing is usable, so everything is issued anew. `authority`: another
 * authority is added to the trusted authorities, and signs from now on. `serving`: the authority issues another
 * certificate. `keep`: nothing is due.
 */
export type RenewalStep = 'keep' | 'all' | 'authority' | 'serving';

/**
 * Returns the next step. A new authority and a certificate of it are never issued in one step, so that an authority can
 * be distributed before a certificate that it signed is served.
 */
export function planRenewal(
  stored: StoredCertificates | undefined,
  dnsNames: readonly string[],
  now: number,
): RenewalStep {
  const parsed = stored && parse(stored);
  const signer = parsed?.authorities[0];
  if (parsed === undefined || signer === undefined || !isValid(signer, now)) return 'all';
  const { authorities, serving } = parsed;
  const isTrusted =
    serving !== undefined &&
    isValid(serving, now) &&
    dnsNames.every((name) => serving.checkHost(name) !== undefined) &&
    authorities.some((authority) => isValid(authority, now) && serving.verify(authority.publicKey));
  if (!isTrusted) return 'serving';
  if (remaining(signer, now) < renewAuthorityBeforeMs) return 'authority';
  return remaining(serving, now) < renewServingBeforeMs ? 'serving' : 'keep';
}

/** Returns the authorities of a bundle that are still valid, in PEM. */
export function validAuthorities(bundle: string, now: number): string[] {
  return splitBundle(bundle).filter((pem) => isValid(readCertificate(pem), now));
}

/** Splits a bundle into its certificates, in PEM. */
export function splitBundle(bundle: string): string[] {
  return bundle.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];
}

function parse({ authorities, authorityKey, cert, key }: StoredCertificates) {
  if (!isShort(authorities, authorityKey)) return undefined;
  try {
    const all = splitBundle(authorities).map(readCertificate);
    const [signer] = all;
    const signingKey = readPrivateKey(authorityKey);
    if (signer?.checkPrivateKey(signingKey) !== true || !canIssue(signer, signingKey)) return undefined;
    return { authorities: all, serving: parseServing(cert, key) };
  } catch {
    return undefined;
  }
}

/** Returns whether certificates can be issued by an authority: clients accept only those of an authority, and `issueServing` has one curve. */
function canIssue({ ca }: X509Certificate, { asymmetricKeyDetails }: KeyObject): boolean {
  return ca && asymmetricKeyDetails?.namedCurve === 'prime256v1';
}

function isShort(certificates: string, key: string): boolean {
  return certificates.length <= longest.certificates && key.length <= longest.key;
}

function parseServing(cert: string, key: string): X509Certificate | undefined {
  if (!isShort(cert, key)) return undefined;
  try {
    const serving = readCertificate(cert);
    return serving.checkPrivateKey(readPrivateKey(key)) ? serving : undefined;
  } catch {
    return undefined;
  }
}

function isValid({ validFrom, validTo }: X509Certificate, now: number): boolean {
  return Date.parse(validFrom) <= now && now < Date.parse(validTo);
}

function remaining({ validTo }: X509Certificate, now: number): number {
  return Date.parse(validTo) - now;
}
