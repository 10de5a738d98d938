import { expect } from 'expect';
import type { Rule } from '../suite/case.js';
import { accepted, asMetadata, asMetadataList, createSet, namesOf } from '../suite/reading.js';

/** Declares the cases about the kinds of lists and about lists of metadata. */
export function shapes(rule: Rule): void {
  kinds(rule);
  metadata(rule);
}

function kinds(rule: Rule): void {
  rule(
    'answers with the list kind of each resource and with an empty array when nothing matches',
    async (scope) => {
      const query = { labelSelector: `set=${scope.name('nothing')}` };
      const v1 = scope.core('configmaps').replace('configmaps', '');
      const inNamespace = `namespaces/${scope.namespace}`;
      for (const [path, apiVersion, kind] of [
        [`${v1}configmaps`, 'v1', 'ConfigMapList'],
        [`${v1}events`, 'v1', 'EventList'],
        ['/api/v1/secrets', 'v1', 'SecretList'],
        ['/api/v1/namespaces', 'v1', 'NamespaceList'],
        [`/apis/events.k8s.io/v1/${inNamespace}/events`, 'events.k8s.io/v1', 'EventList'],
        [`/apis/coordination.k8s.io/v1/${inNamespace}/leases`, 'coordination.k8s.io/v1', 'LeaseList'],
        ['/apis/apps/v1/deployments', 'apps/v1', 'DeploymentList'],
        [
          '/apis/rbac.authorization.k8s.io/v1/clusterroles',
          'rbac.authorization.k8s.io/v1',
          'ClusterRoleList',
        ],
      ] as const) {
        const body = accepted(await scope.api.get(path, { query }));
        expect(body).toMatchObject({ apiVersion, kind, items: [] });
        expect(body.metadata.resourceVersion).toMatch(/^[1-9]\d*$/);
      }
    },
  );

  rule('answers with an empty list for a namespace that does not exist', async (scope) => {
    const path = `/api/v1/namespaces/${scope.name('absent')}/configmaps`;
    expect(accepted(await scope.api.get(path))).toMatchObject({ kind: 'ConfigMapList', items: [] });
  });

  rule('lists with watch set to false', async (scope) => {
    const { labelSelector, names } = await createSet(scope, [{}]);
    for (const watch of ['false', '0']) {
      const body = accepted(
        await scope.api.get(scope.core('configmaps'), { query: { labelSelector, watch } }),
      );
      expect([body.kind, namesOf(body)]).toEqual(['ConfigMapList', names]);
    }
  });
}

function metadata(rule: Rule): void {
  rule('lists metadata alone, in pages and with selectors', async (scope) => {
    const { labelSelector, names, objects } = await createSet(scope, [{}, {}, {}]);
    const path = scope.core('configmaps');
    const query = { labelSelector, limit: 2 };
    const first = accepted(await scope.api.get(path, { accept: asMetadataList, query }));
    expect(first).toMatchObject({ apiVersion: 'meta.k8s.io/v1', kind: 'PartialObjectMetadataList' });
    const rest = { ...query, continue: first.metadata.continue };
    const second = accepted(await scope.api.get(path, { accept: asMetadataList, query: rest }));
    const items = [...first.items, ...second.items];
    expect(items.map(({ metadata }) => metadata.name).sort()).toEqual(names);
    for (const item of items) {
      expect(Object.keys(item).sort()).toEqual(['apiVersion', 'kind', 'metadata']);
      expect(item).toMatchObject({ apiVersion: 'meta.k8s.io/v1', kind: 'PartialObjectMetadata' });
      const { uid } = item.metadata;
      expect(objects.find(({ metadata }) => metadata.uid === uid)?.metadata).toEqual(item.metadata);
    }
  });

  rule('answers with the metadata of one object alone', async (scope) => {
    const { names, objects } = await createSet(scope, [{}]);
    const answer = await scope.api.get(scope.core('configmaps', names[0]), { accept: asMetadata });
    expect(accepted(answer)).toEqual({
      apiVersion: 'meta.k8s.io/v1',
      kind: 'PartialObjectMetadata',
      metadata: objects[0]?.metadata,
    });
  });

  rule('refuses metadata of one object for a list, and of a list for one object', async (scope) => {
    const { names } = await createSet(scope, [{}]);
    for (const [path, accept] of [
      [scope.core('configmaps'), asMetadata],
      [scope.core('configmaps', names[0]), asMetadataList],
    ] as const) {
      const { status, body } = await scope.api.get(path, { accept });
      expect(status).toBe(406);
      expect(body).toMatchObject({ kind: 'Status', reason: 'NotAcceptable', code: 406 });
    }
  });
}
