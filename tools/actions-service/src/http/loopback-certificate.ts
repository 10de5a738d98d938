import { randomBytes } from 'node:crypto';

/** A certificate for the loopback interface, and the authority that issued it; PEM. */
export interface LoopbackCertificate {
  ca: string;
  cert: string;
  key: string;
}

const dayMs = 86_400_000;

/** Returns a new certificate for an address and host names, valid for a year before and after `now`, so that tests can move their clocks. */
export async function createLoopbackCertificate(
  now: number,
  address: string,
  names: readonly string[],
): Promise<LoopbackCertificate> {
  /* Loaded on demand, because loading takes longer than running. */
  const { generate } = await import('./selfsigned.js');
  const common = {
    keyType: 'ec',
    curve: 'P-256',
    algorithm: 'sha256',
    notBeforeDate: new Date(now - 365 * dayMs),
    notAfterDate: new Date(now + 365 * dayMs),
  } as const;
  /* Two authorities of the same name cannot be trusted together. */
  const value = `actions-service ${randomBytes(4).toString('hex')}`;
  const authority = await generate([{ name: 'commonName', value }], {
    ...common,
    extensions: [
      { name: 'basicConstraints', cA: true, critical: true },
      { name: 'keyUsage', keyCertSign: true, digitalSignature: true, critical: true },
    ],
  });
  const serving = await generate([{ name: 'commonName', value: 'localhost' }], {
    ...common,
    ca: { key: authority.private, cert: authority.cert },
    extensions: [
      { name: 'basicConstraints', cA: false, critical: true },
      { name: 'keyUsage', digitalSignature: true, critical: true },
      { name: 'extKeyUsage', serverAuth: true },
      {
        name: 'subjectAltName',
        altNames: [...names.map((value) => ({ type: 2, value }) as const), { type: 7, ip: address }],
      },
    ],
  });
  return { ca: authority.cert, cert: serving.cert, key: serving.private };
}
