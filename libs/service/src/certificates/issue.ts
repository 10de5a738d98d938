import { createPrivateKey, createPublicKey, KeyObject, webcrypto } from 'node:crypto';
import type * as X509 from '@peculiar/x509';
import type { ServingCertificate } from './types.js';

const dayMs = 24 * 60 * 60 * 1000;
/** Certificates are backdated because the clocks of API servers may lag behind. */
const backdateMs = 60 * 60 * 1000;
const authorityLifetimeMs = 10 * 365 * dayMs;
const servingLifetimeMs = 90 * dayMs;

const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;

interface Keys {
  publicKey: webcrypto.CryptoKey;
  privateKey: webcrypto.CryptoKey;
}

/** What distinguishes one certificate from another. */
interface Contents {
  subject: string;
  issuer: string;
  keys: Keys;
  issuerKeys: Keys;
  now: number;
  lifetimeMs: number;
  extensions: X509.Extension[];
}

/** Loaded on demand, because most starts find a certificate and issue none. */
const x509 = (): Promise<typeof X509> => import('@peculiar/x509');

/**
 * Returns a new certificate authority (EC P-256, ten years). Each has a distinct name, so that several can be trusted
 * at once.
 */
export async function issueAuthority(name: string, now: number): Promise<ServingCertificate> {
  const { BasicConstraintsExtension, KeyUsageFlags, KeyUsagesExtension } = await x509();
  const keys = await newKeys();
  const subject = `CN=${name}-ca-${now}`;
  const extensions = [
    new BasicConstraintsExtension(true, 0, true),
    new KeyUsagesExtension(KeyUsageFlags.keyCertSign | KeyUsageFlags.cRLSign, true),
  ];
  return issue({
    ...{ subject, issuer: subject, keys, issuerKeys: keys },
    ...{ now, lifetimeMs: authorityLifetimeMs, extensions },
  });
}

/** Returns a new certificate (EC P-256, 90 days) of an authority, whose key is one of EC P-256, for a server with these DNS names. */
export async function issueServing(
  authority: ServingCertificate,
  dnsNames: readonly [string, ...string[]],
  now: number,
): Promise<ServingCertificate> {
  const types = await x509();
  const { KeyUsageFlags, ExtendedKeyUsage } = types;
  const extensions = [
    new types.BasicConstraintsExtension(false, undefined, true),
    new types.KeyUsagesExtension(KeyUsageFlags.digitalSignature, true),
    new types.ExtendedKeyUsageExtension([ExtendedKeyUsage.serverAuth]),
    new types.SubjectAlternativeNameExtension(dnsNames.map((value) => ({ type: 'dns', value }))),
  ];
  /* Clients compare the DNS names. A common name has at most 64 characters (RFC 5280, appendix A.1); the name of a Service fits. */
  const [service] = dnsNames[0].split('.', 1);
  return issue({
    ...{ subject: `CN=${service}`, issuer: new types.X509Certificate(authority.cert).subject },
    ...{ keys: await newKeys(), issuerKeys: await importKeys(authority.key) },
    ...{ now, lifetimeMs: servingLifetimeMs, extensions },
  });
}

/**
 * Signs a certificate. Clients that check certificates strictly, such as Python since 3.13, refuse one without the identifiers of
 * its key and of the key of its issuer (RFC 5280, 4.2.1.1 and 4.2.1.2).
 */
async function issue(contents: Contents): Promise<ServingCertificate> {
  const { subject, issuer, keys, issuerKeys, now, lifetimeMs, extensions } = contents;
  const types = await x509();
  const parameters: Parameters<typeof X509.X509CertificateGenerator.create>[0] = {
    ...{ subject, issuer, publicKey: keys.publicKey, signingKey: issuerKeys.privateKey },
    signingAlgorithm: algorithm,
    notBefore: new Date(now - backdateMs),
    notAfter: new Date(now + lifetimeMs),
    extensions: [
      ...extensions,
      await types.SubjectKeyIdentifierExtension.create(keys.publicKey),
      await types.AuthorityKeyIdentifierExtension.create(issuerKeys.publicKey),
    ],
  };
  const certificate = await types.X509CertificateGenerator.create(parameters);
  const key = KeyObject.from(keys.privateKey).export({ type: 'pkcs8', format: 'pem' });
  return { cert: `${certificate.toString('pem')}\n`, key: key.toString() };
}

function newKeys(): Promise<Keys> {
  return webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
}

async function importKeys(pem: string): Promise<Keys> {
  const key = createPrivateKey(pem);
  const pkcs8 = key.export({ type: 'pkcs8', format: 'der' });
  const spki = createPublicKey(key).export({ type: 'spki', format: 'der' });
  return {
    privateKey: await webcrypto.subtle.importKey('pkcs8', pkcs8, algorithm, true, ['sign']),
    publicKey: await webcrypto.subtle.importKey('spki', spki, algorithm, true, ['verify']),
  };
}
