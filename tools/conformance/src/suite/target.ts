import { systemClock } from '@interlock/base';
import {
  createClient,
  createTransport,
  loadCredentials,
  type Client,
  type KubeConfigSource,
} from '@interlock/kube';
import { Api } from './api.js';
import { isReady } from './conditions.js';
import type { Need } from './need.js';

const detectTimeoutMs = 60_000;
/** A controller manager creates the default service account of a namespace within a second or two. */
const controllersTimeoutMs = 15_000;
const pollMs = 100;

interface TargetOptions {
  /** A kubeconfig file, or its content. */
  kubeconfig: KubeConfigSource;
  context?: string | undefined;
  /** The host at which the API server reaches this machine; undefined if it cannot. */
  webhookHost?: string | undefined;
  /** Features that the server offers, although they may not be detectable yet. */
  assume?: readonly Need[];
}

/** The server that is examined. */
export interface Target {
  readonly url: string;
  /** Version of Kubernetes, from `/version`; undefined if the server does not serve it. */
  readonly version: string | undefined;
  readonly needs: ReadonlySet<Need>;
  readonly webhookHost: string;
  /** Returns a client whose requests end with the signal. */
  api(signal: AbortSignal): Api;
  /** Returns a client for work outside of the cases, which the caller closes. */
  connect(): Client;
  close(): Promise<void>;
}

/**
 * Connects to a server and detects the features that it offers.
 *
 * @throws Error when the server does not answer or refuses the credentials.
 */
export async function connect({
  kubeconfig,
  context,
  webhookHost,
  assume = [],
}: TargetOptions): Promise<Target> {
  const source = loadCredentials(kubeconfig, systemClock, context);
  const transport = createTransport(source);
  const apiOf = (signal: AbortSignal): Api => new Api(source, transport, signal);
  try {
    const api = apiOf(AbortSignal.timeout(detectTimeoutMs));
    const needs = await detect(api);
    for (const need of assume) needs.add(need);
    if (webhookHost !== undefined && needs.has('core')) needs.add('webhooks');
    return {
      url: source.server.href,
      version: await versionOf(api),
      needs,
      webhookHost: webhookHost ?? '',
      api: apiOf,
      connect: () =>
        createClient({
          kubeConfig: kubeconfig,
          context,
          userAgent: 'conformance',
          defaultFieldManager: 'conformance',
        }),
      close: () => transport.close(),
    };
  } catch (error) {
    await transport.close();
    throw new Error(`the API server ${source.server.href} cannot be examined: ${String(error)}`, {
      cause: error,
    });
  }
}

async function versionOf(api: Api): Promise<string | undefined> {
  const { status, body } = await api.get('/version');
  return status === 200 ? String(body['gitVersion']) : undefined;
}

async function detect(api: Api): Promise<Set<Need>> {
  const { status, text } = await api.get('/api/v1/namespaces/kube-system');
  if (status === 401 || status === 403) throw new Error(`the credentials are refused: ${status} ${text}`);
  const needs = new Set<Need>();
  if (status !== 200) return needs;
  needs.add('core');
  if (await hasControllers(api)) needs.add('controllers');
  if (await hasReadyNode(api)) needs.add('nodes');
  return needs;
}

async function hasReadyNode(api: Api): Promise<boolean> {
  const { status, body } = await api.get('/api/v1/nodes');
  return status === 200 && body.items.some((node) => isReady(node));
}

/**
 * Returns whether a controller manager works: kube-system has the default service account that it creates in every
 * namespace.
 */
async function hasControllers(api: Api): Promise<boolean> {
  const deadline = systemClock.now() + controllersTimeoutMs;
  for (;;) {
    const { status } = await api.get('/api/v1/namespaces/kube-system/serviceaccounts/default');
    if (status === 200) return true;
    if (systemClock.now() > deadline) return false;
    await new Promise((resolve) => setTimeout(resolve, pollMs));
  }
}
