import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { connect } from 'node:tls';
import { systemClock } from '@interlock/base';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { startDevCluster, type DevCluster } from '@interlock/devcluster';
import {
  ApiError,
  ConfigMap,
  createClient,
  MutatingWebhookConfiguration,
  Secret,
  Service,
  ValidatingWebhookConfiguration,
  type Client,
} from '@interlock/kube';
import { eventually } from '@interlock/kube/testing';
import { Registry } from 'prom-client';
import { Agent, request } from 'undici';
import { parse } from 'yaml';
import { secretCertificates } from '../certificates/secret-source.js';
import { createLogger } from '../logging/logger.js';
import { annotationPatch } from './patch.js';
import { mutating, validating } from './routes.js';
import type { HttpServer } from '../http/http-server.js';
import { admissionServer } from './server.js';
import type { AdmissionRequest } from './types.js';

const namespace = 'default';
const secret = { namespace, name: 'hook-certificates' };
const lines: string[] = [];
const log = createLogger({ component: 'test', destination: { write: (line) => lines.push(line) } });
const metrics = new Registry();
const stop = new AbortController();
const asked: AdmissionRequest[] = [];

let cluster: DevCluster;
let client: Client;
let server: HttpServer;
let running: Promise<void>;

function webhook(name: string, path: string) {
  return {
    name,
    clientConfig: { service: { namespace, name: 'hook', path, port: server.port } },
    rules: [{ operations: ['*'], apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'] }],
    namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': namespace } },
    sideEffects: 'None',
    admissionReviewVersions: ['v1'],
  };
}

const routes = [
  mutating(ConfigMap, ({ object, user }) =>
    object === undefined
      ? { allowed: true }
      : { allowed: true, patch: annotationPatch(object, { 'test.dev/by': user.username }) },
  ),
  validating(ConfigMap, (admission) => {
    asked.push(admission);
    const { object, operation } = admission;
    if (object?.data?.['k'] === 'throw') throw new Error('a secret of the handler');
    if (object?.data?.['k'] === 'bad') {
      return { allowed: false, message: 'k is bad', causes: [{ field: 'data.k', message: 'write good' }] };
    }
    if (operation === 'DELETE') return { allowed: false, message: 'it stays' };
    return { allowed: true, warnings: ['mind the gap'] };
  }),
];

beforeAll(async () => {
  cluster = await startDevCluster();
  const kubeConfig = parse(cluster.kubeconfig) as object;
  client = createClient({ kubeConfig, userAgent: 'test', defaultFieldManager: 'test' });
  const certificates = secretCertificates({
    client,
    clock: systemClock,
    log,
    secret,
    dnsNames: ['hook.default.svc'],
    configurations: { mutating: ['hook'], validating: ['hook'] },
    intervalMs: 50,
  });
  const address = { host: '127.0.0.1', port: 0 };
  server = admissionServer({ address, certificates, routes, metrics, log });
  running = server.run(stop.signal);
  await eventually(() => expect(server.isServing()).toBe(true));
  const metadata = { name: 'hook' };
  const service = { type: 'ExternalName', externalName: 'localhost' };
  await client.create(Service, { metadata: { ...metadata, namespace }, spec: service });
  await client.create(MutatingWebhookConfiguration, {
    metadata,
    webhooks: [webhook('mutate.test.dev', '/mutate/core/configmaps')],
  });
  await client.create(ValidatingWebhookConfiguration, {
    metadata,
    webhooks: [webhook('validate.test.dev', '/validate/core/configmaps')],
  });
  await trusted();
});
afterAll(async () => {
  stop.abort();
  await running;
  expect(server.isServing()).toBe(false);
  await client.close();
  await cluster.close();
});

/** Waits until both configurations contain the authority. */
async function trusted(): Promise<void> {
  const bundle = (await client.get(Secret, secret)).data?.['ca.crt'];
  await eventually(async () => {
    const mutatingHook = await client.get(MutatingWebhookConfiguration, { name: 'hook' });
    const validatingHook = await client.get(ValidatingWebhookConfiguration, { name: 'hook' });
    for (const { webhooks = [] } of [mutatingHook, validatingHook]) {
      expect(webhooks.map(({ clientConfig }) => clientConfig.caBundle)).toEqual([bundle]);
    }
  });
}

/** Returns the fingerprint of the certificate that the server presents to a new connection. */
async function presented(): Promise<string | undefined> {
  const socket = connect({ host: '127.0.0.1', port: server.port, rejectUnauthorized: false });
  await once(socket, 'secureConnect');
  const { fingerprint256 } = socket.getPeerCertificate();
  socket.destroy();
  return fingerprint256;
}

/** Sends a body to the validating webhook. Returns the status and the text of its answer. */
async function post(body: string, timeout = '10s'): Promise<[number, string]> {
  const { data } = await client.get(Secret, secret);
  const ca = Buffer.from(data?.['ca.crt'] ?? '', 'base64');
  const agent = new Agent({ connect: { ca, servername: 'hook.default.svc' } });
  const url = `https://127.0.0.1:${String(server.port)}/validate/core/configmaps?timeout=${timeout}`;
  const answer = await request(url, { method: 'POST', dispatcher: agent, body });
  const text = await answer.body.text();
  await agent.close();
  return [answer.statusCode, text];
}

const create = (name: string, k: string) =>
  client.create(ConfigMap, { metadata: { name, namespace }, data: { k } });

async function failure(call: Promise<unknown>): Promise<ApiError> {
  const error: unknown = await call.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof ApiError)) throw new Error('the call did not fail', { cause: error });
  return error;
}

describe('an admission server', () => {
  test('patches and allows writes with a typed object', async () => {
    const { metadata } = await create('fine', 'good');
    expect(metadata.annotations).toEqual({ 'test.dev/by': 'kubernetes-admin' });
    expect(asked.at(-1)).toMatchObject({
      operation: 'CREATE',
      name: 'fine',
      namespace,
      dryRun: false,
      user: { username: 'kubernetes-admin', groups: ['system:masters', 'system:authenticated'] },
      object: { data: { k: 'good' } },
      oldObject: undefined,
    });
  });

  test('refuses a write as Invalid with causes, and as Forbidden without causes', async () => {
    const invalid = await failure(create('bad', 'bad'));
    expect(invalid).toMatchObject({
      code: 422,
      reason: 'Invalid',
      causes: [{ field: 'data.k', message: 'write good', reason: 'FieldValueInvalid' }],
    });
    expect(invalid.message).toContain('admission webhook "validate.test.dev" denied the request: k is bad');
    await create('kept', 'good');
    expect(await failure(client.delete(ConfigMap, { namespace, name: 'kept' }))).toMatchObject({
      code: 403,
      reason: 'Forbidden',
    });
    expect(lines.some((line) => line.includes('"msg":"write refused"') && line.includes('it stays'))).toBe(
      true,
    );
  });

  test('does not reveal the errors of a handler', async () => {
    const error = await failure(create('throw', 'throw'));
    expect(error.code).toBe(500);
    expect(error.message).toContain('failed calling webhook "validate.test.dev"');
    expect(error.message).not.toContain('secret');
    expect(lines.some((line) => line.includes('a secret of the handler'))).toBe(true);
  });

  test('serves a new certificate without an interruption', async () => {
    const before = await client.get(Secret, secret);
    const first = await presented();
    await client.patch(Secret, secret, { type: 'merge', patch: { data: { 'tls.crt': 'eA==' } } });
    const renewed = await eventually(async () => {
      const { data } = await client.get(Secret, secret);
      expect(data?.['tls.crt']).not.toBe('eA==');
      expect(data?.['tls.crt']).not.toBe(before.data?.['tls.crt']);
      return data;
    });
    const certificate = Buffer.from(renewed?.['tls.crt'] ?? '', 'base64');
    await eventually(async () => {
      expect(await presented()).toBe(new X509Certificate(certificate).fingerprint256);
    });
    expect(await presented()).not.toBe(first);
    await create('after', 'good');
  });

  test('answers 400 to a body that is not a review of the kind, and 413 to a body that is too long', async () => {
    const review = {
      apiVersion: 'admission.k8s.io/v1',
      kind: 'AdmissionReview',
      request: {
        uid: '1',
        operation: 'CREATE',
        userInfo: {},
        kind: { group: '', version: 'v1', kind: 'Pod' },
      },
    };
    expect(await post('no JSON')).toEqual([400, 'the body is not an AdmissionReview of admission.k8s.io/v1']);
    expect(await post(JSON.stringify(review))).toEqual([
      400,
      'the body is not a review of ConfigMap.v1.; check the webhook configuration',
    ]);
    for (const timeout of ['1.5ms', '-1s', 'x'])
      expect(await post('no JSON', timeout)).toMatchObject([400, expect.any(String)]);
    expect((await post('x'.repeat(20 * 1024 * 1024 + 1)))[0]).toBe(413);
  });

  /* The API server escapes `<` as six bytes, and stores objects of up to 1.5 MiB. A webhook that does not answer may be ignored. */
  test('answers a review of an update of the largest object', async () => {
    const object = {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'large', namespace },
      data: { k: '<'.repeat(1.5 * 1024 * 1024) },
    };
    const kind = { group: '', version: 'v1', kind: 'ConfigMap' };
    const review = { uid: '1', kind, operation: 'UPDATE', userInfo: {}, object, oldObject: object };
    const body = { apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', request: review };
    const [code, text] = await post(JSON.stringify(body).replaceAll('<', String.raw`\u003c`));
    expect([code, JSON.parse(text)]).toMatchObject([200, { response: { uid: '1', allowed: true } }]);
  });

  test('has metrics under the usual names', async () => {
    const text = await metrics.metrics();
    expect(text).toMatch(
      /controller_runtime_webhook_requests_total\{webhook="\/mutate\/core\/configmaps",code="200"\} \d/,
    );
    expect(text).toContain('controller_runtime_webhook_latency_seconds_bucket');
    expect(text).toContain(
      'controller_runtime_webhook_requests_in_flight{webhook="/validate/core/configmaps"} 0\n',
    );
  });
});
