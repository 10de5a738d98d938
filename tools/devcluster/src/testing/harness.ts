import { afterAll, beforeAll } from '@jest/globals';
import { startDevCluster, type DevCluster } from '../index.js';
import type { DevClusterOptions } from '../devcluster.js';
import type { JsonObject } from '../schema/types.js';
import { TestClient, type CallOptions, type Reply } from './client.js';

/** A cluster for all tests of a file, with shorthands for requests. */
export interface Harness {
  cluster: DevCluster;
  client: TestClient;
  get: (path: string, options?: CallOptions) => Promise<Reply>;
  create: (path: string, body: unknown, options?: CallOptions) => Promise<Reply>;
  put: (path: string, body: unknown, options?: CallOptions) => Promise<Reply>;
  /** Sends a patch, by default a merge patch. */
  patch: (path: string, body: unknown, options?: CallOptions) => Promise<Reply>;
  apply: (path: string, manager: string, body: unknown) => Promise<Reply>;
  remove: (path: string, body?: unknown) => Promise<Reply>;
  /** Repeats a read until the test passes. Throws after ten seconds. */
  until: (path: string, test: (reply: Reply) => boolean) => Promise<Reply>;
}

/** Starts a cluster before the tests of a file and stops it after them. */
export function useCluster(options: DevClusterOptions = {}): Harness {
  const harness = {} as Harness;
  beforeAll(async () => {
    const cluster = await startDevCluster(options);
    const client = new TestClient(cluster);
    const get: Harness['get'] = (path, call) => client.call('GET', path, call);
    Object.assign(harness, {
      cluster,
      client,
      get,
      create: (path, body, call) => client.call('POST', path, { ...call, body }),
      put: (path, body, call) => client.call('PUT', path, { ...call, body }),
      patch: (path, body, call) =>
        client.call('PATCH', path, { contentType: 'application/merge-patch+json', ...call, body }),
      apply: (path, manager, body) =>
        client.call('PATCH', `${path}${path.includes('?') ? '&' : '?'}fieldManager=${manager}`, {
          contentType: 'application/apply-patch+yaml',
          body,
        }),
      remove: (path, body) => client.call('DELETE', path, body === undefined ? {} : { body }),
      until: async (path, test) => {
        const deadline = Date.now() + 60_000;
        for (;;) {
          const reply = await get(path);
          if (test(reply)) return reply;
          if (Date.now() > deadline) throw new Error(`${path} stayed at ${reply.text}`);
        }
      },
    } satisfies Harness);
  });
  afterAll(async () => {
    await harness.client.close();
    await harness.cluster.close();
  });
  return harness;
}

/** Returns the metadata of an object in a response. */
export function metadataOf(
  reply: Reply,
): JsonObject & { uid: string; resourceVersion: string; generation: number } {
  return reply.body['metadata'] as JsonObject & { uid: string; resourceVersion: string; generation: number };
}

/** Returns a ConfigMap. */
export function configMap(
  name: string,
  data: Record<string, string> = {},
  metadata: JsonObject = {},
): JsonObject {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, ...metadata }, data };
}

/** Returns a CustomResourceDefinition with one version of gadgets. */
export function gadgetDefinition(version: JsonObject = {}): JsonObject {
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'gadgets.test.dev' },
    spec: {
      group: 'test.dev',
      scope: 'Namespaced',
      names: { plural: 'gadgets', kind: 'Gadget', shortNames: ['gd'] },
      versions: [
        { name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: gadgetSchema }, ...version },
      ],
    },
  };
}

const gadgetSchema: JsonObject = {
  type: 'object',
  properties: {
    spec: {
      type: 'object',
      properties: {
        colour: { type: 'string', default: 'grey' },
        replicas: { type: 'integer', minimum: 0 },
        parts: {
          type: 'array',
          maxItems: 10,
          'x-kubernetes-list-type': 'map',
          'x-kubernetes-list-map-keys': ['id'],
          items: {
            type: 'object',
            required: ['id'],
            properties: { id: { type: 'string' }, size: { type: 'integer' } },
          },
        },
      },
      'x-kubernetes-validations': [
        { rule: '!has(self.replicas) || self.replicas < 100', message: 'too many' },
      ],
    },
    status: { type: 'object', properties: { replicas: { type: 'integer' }, phase: { type: 'string' } } },
  },
};

export const gadgets = '/apis/test.dev/v1/namespaces/default/gadgets';
export const crds = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

/** Returns a gadget. */
export function gadget(name: string, spec: JsonObject = {}, metadata: JsonObject = {}): JsonObject {
  return { apiVersion: 'test.dev/v1', kind: 'Gadget', metadata: { name, ...metadata }, spec };
}
