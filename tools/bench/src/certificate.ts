import { generate } from 'selfsigned';

const dayMs = 86_400_000;

/** Returns a self-signed certificate for this machine, in PEM. */
export async function createCertificate(): Promise<{ cert: string; key: string }> {
  const { cert, private: key } = await generate([{ name: 'commonName', value: 'localhost' }], {
    keyType: 'ec',
    curve: 'P-256',
    algorithm: 'sha256',
    notBeforeDate: new Date(Date.now() - dayMs),
    notAfterDate: new Date(Date.now() + dayMs),
    extensions: [
      { name: 'basicConstraints', cA: true, critical: true },
      { name: 'keyUsage', keyCertSign: true, digitalSignature: true, critical: true },
      { name: 'extKeyUsage', serverAuth: true },
      { name: 'subjectAltName', altNames: [{ type: 7, ip: '127.0.0.1' }] },
    ],
  });
  return { cert, key };
}
