import { expect } from 'expect';
import { defineGroup, type Rule } from '../suite/case.js';
import { accepted } from '../suite/reading.js';
import { aggregatedDiscovery, type ApiResource } from './discovery-aggregated.js';
import { negotiation } from './discovery-negotiation.js';
import { documents } from './discovery-documents.js';

interface ApiGroup {
  name: string;
  versions: { groupVersion: string; version: string }[];
  preferredVersion: { groupVersion: string; version: string };
}

export const discovery = defineGroup(
  'discovery',
  { source: 'https://kubernetes.io/docs/concepts/overview/kubernetes-api/#discovery-api' },
  (rule) => {
    groupLists(rule);
    resourceLists(rule);
    resources(rule);
    subresources(rule);
    aggregatedDiscovery(rule);
    documents(rule);
    negotiation(rule);
  },
);

function groupLists(rule: Rule): void {
  rule('lists the versions of the core group at /api', async ({ api }) => {
    const body = accepted(await api.get('/api'));
    expect(body).toMatchObject({ kind: 'APIVersions', versions: expect.arrayContaining(['v1']) });
    expect(body['serverAddressByClientCIDRs']).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ clientCIDR: expect.any(String), serverAddress: expect.any(String) }),
      ]),
    );
  });

  rule('lists each API group once with its versions and a preferred one at /apis', async ({ api }) => {
    const body = accepted(await api.get('/apis'));
    expect(body).toMatchObject({ kind: 'APIGroupList', apiVersion: 'v1' });
    const groups = body['groups'] as ApiGroup[];
    const names = groups.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    expect(names).not.toContain('');
    expect(names).toEqual(
      expect.arrayContaining([
        'apps',
        'events.k8s.io',
        'authentication.k8s.io',
        'authorization.k8s.io',
        'rbac.authorization.k8s.io',
        'apiextensions.k8s.io',
        'admissionregistration.k8s.io',
        'coordination.k8s.io',
      ]),
    );
    for (const { name, versions, preferredVersion } of groups) {
      expect(versions).toContainEqual(preferredVersion);
      for (const { groupVersion, version } of versions) expect(groupVersion).toBe(`${name}/${version}`);
    }
  });

  rule('describes one API group at /apis/GROUP', async ({ api }) => {
    const v1 = { groupVersion: 'coordination.k8s.io/v1', version: 'v1' };
    expect(accepted(await api.get('/apis/coordination.k8s.io'))).toMatchObject({
      kind: 'APIGroup',
      apiVersion: 'v1',
      name: 'coordination.k8s.io',
      versions: expect.arrayContaining([v1]),
      preferredVersion: v1,
    });
    expect((await api.get('/apis/unknown.conformance.example')).status).toBe(404);
  });
}

function resourceLists(rule: Rule): void {
  const all = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'];

  rule('lists the resources of a group version with scope, kind and verbs', async ({ api }) => {
    const body = accepted(await api.get('/api/v1'));
    expect(body).toMatchObject({ kind: 'APIResourceList', groupVersion: 'v1' });
    const find = finder(body['resources']);
    expect(find('configmaps')).toMatchObject({
      singularName: 'configmap',
      namespaced: true,
      kind: 'ConfigMap',
    });
    expect(find('secrets')).toMatchObject({ singularName: 'secret', namespaced: true, kind: 'Secret' });
    expect(find('namespaces')).toMatchObject({ namespaced: false, kind: 'Namespace' });
    for (const name of ['configmaps', 'secrets', 'events', 'serviceaccounts', 'pods', 'services']) {
      expect(find(name)?.verbs).toEqual(expect.arrayContaining(all));
    }
  });

  rule('leaves deletecollection out of the verbs of namespaces and refuses it', async ({ api }) => {
    const namespaces = finder(accepted(await api.get('/api/v1'))['resources'])('namespaces');
    const others = all.filter((verb) => verb !== 'deletecollection');
    expect(namespaces?.verbs).toEqual(expect.arrayContaining(others));
    expect(namespaces?.verbs).not.toContain('deletecollection');
    const refused = await api.delete('/api/v1/namespaces', {
      query: { labelSelector: 'conformance.example/matches-nothing' },
    });
    expect(refused.status).toBe(405);
    expect(refused.body).toMatchObject({ kind: 'Status', reason: 'MethodNotAllowed' });
  });

  rule('names the short names and the categories of resources', async ({ api }) => {
    const core = finder(accepted(await api.get('/api/v1'))['resources']);
    expect(core('configmaps')?.shortNames).toContain('cm');
    expect(core('namespaces')?.shortNames).toContain('ns');
    expect(core('serviceaccounts')?.shortNames).toContain('sa');
    expect(core('events')?.shortNames).toContain('ev');
    expect(core('pods')).toMatchObject({ shortNames: ['po'], categories: ['all'] });
    expect(core('secrets')?.shortNames ?? []).toEqual([]);
    const apps = finder(accepted(await api.get('/apis/apps/v1'))['resources']);
    expect(apps('deployments')).toMatchObject({ shortNames: ['deploy'], categories: ['all'] });
    const crd = finder(accepted(await api.get('/apis/apiextensions.k8s.io/v1'))['resources']);
    expect(crd('customresourcedefinitions')?.shortNames).toEqual(expect.arrayContaining(['crd', 'crds']));
  });
}

function resources(rule: Rule): void {
  rule('offers reviews for create alone', async ({ api }) => {
    const access = finder(accepted(await api.get('/apis/authorization.k8s.io/v1'))['resources']);
    expect(access('selfsubjectaccessreviews')).toMatchObject({ namespaced: false, verbs: ['create'] });
    expect(access('localsubjectaccessreviews')).toMatchObject({ namespaced: true, verbs: ['create'] });
    const tokens = finder(accepted(await api.get('/apis/authentication.k8s.io/v1'))['resources']);
    expect(tokens('tokenreviews')).toMatchObject({ namespaced: false, verbs: ['create'] });
    expect((await api.get('/apis/authentication.k8s.io/v1/tokenreviews')).status).toBe(405);
  });

  rule('states the group version of every resource list', async ({ api }) => {
    for (const groupVersion of [
      'rbac.authorization.k8s.io/v1',
      'events.k8s.io/v1',
      'coordination.k8s.io/v1',
    ]) {
      expect(accepted(await api.get(`/apis/${groupVersion}`))).toMatchObject({
        kind: 'APIResourceList',
        apiVersion: 'v1',
        groupVersion,
      });
    }
    expect((await api.get('/apis/apps/v9')).status).toBe(404);
  });
}

function subresources(rule: Rule): void {
  rule('lists status subresources beside their resource', async ({ api }) => {
    const find = finder(accepted(await api.get('/api/v1'))['resources']);
    for (const [name, kind] of [
      ['namespaces/status', 'Namespace'],
      ['pods/status', 'Pod'],
      ['services/status', 'Service'],
    ] as const) {
      expect(find(name)).toMatchObject({ kind, singularName: '' });
      expect([...(find(name)?.verbs ?? [])].sort()).toEqual(['get', 'patch', 'update']);
    }
    expect(find('configmaps/status')).toBeUndefined();
  });

  rule('lists the scale subresource with the kind autoscaling/v1 Scale', async ({ api }) => {
    const find = finder(accepted(await api.get('/apis/apps/v1'))['resources']);
    expect(find('deployments/scale')).toMatchObject({
      kind: 'Scale',
      group: 'autoscaling',
      version: 'v1',
      namespaced: true,
    });
    expect([...(find('deployments/scale')?.verbs ?? [])].sort()).toEqual(['get', 'patch', 'update']);
    expect(find('deployments/status')).toMatchObject({ kind: 'Deployment' });
  });

  rule('lists the token subresource of service accounts for create', async ({ api }) => {
    const find = finder(accepted(await api.get('/api/v1'))['resources']);
    expect(find('serviceaccounts/token')).toMatchObject({
      kind: 'TokenRequest',
      group: 'authentication.k8s.io',
      version: 'v1',
      verbs: ['create'],
    });
  });
}

/** Returns a function that finds a resource of an APIResourceList by its name. */
function finder(resources: unknown): (name: string) => ApiResource | undefined {
  return (name) => (resources as ApiResource[]).find((resource) => resource.name === name);
}
