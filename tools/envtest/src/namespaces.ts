import { delay, systemClock } from '@interlock/base';
import { Namespace, type Client } from '@interlock/kube';

interface ApiResource {
  name: string;
  namespaced: boolean;
  verbs: string[];
}

interface TypeMeta {
  apiVersion: string;
  kind: string;
}

const pollMs = 500;
const verbs = ['list', 'deletecollection'];

/**
 * Removes the content of deleted namespaces and then the namespaces, until the signal aborts, as the namespace
 * controller of kube-controller-manager does. A problem is reported, and the namespace is retried.
 *
 * @param labelSelector selects the namespaces; default: all namespaces
 */
export async function removeDeletedNamespaces(
  client: Client,
  signal: AbortSignal,
  report: (problem: string) => void,
  labelSelector?: string,
): Promise<void> {
  const attempt = async (action: () => Promise<void>): Promise<void> => {
    try {
      await action();
    } catch (error) {
      if (!signal.aborted) report(error instanceof Error ? error.message : String(error));
    }
  };
  while (!signal.aborted) {
    await attempt(async () => {
      const { items } = await client.list(Namespace, {
        labelSelector,
      });
      for (const { metadata } of items) {
        if (metadata.deletionTimestamp === undefined) continue;
        await attempt(() => removeNamespace(client, metadata.name));
      }
    });
    await delay(systemClock, pollMs, signal);
  }
}

/**
 * Deletes all objects of a namespace and, when it is empty, the namespace. Objects with finalizers remain until they
 * are released.
 */
async function removeNamespace(client: Client, namespace: string): Promise<void> {
  let left = 0;
  for (const path of await collectionPaths(client, namespace)) {
    await client.raw({ method: 'DELETE', path });
    const { items } = await client.raw<{ items: unknown[] }>({ method: 'GET', path: `${path}?limit=1` });
    left += items.length;
  }
  if (left > 0) return;
  const path = `/api/v1/namespaces/${namespace}`;
  const object = await client.raw<TypeMeta & { spec?: object }>({ method: 'GET', path });
  const body = { ...object, spec: { ...object.spec, finalizers: [] } };
  await client.raw({ method: 'PUT', path: `${path}/finalize`, body });
}

/** Returns the paths of all namespaced collections, in the preferred version of each group. */
async function collectionPaths(client: Client, namespace: string): Promise<string[]> {
  const read = <T>(path: string) => client.raw<T>({ method: 'GET', path });
  const { groups } = await read<{ groups: { preferredVersion: { groupVersion: string } }[] }>('/apis');
  const roots = [
    '/api/v1',
    ...groups.map(({ preferredVersion }) => `/apis/${preferredVersion.groupVersion}`),
  ];
  const paths: string[] = [];
  for (const root of roots) {
    const { resources } = await read<{ resources: ApiResource[] }>(root);
    const deletable = resources.filter(
      (one) => one.namespaced && !one.name.includes('/') && verbs.every((verb) => one.verbs.includes(verb)),
    );
    paths.push(...deletable.map(({ name }) => `${root}/namespaces/${namespace}/${name}`));
  }
  return paths;
}
