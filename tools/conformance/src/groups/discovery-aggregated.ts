import { expect } from 'expect';
import type { Rule } from '../suite/case.js';
import { accepted } from '../suite/reading.js';

/** A resource in plain discovery (`meta/v1` APIResource). */
export interface ApiResource {
  name: string;
  singularName: string;
  namespaced: boolean;
  kind: string;
  group?: string;
  version?: string;
  verbs: string[];
  shortNames?: string[];
  categories?: string[];
}

interface DiscoveredGroup {
  metadata: { name?: string };
  versions: { version: string; freshness?: string; resources: DiscoveredResource[] }[];
}

interface DiscoveredResource {
  resource: string;
  responseKind: { kind: string };
  scope: string;
  singularResource: string;
  verbs: string[];
  shortNames?: string[];
  categories?: string[];
  subresources?: { subresource: string; responseKind: { kind: string }; verbs: string[] }[];
}

const aggregated = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';

/** Declares the cases about aggregated discovery (KEP-3352). */
export function aggregatedDiscovery(rule: Rule): void {
  content(rule);
  requests(rule);
}

function content(rule: Rule): void {
  rule('describes all groups in one document with aggregated discovery', async ({ api }) => {
    const answer = await api.get('/apis', { accept: aggregated });
    const body = accepted(answer);
    expect(body).toMatchObject({ kind: 'APIGroupDiscoveryList', apiVersion: 'apidiscovery.k8s.io/v2' });
    expect(String(answer.headers['content-type'])).toContain('g=apidiscovery.k8s.io');
    const apps = groupOf(body.items, 'apps').versions.find(({ version }) => version === 'v1');
    expect(apps?.freshness).toBe('Current');
    expect(apps?.resources.find(({ resource }) => resource === 'deployments')).toMatchObject({
      responseKind: { kind: 'Deployment' },
      scope: 'Namespaced',
      singularResource: 'deployment',
      verbs: expect.arrayContaining(['create', 'get', 'list', 'watch']),
      shortNames: ['deploy'],
      categories: ['all'],
      subresources: expect.arrayContaining([
        expect.objectContaining({
          subresource: 'scale',
          responseKind: expect.objectContaining({ kind: 'Scale' }),
        }),
        expect.objectContaining({ subresource: 'status' }),
      ]),
    });
  });

  rule('describes the core group with aggregated discovery at /api', async ({ api }) => {
    const body = accepted(await api.get('/api', { accept: aggregated }));
    expect(body.items).toHaveLength(1);
    const [version] = groupOf(body.items, undefined).versions;
    expect(version?.version).toBe('v1');
    const find = (name: string): DiscoveredResource | undefined =>
      version?.resources.find(({ resource }) => resource === name);
    expect(find('configmaps')).toMatchObject({ scope: 'Namespaced', responseKind: { kind: 'ConfigMap' } });
    expect(find('namespaces')).toMatchObject({ scope: 'Cluster', responseKind: { kind: 'Namespace' } });
    expect(find('configmaps')?.subresources ?? []).toEqual([]);
  });

  rule('reports the same resources in aggregated and in plain discovery', async ({ api }) => {
    for (const group of ['apps', 'coordination.k8s.io', 'rbac.authorization.k8s.io']) {
      const plain = accepted(await api.get(`/apis/${group}/v1`))['resources'] as ApiResource[];
      const list = accepted(await api.get('/apis', { accept: aggregated })).items;
      const version = groupOf(list, group).versions.find((one) => one.version === 'v1');
      const found = (version?.resources ?? []).flatMap(
        ({ resource, responseKind, verbs, subresources = [] }) => [
          [resource, responseKind.kind, [...verbs].sort().join()],
          ...subresources.map((sub) => [
            `${resource}/${sub.subresource}`,
            sub.responseKind.kind,
            [...sub.verbs].sort().join(),
          ]),
        ],
      );
      const expected = plain.map(({ name, kind, verbs }) => [name, kind, [...verbs].sort().join()]);
      expect(found.sort(byName)).toEqual(expected.sort(byName));
    }
  });
}

function requests(rule: Rule): void {
  rule('falls back to plain discovery when the client does not ask for a known version', async ({ api }) => {
    const unknown = 'application/json;g=apidiscovery.k8s.io;v=v99;as=APIGroupDiscoveryList';
    const fallback = accepted(await api.get('/apis', { accept: `${unknown},application/json` }));
    expect(fallback.kind).toBe('APIGroupList');
    const both = accepted(await api.get('/apis', { accept: `${unknown},${aggregated},application/json` }));
    expect(both.kind).toBe('APIGroupDiscoveryList');
    expect((await api.get('/apis', { accept: unknown })).status).toBe(406);
  });

  rule('answers 304 Not Modified when aggregated discovery has the ETag of the client', async ({ api }) => {
    const first = await api.get('/api', { accept: aggregated });
    const etag = String(first.headers['etag']);
    expect(etag).toMatch(/^"[^"]+"$/);
    const same = await api.get('/api', { accept: aggregated, headers: { 'if-none-match': etag } });
    expect([same.status, same.text]).toEqual([304, '']);
    expect(same.headers['content-type']).toBeUndefined();
    const other = await api.get('/api', { accept: aggregated, headers: { 'if-none-match': '"other"' } });
    expect([other.status, other.text]).toEqual([200, first.text]);
  });
}

/** Returns the group of an APIGroupDiscoveryList; the core group has no name. */
function groupOf(items: unknown, name: string | undefined): DiscoveredGroup {
  const group = (items as DiscoveredGroup[]).find(({ metadata }) => metadata.name === name);
  if (group === undefined) throw new Error(`discovery does not list the group ${name ?? '""'}`);
  return group;
}

function byName([a = '']: string[], [b = '']: string[]): number {
  return a < b ? -1 : 1;
}
