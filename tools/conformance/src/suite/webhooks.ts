import type { Answer } from './api.js';
import { eventually } from './callers.js';
import { certificatesOfNamespaces, type ServingCertificate } from './certificates.js';
import { configMap } from './objects.js';
import type { Scope } from './scope.js';
import {
  startWebhookServer,
  type AdmissionRequest,
  type ReviewAnswer,
  type ReviewCall,
  type ReviewHandler,
} from './webhook-server.js';

export type ConfigurationKind = 'MutatingWebhookConfiguration' | 'ValidatingWebhookConfiguration';

/** Returns the path of the configurations of a kind, or of one of them. */
export function configurationsPath(kind: ConfigurationKind, name?: string): string {
  const collection = `/apis/admissionregistration.k8s.io/v1/${kind.toLowerCase()}s`;
  return name === undefined ? collection : `${collection}/${name}`;
}

/** Returns a webhook configuration to create. */
export function configuration(kind: ConfigurationKind, name: string, webhooks: readonly object[]): object {
  return { apiVersion: 'admissionregistration.k8s.io/v1', kind, metadata: { name }, webhooks };
}

/** Returns a rule for the creation of ConfigMaps, with other fields in place of the usual ones. */
export function webhookRule(fields: object = {}): object {
  return {
    operations: ['CREATE'],
    apiGroups: [''],
    apiVersions: ['v1'],
    resources: ['configmaps'],
    ...fields,
  };
}

/** A webhook of a case. */
export interface HookOptions {
  /** Returns the response; default: a response that allows the request. */
  handler?: ReviewHandler;
  /** Fields in place of the usual ones. */
  fields?: object;
  /** The operations of the usual rule. */
  operations?: readonly string[];
}

/** The webhooks of a case. They select the objects with the labels of the case, in the namespace of the group. */
export interface Webhooks {
  /** Selects an object for the webhooks of the case. */
  readonly labels: Readonly<Record<string, string>>;
  readonly caBundle: string;
  /** Returns a ConfigMap with the labels of the case. */
  object(name: string, data?: Readonly<Record<string, string>>): object;
  /** Returns the client configuration with which the API server calls the webhook with a name. */
  client(hook: string, fields?: object): object;
  /** Registers webhooks, in order, and waits until they are in force. @returns the name of the configuration. */
  register(
    kind: ConfigurationKind,
    hooks: Readonly<Record<string, HookOptions>>,
    name?: string,
  ): Promise<string>;
  /** Returns the requests that a webhook received, in order. */
  asked(hook: string): AdmissionRequest[];
  calls(hook: string): ReviewCall[];
}

/** Returns the full name of a webhook. */
export function hookName(hook: string): string {
  return `${hook}.conformance.example.dev`;
}

/** Starts the server of a case, and creates the Service through which the API server reaches it. */
export type StartWebhooks = (scope: Scope) => Promise<Webhooks>;

/** Returns a function that starts webhooks, which share certificates. */
export function webhookStarter(): StartWebhooks {
  const certificateFor = certificatesOfNamespaces();
  return async (scope) => startWebhooks(scope, await certificateFor(scope.namespace));
}

async function startWebhooks(scope: Scope, certificate: ServingCertificate): Promise<Webhooks> {
  const service = { namespace: scope.namespace, name: scope.name('webhook') };
  const server = await startWebhookServer(certificate, scope.webhookHost);
  scope.cleanup(() => server.close());
  await created(scope, scope.core('services'), {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: service.name },
    spec: { type: 'ExternalName', externalName: scope.webhookHost },
  });
  const labels = { 'conformance.interlock.dev/case': service.name };
  const { caBundle, calls, handlers, port } = server;
  const callsOf = (hook: string): ReviewCall[] => calls.filter(({ path }) => path === `/${hook}`);
  const webhooks: Webhooks = {
    labels,
    caBundle,
    object: (name, data = {}) => configMap(name, data, { labels }),
    client: (hook, fields = {}) => ({ service: { ...service, path: `/${hook}`, port, ...fields }, caBundle }),
    calls: callsOf,
    asked: (hook) => callsOf(hook).map(({ request }) => request),
    register: async (kind, hooks, name = scope.name('hooks')) => {
      for (const [hook, { handler }] of Object.entries(hooks)) {
        if (handler !== undefined) handlers.set(`/${hook}`, handler);
      }
      const probe = `probe-${name}`;
      scope.deleteAfterwards(configurationsPath(kind, name));
      const all = [
        ...Object.entries(hooks).map(([hook, options]) => webhookOf(webhooks, scope, hook, options)),
        probeOf(webhooks, scope, probe),
      ];
      await created(scope, configurationsPath(kind), configuration(kind, name, all));
      await inForce(scope, webhooks, probe);
      return name;
    },
  };
  return webhooks;
}

function webhookOf(
  webhooks: Webhooks,
  scope: Scope,
  hook: string,
  { fields, operations }: HookOptions,
): object {
  return {
    name: hookName(hook),
    clientConfig: webhooks.client(hook),
    rules: [webhookRule(operations && { operations })],
    namespaceSelector: inNamespace(scope.namespace),
    objectSelector: { matchLabels: webhooks.labels },
    sideEffects: 'None',
    admissionReviewVersions: ['v1'],
    ...fields,
  };
}

/** Returns a selector of one namespace. */
export function inNamespace(name: string): object {
  return { matchLabels: { 'kubernetes.io/metadata.name': name } };
}

/**
 * Returns a webhook that only shows whether its configuration is in force: a configuration comes into force as a whole.
 */
function probeOf(webhooks: Webhooks, scope: Scope, probe: string): object {
  const fields = {
    failurePolicy: 'Ignore',
    objectSelector: { matchLabels: { 'conformance.interlock.dev/probe': probe } },
  };
  return webhookOf(webhooks, scope, probe, { fields });
}

async function inForce(scope: Scope, webhooks: Webhooks, probe: string): Promise<void> {
  const object = configMap(probe, {}, { labels: { 'conformance.interlock.dev/probe': probe } });
  const send = (): Promise<Answer> =>
    scope.api.post(scope.core('configmaps'), object, { query: { dryRun: 'All' } });
  await eventually(send, () => webhooks.calls(probe).length > 0);
}

async function created(scope: Scope, path: string, object: object): Promise<void> {
  const { status, text } = await scope.api.post(path, object);
  if (status !== 201) throw new Error(`POST ${path}: ${status} ${text}`);
}

/** Returns a response that allows the request. */
export function allow(fields: object = {}): ReviewAnswer {
  return { response: { allowed: true, ...fields } };
}

/** Returns a response that denies the request, with a Status if one is given. */
export function deny(status?: object): ReviewAnswer {
  return { response: { allowed: false, ...(status && { status }) } };
}

/** Returns a response that allows the request with a JSON patch. */
export function patched(...operations: readonly object[]): ReviewAnswer {
  const patch = Buffer.from(JSON.stringify(operations)).toString('base64');
  return allow({ patchType: 'JSONPatch', patch });
}
