import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { readClusterEntry } from './cluster-entry.js';

const pem = '-----BEGIN CERTIFICATE-----';
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'cluster-entry-'));
  await writeFile(join(folder, 'ca.crt'), pem);
});
afterAll(() => rm(folder, { recursive: true }));

const cluster = (name: string, fields: object) => ({
  name,
  cluster: { server: `https://${name}.example:6443`, ...fields },
});
const kubeconfig = (...clusters: ReturnType<typeof cluster>[]) => ({
  clusters,
  users: [{ name: 'admin', user: { token: 'secret' } }],
  contexts: clusters.map(({ name }) => ({ name: `to-${name}`, context: { cluster: name, user: 'admin' } })),
  'current-context': `to-${clusters[0]?.name ?? ''}`,
});

test('returns the cluster of the current context, without credentials', () => {
  const authority = Buffer.from(pem).toString('base64');
  const config = kubeconfig(cluster('a', { 'certificate-authority-data': authority }), cluster('b', {}));
  expect(readClusterEntry(config)).toEqual({
    context: 'to-a',
    server: 'https://a.example:6443',
    cluster: { server: 'https://a.example:6443', 'certificate-authority-data': authority },
  });
});

test('returns the cluster of another context, with its TLS name and its proxy', () => {
  const fields = { 'tls-server-name': 'kubernetes', 'proxy-url': 'http://proxy.example:3128' };
  const config = kubeconfig(cluster('a', {}), cluster('b', fields));
  expect(readClusterEntry(config, 'to-b')).toMatchObject({
    context: 'to-b',
    cluster: { server: 'https://b.example:6443', ...fields },
  });
});

test('reads the certificate authority from a file with a path relative to the kubeconfig', async () => {
  const path = join(folder, 'config');
  await writeFile(path, JSON.stringify(kubeconfig(cluster('a', { 'certificate-authority': 'ca.crt' }))));
  expect(readClusterEntry(path).cluster['certificate-authority-data']).toBe(
    Buffer.from(pem).toString('base64'),
  );
});

test('keeps the verification of certificates disabled', () => {
  const config = kubeconfig(cluster('a', { 'insecure-skip-tls-verify': true }));
  expect(readClusterEntry(config).cluster['insecure-skip-tls-verify']).toBe(true);
});

test('refuses a context that the kubeconfig does not have, and lists the existing contexts', () => {
  expect(() => readClusterEntry(kubeconfig(cluster('a', {})), 'elsewhere')).toThrow(
    'the kubeconfig has no context "elsewhere"; it has to-a',
  );
});

test('refuses a certificate authority that cannot be read', () => {
  const config = kubeconfig(cluster('a', { 'certificate-authority': join(folder, 'none.crt') }));
  expect(() => readClusterEntry(config)).toThrow('certificate authority cannot be read');
});
