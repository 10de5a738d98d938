import { generate } from 'selfsigned';

const hourMs = 60 * 60 * 1000;
const dayMs = 24 * hourMs;

/** A serving certificate with its key, and the authority that issued it, all PEM. */
export interface ServingCertificate {
  authority: string;
  certificate: string;
  key: string;
}

/** Returns a function that issues one certificate for the Services of each namespace (`*.<namespace>.svc`). */
export function certificatesOfNamespaces(): (namespace: string) => Promise<ServingCertificate> {
  const issued = new Map<string, Promise<ServingCertificate>>();
  return (namespace) => {
    const certificate = issued.get(namespace) ?? issueCertificate(`*.${namespace}.svc`);
    issued.set(namespace, certificate);
    return certificate;
  };
}

/** Issues a certificate for a DNS name with a new authority (EC P-256), valid for a day around the current time. */
export async function issueCertificate(dnsName: string): Promise<ServingCertificate> {
  const now = Date.now();
  const common = {
    keyType: 'ec',
    curve: 'P-256',
    algorithm: 'sha256',
    notBeforeDate: new Date(now - hourMs),
    notAfterDate: new Date(now + dayMs),
  } as const;
  const authority = await generate([{ name: 'commonName', value: `conformance-ca-${now}` }], {
    ...common,
    extensions: [
      { name: 'basicConstraints', cA: true, critical: true },
      { name: 'keyUsage', keyCertSign: true, digitalSignature: true, critical: true },
    ],
  });
  const serving = await generate([{ name: 'commonName', value: 'conformance' }], {
    ...common,
    ca: { key: authority.private, cert: authority.cert },
    extensions: [
      { name: 'basicConstraints', cA: false, critical: true },
      { name: 'keyUsage', digitalSignature: true, critical: true },
      { name: 'extKeyUsage', serverAuth: true },
      { name: 'subjectAltName', altNames: [{ type: 2, value: dnsName }] },
    ],
  });
  return { authority: authority.cert, certificate: serving.cert, key: serving.private };
}
