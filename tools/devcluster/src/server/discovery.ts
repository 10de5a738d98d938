import { byPriority } from '../registry/version-priority.js';
import { createHash } from 'node:crypto';
import type { Cluster } from '../api/cluster.js';
import { apiVersionOf, type Resource, type Verb } from '../registry/resource.js';
import type { JsonObject } from '../schema/types.js';

/** A path below a resource, for discovery. */
interface SubresourceEntry {
  name: string;
  kind: string;
  group?: string;
  version?: string;
  verbs: readonly Verb[];
}

const readWrite: readonly Verb[] = ['get', 'patch', 'update'];

/** Returns the subresources, sorted by name; status comes first for custom resources. */
function subresourcesOf(resource: Resource): SubresourceEntry[] {
  const entries: SubresourceEntry[] = Object.entries(resource.subresources).map(
    ([name, { kind, group, version, verbs }]) => ({
      name,
      kind,
      verbs,
      ...(group === undefined || version === undefined ? {} : { group, version }),
    }),
  );
  if (resource.scale !== undefined) {
    entries.push({ name: 'scale', kind: 'Scale', group: 'autoscaling', version: 'v1', verbs: readWrite });
  }
  if (resource.strategy.status) entries.push({ name: 'status', kind: resource.kind, verbs: readWrite });
  return entries.sort((a, b) => (a.name < b.name ? -1 : 1) * (resource.custom ? -1 : 1));
}

/** Returns the response to `/api`. */
export function coreVersions(host: string): JsonObject {
  return {
    kind: 'APIVersions',
    versions: ['v1'],
    serverAddressByClientCIDRs: [{ clientCIDR: '0.0.0.0/0', serverAddress: host }],
  };
}

/**
 * Groups of the API server in the order of discovery; the groups of custom resources follow. Source:
 * pkg/controlplane/apiserver.
 */
const groupOrder = [
  '',
  'apps',
  'events.k8s.io',
  'authentication.k8s.io',
  'authorization.k8s.io',
  'autoscaling',
  'batch',
  'networking.k8s.io',
  'policy',
  'rbac.authorization.k8s.io',
  'admissionregistration.k8s.io',
  'apiextensions.k8s.io',
  'scheduling.k8s.io',
  'coordination.k8s.io',
  'discovery.k8s.io',
];

function placeOf(group: string): number {
  const index = groupOrder.indexOf(group);
  return index === -1 ? groupOrder.length : index;
}

/** Returns the groups with their versions, the preferred version first. */
function groups(cluster: Cluster): Map<string, string[]> {
  const found = new Map<string, string[]>();
  for (const { group, version } of cluster.registry.all()) {
    const versions = found.get(group) ?? [];
    if (!versions.includes(version)) versions.push(version);
    found.set(group, versions);
  }
  for (const versions of found.values()) versions.sort(byPriority);
  return new Map([...found].sort(([a], [b]) => placeOf(a) - placeOf(b) || (a < b ? -1 : 1)));
}

function apiGroup(name: string, versions: readonly string[]): JsonObject {
  const list = versions.map((version) => ({ groupVersion: `${name}/${version}`, version }));
  const [preferred = { groupVersion: '', version: '' }] = list;
  return { name, versions: list, preferredVersion: preferred };
}

/** Returns the response to `/apis`. */
export function groupList(cluster: Cluster): JsonObject {
  const list = [...groups(cluster)].filter(([name]) => name !== '');
  return {
    kind: 'APIGroupList',
    apiVersion: 'v1',
    groups: list.map(([name, versions]) => apiGroup(name, versions)),
  };
}

/** Returns the response to `/apis/<group>`; undefined when the group is not served. */
export function oneGroup(cluster: Cluster, name: string): JsonObject | undefined {
  const versions = groups(cluster).get(name);
  return versions && { kind: 'APIGroup', apiVersion: 'v1', ...apiGroup(name, versions) };
}

/** Returns the response to `/api/v1` or `/apis/<group>/<version>`; undefined when the version is not served. */
export function resourceList(cluster: Cluster, group: string, version: string): JsonObject | undefined {
  const served = cluster.registry.all().filter((r) => r.group === group && r.version === version);
  const [first] = served;
  if (first === undefined) return undefined;
  return {
    kind: 'APIResourceList',
    ...(group === '' ? {} : { apiVersion: 'v1' }),
    groupVersion: apiVersionOf(first),
    resources: served.flatMap((resource) => [apiResource(resource), ...subresourceEntries(resource)]),
  };
}

function apiResource(resource: Resource): JsonObject {
  const { plural, singular, namespaced, kind, verbs, shortNames, categories } = resource;
  return {
    name: plural,
    singularName: singular,
    namespaced,
    kind,
    verbs: [...verbs],
    ...(shortNames.length === 0 ? {} : { shortNames: [...shortNames] }),
    ...(categories.length === 0 ? {} : { categories: [...categories] }),
    ...(resource.answer === undefined ? { storageVersionHash: storageVersionHash(resource) } : {}),
  };
}

function storageVersionHash({ group, version, kind }: Resource): string {
  return createHash('sha256')
    .update(`${group}/${version}/${kind}`)
    .digest()
    .subarray(0, 8)
    .toString('base64');
}

function subresourceEntries(resource: Resource): JsonObject[] {
  return subresourcesOf(resource).map(({ name, kind, group, version, verbs }) => ({
    name: `${resource.plural}/${name}`,
    singularName: '',
    namespaced: resource.namespaced,
    ...(group === undefined || version === undefined ? {} : { group, version }),
    kind,
    verbs: [...verbs],
  }));
}

/** Returns aggregated discovery (apidiscovery.k8s.io/v2) of the core group (`/api`) or of all others (`/apis`). */
export function aggregatedDiscovery(cluster: Cluster, core: boolean): JsonObject {
  const items = [...groups(cluster)]
    .filter(([name]) => (name === '') === core)
    .map(([name, versions]) => ({
      metadata: name === '' ? {} : { name },
      versions: versions.map((version) => ({
        version,
        resources: cluster.registry
          .all()
          .filter((resource) => resource.group === name && resource.version === version)
          .map(discoveredResource),
        freshness: 'Current',
      })),
    }));
  return { kind: 'APIGroupDiscoveryList', apiVersion: 'apidiscovery.k8s.io/v2', metadata: {}, items };
}

function discoveredResource(resource: Resource): JsonObject {
  const { plural, kind, group, version, namespaced, singular, verbs, shortNames, categories } = resource;
  const subresources = subresourcesOf(resource).map((entry) => ({
    subresource: entry.name,
    responseKind: {
      group: entry.group ?? '',
      version: entry.version ?? '',
      kind: entry.kind,
    },
    verbs: [...entry.verbs],
  }));
  return {
    resource: plural,
    responseKind: resource.custom ? { group, version, kind } : { group: '', version: '', kind },
    scope: namespaced ? 'Namespaced' : 'Cluster',
    singularResource: singular,
    verbs: [...verbs],
    ...(shortNames.length === 0 ? {} : { shortNames: [...shortNames] }),
    ...(categories.length === 0 ? {} : { categories: [...categories] }),
    ...(subresources.length === 0 ? {} : { subresources }),
  };
}
