import type { ServingCertificate } from './types.js';

const dayMs = 24 * 60 * 60 * 1000;
/** Certificates are backdated because the clocks of API servers may lag behind. */
const backdateMs = 60 * 60 * 1000;
const authorityLifetimeMs = 10 * 365 * dayMs;
const servingLifetimeMs = 90 * dayMs;

const common = { keyType: 'ec', curve: 'P-256', algorithm: 'sha256' } as const;

function validity(now: number, lifetimeMs: number) {
  return { notBeforeDate: new Date(now - backdateMs), notAfterDate: new Date(now + lifetimeMs) };
}

/**
 * Returns a new certificate authority (EC P-256, ten years). Each has a distinct name, so that several can be trusted
 * at once.
 */
export async function issueAuthority(name: string, now: number): Promise<ServingCertificate> {
  /* Loaded on demand, because most starts find a certificate and issue none. */
  const { generate } = await import('./selfsigned.js');
  const issued = await generate([{ name: 'commonName', value: `${name}-ca-${now}` }], {
    ...common,
    ...validity(now, authorityLifetimeMs),
    extensions: [
      { name: 'basicConstraints', cA: true, pathLenConstraint: 0, critical: true },
      { name: 'keyUsage', keyCertSign: true, cRLSign: true, critical: true },
    ],
  });
  return { cert: issued.cert, key: issued.private };
}

/** Returns a new certificate (EC P-256, 90 days) of an authority for a server with these DNS names. */
export async function issueServing(
  authority: ServingCertificate,
  dnsNames: readonly [string, ...string[]],
  now: number,
): Promise<ServingCertificate> {
  const { generate } = await import('./selfsigned.js');
  const issued = await generate([{ name: 'commonName', value: dnsNames[0] }], {
    ...common,
    ...validity(now, servingLifetimeMs),
    ca: authority,
    extensions: [
      { name: 'basicConstraints', cA: false, critical: true },
      { name: 'keyUsage', digitalSignature: true, critical: true },
      { name: 'extKeyUsage', serverAuth: true },
      { name: 'subjectAltName', altNames: dnsNames.map((value) => ({ type: 2, value }) as const) },
    ],
  });
  return { cert: issued.cert, key: issued.private };
}
