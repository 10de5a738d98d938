import { describe } from '@jest/globals';
import { Event } from '@interlock/kube';
import {
  embeddedNamespaces,
  kubeconfigFlags,
  noNeeds,
  openGivenCluster,
  runNamespaces,
  startEmbeddedCluster,
  type Cluster,
  type Namespaces,
} from '@interlock/stack';

/** The existing cluster for the tests, from `e2e/run.mjs`. */
interface ForeignCluster {
  kubeconfig: string;
  context?: string;
  /** Host name or address at which the API server reaches this machine. */
  webhookHost?: string;
  /** Whether the controllers of Kubernetes run in the cluster. */
  hasControllers: boolean;
}

const text = process.env['INTERLOCK_E2E_CLUSTER'];
const foreign = text === undefined ? undefined : (JSON.parse(text) as ForeignCluster);

/** Whether each environment has its own embedded cluster. Otherwise all environments use one cluster in turn. */
export const isEmbedded = foreign === undefined;

/** The namespaces of the apps. */
export const namespaces: Namespaces = isEmbedded ? embeddedNamespaces : runNamespaces;

/** Host name or address at which the API server reaches this machine. */
export const webhookHost = foreign?.webhookHost ?? 'localhost';

/** The flags with which `npm start` runs on the cluster. */
export const stackFlags: readonly string[] =
  foreign === undefined
    ? []
    : [...kubeconfigFlags({ ...foreign, path: foreign.kubeconfig }), `--webhook-host=${webhookHost}`];

/** Returns a unique name for the objects of a tenant in a cluster. */
export function tenantName(name: string): string {
  return `interlock-e2e-${name}`;
}

/**
 * Opens the cluster for the tests, by default an embedded cluster. Closing it deletes the objects of the tests.
 * @throws Error if an existing cluster has an Interlock installation, or is in use
 */
export async function openTestCluster(): Promise<Cluster> {
  if (foreign === undefined) return startEmbeddedCluster();
  const problems: string[] = [];
  const cluster = await openGivenCluster({
    ...foreign,
    webhookHost,
    needs: noNeeds,
    keeps: false,
    print: () => undefined,
    signal: new AbortController().signal,
    onLost: ({ message }) => problems.push(message),
  });
  const close = async (): Promise<void> => {
    await removeEvents(cluster).finally(() => cluster.close());
    problems.push(...cluster.problems);
    if (problems.length > 0) throw new Error(problems.join('; '));
  };
  return { ...cluster, close };
}

/* Events of cluster-scoped objects are in the namespace `default`, and outlive the objects that a test deletes itself. */
async function removeEvents(cluster: Cluster): Promise<void> {
  const client = cluster.connect('e2e');
  try {
    const { items } = await client.list(Event, { namespace: 'default' });
    const ours = items.filter(({ regarding }) => regarding?.name?.startsWith(tenantName('')));
    for (const { metadata } of ours)
      await client.delete(Event, { namespace: 'default', name: metadata.name });
  } finally {
    await client.close();
  }
}

/** Declares tests, or skips them by name with the reason. */
export function skipFor(reason: string | undefined, declare: () => void): void {
  if (reason === undefined) declare();
  else describe.skip(`skipped: ${reason}`, declare);
}

/** Declares tests that require the embedded cluster, such as for faults of the API server. */
export function needsEmbedded(reason: string, declare: () => void): void {
  skipFor(isEmbedded ? undefined : `needs the embedded cluster: ${reason}`, declare);
}

/** Declares tests that require the controllers of Kubernetes, which the assets of envtest may not include. */
export function needsControllers(reason: string, declare: () => void): void {
  const hasControllers = foreign?.hasControllers ?? true;
  skipFor(hasControllers ? undefined : `needs kube-controller-manager: ${reason}`, declare);
}
