import { beforeAll, describe, expect, test } from '@jest/globals';
import { generate } from 'selfsigned';
import { issueAuthority, issueServing } from './issue.js';
import { planRenewal, splitBundle, validAuthorities, type StoredCertificates } from './plan.js';

const day = 24 * 60 * 60 * 1000;
const start = Date.UTC(2026, 0, 1);
const names = ['hook.apps.svc', 'hook.apps.svc.cluster.local'] as const;
/** A certificate that contains the description of its elliptic curve, which has a name (secp112r1). */
const unnamed = [
  '-----BEGIN CERTIFICATE-----',
  'MIIBUDCCARwCFFS3hTx/ooGAvVUGn2+gxa+62alzMAkGByqGSM49BAEwDDEKMAgG',
  'A1UEAwwBYTAgFw0yNjExMjcxODUxMzRaGA8yMTI2MTEwMzE4NTEzNFowDDEKMAgG',
  'A1UEAwwBYTCBujCBlwYHKoZIzj0CATCBiwIBATAaBgcqhkjOPQEBAg8A23wqv2Lj',
  'XmaAdr6tIIswNwQO23wqv2LjXmaAdr6tIIgEDmWe+LoEORbu3okRcCsiAxUAAPUL',
  'Ao5NaW5naHVhUXUpBHJ4P7EEHQQJSHI5mVpe52tV+cLwmKic5a+HJMCiPg4P93UA',
  'Ag8A23wqv2LjXnYo36xlYcUCAQEDHgAESRvoJ4m8zvsxpI+/tH4SO/Bvs3kBh5m/',
  'J1HISDAJBgcqhkjOPQQBAyMAMCACDjsW0jdtfYvEe+fI9k90Ag5w4ULyOAzNbdYA',
  'QCbuIg==',
  '-----END CERTIFICATE-----',
].join('\n');

let stored: StoredCertificates;
let other: StoredCertificates;
/** An authority with an RSA key that a user has stored. */
let foreign: StoredCertificates;
/** A certificate that is not an authority, and that has signed itself. */
let leaf: StoredCertificates;

async function issue(now: number): Promise<StoredCertificates> {
  const authority = await issueAuthority('hook', now);
  const serving = await issueServing(authority, [...names], now);
  return { authorities: authority.cert, authorityKey: authority.key, ...serving };
}

/** Returns an authority that serves itself. */
async function selfSigned(options: Parameters<typeof generate>[1], cA: boolean): Promise<StoredCertificates> {
  const altNames = names.map((value) => ({ type: 2, value }) as const);
  const { cert, private: key } = await generate([{ name: 'commonName', value: 'own' }], {
    ...options,
    algorithm: 'sha256',
    notBeforeDate: new Date(start),
    notAfterDate: new Date(start + 3650 * day),
    extensions: [
      { name: 'basicConstraints', cA, critical: true },
      { name: 'subjectAltName', altNames },
    ],
  });
  return { authorities: cert, authorityKey: key, cert, key };
}

/** Returns valid certificates, one of which has a long text after it: OpenSSL may take hours to read a long key. */
const long = (part: keyof StoredCertificates): StoredCertificates => ({
  ...stored,
  [part]: stored[part] + 'x'.repeat(part.endsWith('ey') ? 1_000 : 20_000),
});

beforeAll(async () => {
  stored = await issue(start);
  other = await issue(start + 1);
  foreign = await selfSigned({ keyType: 'rsa', keySize: 2048 }, true);
  leaf = await selfSigned({ keyType: 'ec', curve: 'P-256' }, false);
});

describe('the next step', () => {
  test.each([
    ['the certificate is new', 0, 'keep'],
    ['the certificate is not due yet', 59, 'keep'],
    ['the certificate is due', 61, 'serving'],
    ['the certificate has expired', 91, 'serving'],
    ['the certificate has expired, and the authority is not due yet', 3280, 'serving'],
    ['the authority has expired', 3651, 'all'],
    ['the certificates are not valid yet', -1, 'all'],
  ])('is planned correctly when %s', (_when, days, step) => {
    expect(planRenewal(stored, names, start + days * day)).toBe(step);
  });

  test('adds a new authority a year before the old authority expires, if certificates of the old authority can be served', async () => {
    const now = start + (3650 - 364) * day;
    const authority = { cert: stored.authorities, key: stored.authorityKey };
    const fresh = { ...stored, ...(await issueServing(authority, [...names], now)) };
    expect(planRenewal(fresh, names, now - 2 * day)).toBe('serving');
    expect(planRenewal(fresh, names, now)).toBe('authority');
  });

  test.each<[string, () => StoredCertificates | undefined, string]>([
    ['nothing is stored', () => undefined, 'all'],
    [
      'the stored data is not PEM',
      () => ({ authorities: 'x', authorityKey: 'x', cert: 'x', key: 'x' }),
      'all',
    ],
    ['the authority has another key', () => ({ ...stored, authorityKey: other.authorityKey }), 'all'],
    ['the authority has a key of another type, with which nothing can be issued', () => foreign, 'all'],
    ['the authority is not allowed to sign certificates', () => leaf, 'all'],
    ['the certificate has another key', () => ({ ...stored, key: other.key }), 'serving'],
    ['the certificate is not PEM', () => ({ ...stored, cert: '' }), 'serving'],
    [
      'another authority signed the certificate',
      () => ({ ...stored, cert: other.cert, key: other.key }),
      'serving',
    ],
    [
      'a second, trusted authority signed the certificate',
      () => ({
        ...other,
        ...{ cert: stored.cert, key: stored.key },
        authorities: other.authorities + stored.authorities,
      }),
      'keep',
    ],
    ['the key of the authority is too long to be read', () => long('authorityKey'), 'all'],
    ['there are too many authorities to check', () => long('authorities'), 'all'],
    [
      'OpenSSL has to calculate the points of an authority',
      () => ({ ...stored, authorities: stored.authorities + unnamed }),
      'all',
    ],
    ['the key of the certificate is too long to be read', () => long('key'), 'serving'],
    ['the certificate is too long to be read', () => long('cert'), 'serving'],
  ])('replaces only what cannot be used when %s', (_when, given, step) => {
    expect(planRenewal(given(), names, start + day)).toBe(step);
  });

  test('issues another certificate when the stored certificate lacks a DNS name', () => {
    expect(planRenewal(stored, [...names, 'other.apps.svc'], start)).toBe('serving');
  });
});

test('removes expired authorities from a bundle', async () => {
  const younger = await issueAuthority('younger', start + 100 * day);
  const bundle = `${younger.cert}\n${stored.authorities}`;
  expect(splitBundle(bundle)).toHaveLength(2);
  expect(validAuthorities(bundle, start + 200 * day)).toHaveLength(2);
  expect(validAuthorities(bundle, start + 3700 * day)).toEqual(splitBundle(younger.cert));
});
