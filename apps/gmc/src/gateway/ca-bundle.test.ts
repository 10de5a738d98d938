import { rootCertificates } from 'node:tls';
import { describe, expect, it } from '@jest/globals';
import { TypedError } from '@interlock/api';
import { isProblem } from '@interlock/base';
import type { Client } from '@interlock/kube';
import { gatewayOf } from '../testing/builders.js';
import { checkCaBundle, readCaBundle } from './ca-bundle.js';

const [first = '', second = ''] = rootCertificates;
const check = (text: string) => checkCaBundle(Buffer.from(text), 'key ca.crt');
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

describe('checkCaBundle', () => {
  it('counts certificates, and ignores the text around them in the digest', () => {
    const bundle = check(`${first}\n${second}`);
    expect(bundle).toMatchObject({ certificates: 2 });
    expect(check(`# root\n${first}\n\n# other\n${second}\n`)).toEqual(bundle);
    expect(check(first)).not.toMatchObject({ digest: isProblem(bundle) ? '' : bundle.digest });
  });

  it.each([
    ['an empty text', '', 'does not contain a complete certificate'],
    ['a text that is not a certificate', 'not a certificate', 'does not contain a complete certificate'],
    [
      'a certificate without its first line',
      `${first}\n${second.slice(5)}`,
      'does not contain a complete certificate',
    ],
    [
      'a certificate without its last line',
      `${first}\n${second.slice(0, -30)}`,
      'does not contain a complete certificate',
    ],
    [
      'a damaged certificate',
      `${first}\n${second.replace('MII', 'AAA')}`,
      'certificate 2 of key ca.crt cannot be read',
    ],
    [
      'a certificate with a curve of its own, on which OpenSSL calculates',
      `${first}\n${unnamed}`,
      'certificate 2 of key ca.crt cannot be read (its elliptic curve has no name; use a named curve',
    ],
    ['a private key', `${first}\n-----BEGIN PRIVATE KEY-----\nA`, 'contains a private key'],
    ['a text that is too large', `${first}\n${'#'.repeat(256 * 1024)}`, 'bytes at most'],
  ])('refuses %s', (_, text, message) => {
    const problem = check(text);
    expect(problem).toMatchObject({ reason: 'CABundleInvalid', message: expect.stringContaining(message) });
    expect(JSON.stringify(problem)).not.toContain(first.slice(100, 140));
  });
});

describe('readCaBundle', () => {
  const reads: string[] = [];
  const clientWith = (data: Record<string, string> | undefined): Pick<Client, 'get'> => ({
    get: (kind, { namespace, name }) => {
      reads.push(`${kind.kind} ${namespace ?? ''}/${name}`);
      return data === undefined
        ? Promise.reject(new TypedError('NotFound', 'it does not exist'))
        : Promise.resolve({ apiVersion: 'v1', kind: kind.kind, metadata: { name }, data } as never);
    },
  });
  const read = (kind: 'ConfigMap' | 'Secret', data: Record<string, string> | undefined) =>
    readCaBundle(
      clientWith(data),
      gatewayOf({ gitHubCABundleRef: { kind, name: 'ghes', key: 'root.pem' } }),
      AbortSignal.timeout(1_000),
    );

  it('reads a ConfigMap or a Secret in the namespace of the gateway', async () => {
    const data = { 'root.pem': Buffer.from(first).toString('base64') };
    expect(await read('Secret', data)).toMatchObject({ certificates: 1 });
    expect(await read('ConfigMap', { 'root.pem': first })).toMatchObject({ certificates: 1 });
    expect(reads).toEqual(['Secret team-a/ghes', 'ConfigMap team-a/ghes']);
  });

  it('names the object or the key that is missing', async () => {
    expect(await read('ConfigMap', undefined)).toMatchObject({
      reason: 'CABundleNotFound',
      message:
        'ConfigMap team-a/ghes of spec.gitHubCABundleRef does not exist; create it with the key root.pem',
    });
    expect(await read('Secret', { 'ca.crt': '' })).toMatchObject({
      reason: 'CABundleNotFound',
      message:
        'Secret team-a/ghes of spec.gitHubCABundleRef has no key root.pem; add it, or correct spec.gitHubCABundleRef.key',
    });
  });

  it('reads nothing for a gateway without gitHubCABundleRef', async () => {
    expect(await readCaBundle(clientWith({}), gatewayOf(), AbortSignal.timeout(1_000))).toBeUndefined();
  });
});
