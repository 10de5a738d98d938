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

/** The cluster of another owner on which the tests run, as `e2e/run.mjs` names it. */
interface ForeignCluster {
  kubeconfig: string;
  context?: string;
  /** This machine, as the API server knows it. */
  webhookHost?: string;
  /** Whether the controllers of Kubernetes run there. */
  hasControllers: boolean;
}

const text = process.env['INTERLOCK_E2E_CLUSTER'];
const foreign = text === undefined ? undefined : (JSON.parse(text) as ForeignCluster);

/** Whether each environment has an embedded cluster of its own. Otherwise there is one cluster, for one environment at a time. */
export const isEmbedded = foreign === undefined;

/** The namespaces of the apps. */
export const namespaces: Namespaces = isEmbedded ? embeddedNamespaces : runNamespaces;

/** This machine, as the API server knows it. */
export const webhookHost = foreign?.webhookHost ?? 'localhost';

/** The flags with which `npm start` runs on the cluster. */
export const stackFlags: readonly string[] =
  foreign === undefined
    ? []
    : [...kubeconfigFlags({ ...foreign, path: foreign.kubeconfig }), `--webhook-host=${webhookHost}`];

/** Returns a name for a tenant's objects that no one else uses in a cluster. */
export function tenantName(name: string): string {
  return `interlock-e2e-${name}`;
}

/**
 * Opens the cluster on which the tests run: an embedded one, unless another is named. Closing it removes what they created.
 * @throws Error when another cluster has an Interlock of its own, or is in use
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

/** Declares tests that need what only the embedded cluster offers, such as faults of the API server. */
export function needsEmbedded(reason: string, declare: () => void): void {
  skipFor(isEmbedded ? undefined : `needs the embedded cluster: ${reason}`, declare);
}

/** Declares tests that need the controllers of Kubernetes, which the assets of envtest may lack. */
export function needsControllers(reason: string, declare: () => void): void {
  const hasControllers = foreign?.hasControllers ?? true;
  skipFor(hasControllers ? undefined : `needs kube-controller-manager: ${reason}`, declare);
}
