import { generateKeyPair } from 'node:crypto';
import { promisify } from 'node:util';
import { loopback } from './arguments.js';

/** The certificates and keys of the processes of a run, in PEM. */
export interface Credentials {
  ca: string;
  serving: KeyPair;
  /** Client certificate of the group `system:masters`. */
  admin: KeyPair;
  serviceAccounts: { publicKey: string; key: string };
}

interface KeyPair {
  certificate: string;
  key: string;
}

const hourMs = 60 * 60 * 1000;
const validMs = 30 * 24 * hourMs;
const servingNames = ['localhost', 'kubernetes', 'kubernetes.default', 'kubernetes.default.svc'];

/**
 * Returns new credentials (EC P-256, 30 days): an authority, a serving certificate for the loopback address and a
 * client certificate of an administrator, both issued by the authority, and the keys of service account tokens.
 */
export async function createCredentials(now = Date.now()): Promise<Credentials> {
  const { generate } = await import('./selfsigned.js');
  const common = {
    keyType: 'ec',
    curve: 'P-256',
    algorithm: 'sha256',
    notBeforeDate: new Date(now - hourMs),
    notAfterDate: new Date(now + validMs),
  } as const;
  const ca = await generate([{ name: 'commonName', value: `envtest-ca-${now}` }], {
    ...common,
    extensions: [
      { name: 'basicConstraints', cA: true, critical: true },
      { name: 'keyUsage', keyCertSign: true, digitalSignature: true, critical: true },
    ],
  });
  const issuer = { key: ca.private, cert: ca.cert };
  const keyUsage = { name: 'keyUsage', digitalSignature: true, critical: true } as const;
  const serving = await generate([{ name: 'commonName', value: 'kube-apiserver' }], {
    ...common,
    ca: issuer,
    extensions: [
      keyUsage,
      { name: 'extKeyUsage', serverAuth: true },
      {
        name: 'subjectAltName',
        altNames: [
          ...servingNames.map((value) => ({ type: 2, value }) as const),
          { type: 7, ip: loopback } as const,
        ],
      },
    ],
  });
  const admin = await generate(
    [
      { name: 'commonName', value: 'envtest-admin' },
      { name: 'organizationName', value: 'system:masters' },
    ],
    { ...common, ca: issuer, extensions: [keyUsage, { name: 'extKeyUsage', clientAuth: true }] },
  );
  return {
    ca: ca.cert,
    serving: { certificate: serving.cert, key: serving.private },
    admin: { certificate: admin.cert, key: admin.private },
    serviceAccounts: await createTokenKeys(),
  };
}

async function createTokenKeys(): Promise<Credentials['serviceAccounts']> {
  const { publicKey, privateKey } = await promisify(generateKeyPair)('ec', {
    namedCurve: 'P-256',
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'sec1', format: 'pem' },
  });
  return { publicKey, key: privateKey };
}
