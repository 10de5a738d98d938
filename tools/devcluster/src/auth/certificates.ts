import { X509Certificate } from 'node:crypto';

/** A certificate authority and a serving certificate that it issued, all PEM; a plain value that can be stored. */
export interface Certificates {
  caCert: string;
  cert: string;
  key: string;
}

const dayMs = 24 * 60 * 60 * 1000;
const validMs = 365 * dayMs;
/** The clocks of clients may be behind. */
const backdateMs = 5 * 60 * 1000;
const shortNames = [
  'localhost',
  'kubernetes',
  'kubernetes.default',
  'kubernetes.default.svc',
  'kubernetes.default.svc.cluster.local',
];
const addresses = ['127.0.0.1', '::1'];

/** Returns new certificates (EC P-256, one year) for loopback addresses and names; default: the API service's names. */
export async function createCertificates(
  now: Date,
  names: readonly string[] = shortNames,
): Promise<Certificates> {
  /* Loaded on demand: it takes longer to load than to run, and stored certificates need none of it. */
  const { generate } = await import('./selfsigned.js');
  const common = {
    keyType: 'ec',
    curve: 'P-256',
    algorithm: 'sha256',
    notBeforeDate: new Date(now.getTime() - backdateMs),
    notAfterDate: new Date(now.getTime() + validMs),
  } as const;
  const ca = await generate([{ name: 'commonName', value: `devcluster-ca-${String(now.getTime())}` }], {
    ...common,
    extensions: [
      { name: 'basicConstraints', cA: true, critical: true },
      { name: 'keyUsage', keyCertSign: true, digitalSignature: true, critical: true },
    ],
  });
  const serving = await generate([{ name: 'commonName', value: 'kube-apiserver' }], {
    ...common,
    ca: { key: ca.private, cert: ca.cert },
    extensions: [
      { name: 'basicConstraints', cA: false, critical: true },
      { name: 'keyUsage', digitalSignature: true, critical: true },
      { name: 'extKeyUsage', serverAuth: true },
      {
        name: 'subjectAltName',
        altNames: [
          ...names.map((value) => ({ type: 2, value }) as const),
          ...addresses.map((ip) => ({ type: 7, ip }) as const),
        ],
      },
    ],
  });
  return { caCert: ca.cert, cert: serving.cert, key: serving.private };
}

/** Returns the stored certificates if they are valid for another day, otherwise new ones. */
export async function ensureCertificates(stored: Certificates | undefined, now: Date): Promise<Certificates> {
  return stored !== undefined && areUsable(stored, now) ? stored : createCertificates(now);
}

function areUsable({ caCert, cert }: Certificates, now: Date): boolean {
  try {
    const ca = new X509Certificate(caCert);
    const serving = new X509Certificate(cert);
    const until = now.getTime() + dayMs;
    const lasts = [ca, serving].every(
      ({ validFrom, validTo }) => Date.parse(validFrom) <= now.getTime() && Date.parse(validTo) >= until,
    );
    return lasts && serving.verify(ca.publicKey);
  } catch {
    return false;
  }
}
