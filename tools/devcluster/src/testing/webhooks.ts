import { afterAll, afterEach, beforeAll } from '@jest/globals';
import type { JsonObject } from '../schema/types.js';
import type { Harness } from './harness.js';
import { startWebhookServer, type WebhookHandler, type WebhookServer } from './webhook-server.js';

type ConfigurationKind = 'MutatingWebhookConfiguration' | 'ValidatingWebhookConfiguration';

/** Returns the path of webhook configurations. */
export function configurationsPath(kind: ConfigurationKind): string {
  return `/apis/admissionregistration.k8s.io/v1/${kind.toLowerCase()}s`;
}

/** A webhook for ConfigMaps at /<name>, with the given fields instead of the default ones. */
interface HookDefinition extends JsonObject {
  name: string;
}

/** A webhook server for all tests of a file, and its configurations, which are deleted after each test. */
interface WebhookHarness {
  server: WebhookServer;
  /** Registers webhooks `<name>.test.dev` that are served at /<name>. */
  register: (
    kind: ConfigurationKind,
    configuration: string,
    hooks: readonly HookDefinition[],
    handlers?: Record<string, WebhookHandler>,
  ) => Promise<void>;
  /** The paths of the requests in order, without queries. */
  paths: () => string[];
}

/** Starts a webhook server before the tests of a file. */
export function useWebhooks(api: Harness): WebhookHarness {
  const harness = {} as WebhookHarness;
  let registered: string[] = [];
  beforeAll(async () => {
    const server = await startWebhookServer(['hook.hooks.svc']);
    Object.assign(harness, {
      server,
      paths: () => server.asked.map(({ path }) => path.split('?')[0] ?? ''),
      register: async (kind, configuration, hooks, handlers = {}) => {
        for (const [path, handler] of Object.entries(handlers)) server.handlers.set(`/${path}`, handler);
        const path = configurationsPath(kind);
        const reply = await api.create(path, {
          apiVersion: 'admissionregistration.k8s.io/v1',
          kind,
          metadata: { name: configuration },
          webhooks: hooks.map((hook) => webhook(server, hook)),
        });
        if (reply.status !== 201) throw new Error(reply.text);
        registered.push(`${path}/${configuration}`);
      },
    } satisfies WebhookHarness);
  });
  afterEach(async () => {
    for (const path of registered) await api.remove(path);
    registered = [];
    harness.server.handlers.clear();
    harness.server.asked.length = 0;
  });
  afterAll(() => harness.server.close());
  return harness;
}

/** Returns a complete webhook. */
export function webhook(
  { port, caBundle }: Pick<WebhookServer, 'port' | 'caBundle'>,
  { name, ...fields }: HookDefinition,
): JsonObject {
  return {
    name: `${name}.test.dev`,
    clientConfig: { url: `https://127.0.0.1:${String(port)}/${name}`, caBundle },
    rules: [rule({})],
    sideEffects: 'None',
    admissionReviewVersions: ['v1'],
    ...fields,
  };
}

/** Returns a rule for all writes of ConfigMaps, with the given fields instead of the default ones. */
export function rule(fields: JsonObject): JsonObject {
  return {
    operations: ['*'],
    apiGroups: [''],
    apiVersions: ['v1'],
    resources: ['configmaps'],
    ...fields,
  };
}
