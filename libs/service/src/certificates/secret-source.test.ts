import { X509Certificate } from 'node:crypto';
import { FakeClock } from '@interlock/base/testing';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { startDevCluster, type DevCluster } from '@interlock/devcluster';
import {
  ConfigMap,
  controllerReference,
  createClient,
  MutatingWebhookConfiguration,
  Secret,
  ValidatingWebhookConfiguration,
  type Client,
} from '@interlock/kube';
import { eventually } from '@interlock/kube/testing';
import { parse } from 'yaml';
import { createLogger } from '../logging/logger.js';
import { splitBundle } from './plan.js';
import { secretCertificates } from './secret-source.js';
import { keepCertificates } from './stored.js';
import type { CertificateSource } from './types.js';

const dayMs = 24 * 60 * 60 * 1000;
const secret = { namespace: 'default', name: 'hook-certificates' };
const configurations = { mutating: ['hook'], validating: ['hook'] };
const log = createLogger({ component: 'test', destination: { write: () => undefined } });

let cluster: DevCluster;
let client: Client;
let clock: FakeClock;
let stop: AbortController;
let runs: Promise<void>[];

beforeAll(async () => {
  cluster = await startDevCluster();
  const kubeConfig = parse(cluster.kubeconfig) as object;
  client = createClient({ kubeConfig, userAgent: 'test', defaultFieldManager: 'test' });
});
afterAll(async () => {
  await client.close();
  await cluster.close();
});

beforeEach(async () => {
  clock = new FakeClock(Date.now());
  stop = new AbortController();
  runs = [];
  const webhooks = ['a.hook.test.dev', 'b.hook.test.dev'].map((name) => ({
    name,
    clientConfig: { service: { namespace: 'default', name: 'hook' } },
    sideEffects: 'None',
    admissionReviewVersions: ['v1'],
  }));
  await client.create(MutatingWebhookConfiguration, { metadata: { name: 'hook' }, webhooks });
  await client.create(ValidatingWebhookConfiguration, { metadata: { name: 'hook' }, webhooks });
});
afterEach(async () => {
  stop.abort();
  await Promise.all(runs);
  await client.delete(MutatingWebhookConfiguration, { name: 'hook' });
  await client.delete(ValidatingWebhookConfiguration, { name: 'hook' });
  await client.delete(Secret, secret);
});

function replica(): CertificateSource {
  const source = secretCertificates({
    client,
    clock,
    log,
    secret,
    dnsNames: ['hook.default.svc'],
    configurations,
  });
  runs.push(source.run(stop.signal));
  return source;
}

async function read(key: string): Promise<string> {
  const { data } = await client.get(Secret, secret);
  return Buffer.from(data?.[key] ?? '', 'base64').toString('utf8');
}

async function bundles(): Promise<string[]> {
  const [mutating, validating] = await Promise.all([
    client.get(MutatingWebhookConfiguration, { name: 'hook' }),
    client.get(ValidatingWebhookConfiguration, { name: 'hook' }),
  ]);
  return [...(mutating.webhooks ?? []), ...(validating.webhooks ?? [])].map(({ clientConfig }) =>
    Buffer.from(clientConfig.caBundle ?? '', 'base64').toString('utf8'),
  );
}

/** Advances the clock from one check to the next until the assertion passes. */
async function later(check: () => Promise<void> | void): Promise<void> {
  await eventually(async () => {
    await clock.advance(20_000);
    await check();
  });
}

describe('a source of certificates in a Secret', () => {
  test('issues certificates once, and all replicas use them', async () => {
    const replicas = [replica(), replica(), replica()];
    await later(() => {
      for (const source of replicas) expect(source.current()?.cert).toBeDefined();
      expect(new Set(replicas.map((source) => source.current()?.cert)).size).toBe(1);
    });
    const cert = await read('tls.crt');
    expect(replicas[0]?.current()).toEqual({ cert, key: await read('tls.key') });
    const authority = await read('ca.crt');
    expect(await bundles()).toEqual([authority, authority, authority, authority]);
    const serving = new X509Certificate(cert);
    expect(serving.verify(new X509Certificate(authority).publicKey)).toBe(true);
    expect(serving.checkHost('hook.default.svc')).toBe('hook.default.svc');
    const { metadata } = await client.get(MutatingWebhookConfiguration, { name: 'hook' });
    expect(metadata.managedFields).toContainEqual(
      expect.objectContaining({ manager: 'test', operation: 'Apply' }),
    );
  });

  test('restores the trust when the authority is removed from a configuration', async () => {
    const source = replica();
    await later(() => expect(source.current()).toBeDefined());
    const authority = await read('ca.crt');
    await client.patch(
      MutatingWebhookConfiguration,
      { name: 'hook' },
      { type: 'json', patch: [{ op: 'remove', path: '/webhooks/1/clientConfig/caBundle' }] },
    );
    await later(async () => expect(await bundles()).toEqual([authority, authority, authority, authority]));
  });

  test('keeps the authority of configurations that another component manages', async () => {
    const annotations = { 'admission.interlock.dev/ca-bundle': 'external' };
    const patch = { type: 'merge', patch: { metadata: { annotations } } } as const;
    for (const kind of [MutatingWebhookConfiguration, ValidatingWebhookConfiguration])
      await client.patch(kind as typeof MutatingWebhookConfiguration, { name: 'hook' }, patch);
    const source = replica();
    await later(() => expect(source.current()).toBeDefined());
    expect(await bundles()).toEqual(['', '', '', '']);
    const none = { metadata: { annotations: null } };
    await client.patch(MutatingWebhookConfiguration, { name: 'hook' }, { type: 'merge', patch: none });
    const authority = await read('ca.crt');
    await later(async () => expect(await bundles()).toEqual([authority, authority, '', '']));
  });

  test('renews certificates with the same authority, and all replicas use them', async () => {
    const replicas = [replica(), replica()];
    await later(() => {
      for (const source of replicas) expect(source.current()).toBeDefined();
    });
    const [before, authority] = [await read('tls.crt'), await read('ca.crt')];
    const seen: string[] = [];
    replicas[0]?.onChange(({ cert }) => seen.push(cert));
    await clock.advance(61 * dayMs);
    await later(async () => {
      const renewed = await read('tls.crt');
      expect(renewed).not.toBe(before);
      for (const source of replicas) expect(source.current()?.cert).toBe(renewed);
    });
    expect(await read('ca.crt')).toBe(authority);
    expect(seen).toEqual([await read('tls.crt')]);
  });

  test('trusts the next authority before that authority signs certificates', async () => {
    const source = replica();
    await later(() => expect(source.current()).toBeDefined());
    const first = await read('ca.crt');
    await clock.advance(3290 * dayMs);
    await later(async () => expect(splitBundle(await read('ca.crt'))).toHaveLength(2));
    const [next = '', old = ''] = splitBundle(await read('ca.crt'));
    expect(old).toBe(first.trim());
    const signedBy = async () => {
      const serving = new X509Certificate(await read('tls.crt'));
      return serving.verify(new X509Certificate(next).publicKey) ? 'next' : 'old';
    };
    expect(await signedBy()).toBe('old');
    await later(async () => expect(new Set(await bundles())).toEqual(new Set([await read('ca.crt')])));
    await clock.advance(61 * dayMs);
    await later(async () => {
      expect(await signedBy()).toBe('next');
      expect(source.current()?.cert).toBe(await read('tls.crt'));
    });
  });

  test('serves certificates even while the configurations are missing', async () => {
    await client.delete(ValidatingWebhookConfiguration, { name: 'hook' });
    const source = replica();
    await later(() => expect(source.current()).toBeDefined());
    await client.create(ValidatingWebhookConfiguration, { metadata: { name: 'hook' } });
  });

  test('renews certificates and their trust even while one of the configurations is missing', async () => {
    const source = replica();
    await later(() => expect(source.current()).toBeDefined());
    const first = source.current()?.cert;
    await client.delete(MutatingWebhookConfiguration, { name: 'hook' });
    await client.patch(Secret, secret, { type: 'merge', patch: { data: null } });
    await later(() => expect(source.current()?.cert).not.toBe(first));
    await later(async () => {
      const { webhooks } = await client.get(ValidatingWebhookConfiguration, { name: 'hook' });
      expect(webhooks?.[0]?.clientConfig.caBundle).toBe(Buffer.from(await read('ca.crt')).toString('base64'));
    });
    await client.create(MutatingWebhookConfiguration, { metadata: { name: 'hook' } });
  });

  test.each([
    ['damaged', { 'tls.crt': Buffer.from('x').toString('base64') }],
    ['empty', {}],
  ])('issues certificates anew when the Secret is %s', async (_what, data) => {
    await client.create(Secret, { metadata: secret, data });
    const source = replica();
    await later(() => expect(source.current()).toBeDefined());
    expect(source.current()?.cert).toBe(await read('tls.crt'));
  });

  test('restores the labels and the owner of the Secret, and replaces an earlier owner', async () => {
    const { signal } = stop;
    const keepFor = async (name: string) => {
      const metadata = { namespace: 'default', name };
      const ownedBy = await client.apply(ConfigMap, { metadata }, { fieldManager: 'test' });
      const reference = controllerReference({ ...ownedBy, apiVersion: 'v1', kind: 'ConfigMap' });
      const required = { labels: { app: 'hook' }, ownerReferences: [reference] };
      const options = { client, clock, log, secret, dnsNames: ['hook.default.svc'] as const };
      const kept = await keepCertificates({ ...options, metadata: required }, signal);
      expect((await client.get(Secret, secret)).metadata).toMatchObject(required);
      return kept;
    };
    const { stored } = await keepFor('first');
    await client.patch(Secret, secret, {
      type: 'merge',
      patch: { metadata: { labels: null, ownerReferences: null } },
    });
    expect(await keepFor('first')).toEqual({ stored, isWritten: true });
    expect(await keepFor('second')).toEqual({ stored, isWritten: true });
    expect(await keepFor('second')).toEqual({ stored, isWritten: false });
  });
});
