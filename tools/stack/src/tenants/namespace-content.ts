import type { KubeObject } from '@interlock/api';
import type { Client } from '@interlock/kube';

interface ResourceList {
  groupVersion: string;
  resources: readonly { name: string; kind: string; namespaced: boolean; verbs: readonly string[] }[];
}

/** Events are ignored, because they expire. */
const ignoredKinds = new Set(['Event']);

/** Returns all objects of a namespace as `Kind/name`, of all kinds that the cluster serves. */
export async function namespaceContent(client: Client, namespace: string): Promise<Set<string>> {
  const found = new Set<string>();
  for (const root of await groupVersions(client)) {
    const { resources } = await client.raw<ResourceList>({ method: 'GET', path: root });
    for (const { name, kind, namespaced, verbs } of resources) {
      if (!namespaced || name.includes('/') || !verbs.includes('list') || ignoredKinds.has(kind)) continue;
      const path = `${root}/namespaces/${namespace}/${name}`;
      const { items } = await client.raw<{ items: KubeObject[] }>({ method: 'GET', path });
      for (const { metadata } of items) found.add(`${kind}/${metadata.name}`);
    }
  }
  return found;
}

async function groupVersions(client: Client): Promise<string[]> {
  const { groups } = await client.raw<{ groups: { preferredVersion: { groupVersion: string } }[] }>({
    method: 'GET',
    path: '/apis',
  });
  return ['/api/v1', ...groups.map(({ preferredVersion }) => `/apis/${preferredVersion.groupVersion}`)];
}
