import { expect } from 'expect';
import type { Rule } from '../suite/case.js';
import { configMap } from '../suite/objects.js';
import { accepted, asTable, create } from '../suite/reading.js';
import type { Scope } from '../suite/scope.js';
import type { Table } from '../suite/table.js';

const columnsOf: Readonly<Record<string, readonly string[]>> = {
  '/api/v1/configmaps': ['Name', 'Data', 'Age'],
  '/api/v1/secrets': ['Name', 'Type', 'Data', 'Age'],
  '/api/v1/namespaces': ['Name', 'Status', 'Age'],
  '/api/v1/serviceaccounts': ['Name', 'Age'],
  '/api/v1/services': ['Name', 'Type', 'Cluster-IP', 'External-IP', 'Port(s)', 'Age'],
  '/api/v1/pods': ['Name', 'Ready', 'Status', 'Restarts', 'Age'],
  '/api/v1/events': ['Last Seen', 'Type', 'Reason', 'Object', 'Message'],
  '/apis/apps/v1/deployments': ['Name', 'Ready', 'Up-to-date', 'Available', 'Age'],
  '/apis/coordination.k8s.io/v1/leases': ['Name', 'Holder', 'Age'],
  '/apis/rbac.authorization.k8s.io/v1/clusterroles': ['Name'],
  '/apis/rbac.authorization.k8s.io/v1/rolebindings': ['Name', 'Role', 'Age'],
  '/apis/apiextensions.k8s.io/v1/customresourcedefinitions': ['Name', 'Created At'],
};

/** Declares the cases about the columns and cells of built-in kinds. */
export function columns(rule: Rule): void {
  definitions(rule);
  cells(rule);
  workloads(rule);
}

function definitions(rule: Rule): void {
  rule('describes the columns of built-in kinds', async ({ api }) => {
    for (const [path, expected] of Object.entries(columnsOf)) {
      const { columnDefinitions } = await tableOf(api, path);
      const shown = columnDefinitions.filter(({ priority }) => priority === 0).map(({ name }) => name);
      expect([path, shown.filter((name) => expected.includes(name))]).toEqual([path, expected]);
      for (const column of columnDefinitions) {
        expect(column).toMatchObject({
          type: expect.stringMatching(/^(string|integer|number|boolean|date)$/),
          format: expect.any(String),
          description: expect.any(String),
          priority: expect.any(Number),
        });
      }
      expect(columnDefinitions).toContainEqual(
        expect.objectContaining({ name: 'Name', type: 'string', format: 'name' }),
      );
    }
  });

  rule('gives a priority above 0 to the columns of wide output', async ({ api }) => {
    for (const [path, wide] of [
      ['/api/v1/services', ['Selector']],
      ['/api/v1/pods', ['IP', 'Node']],
      ['/apis/apps/v1/deployments', ['Containers', 'Images', 'Selector']],
      ['/apis/rbac.authorization.k8s.io/v1/rolebindings', ['Users', 'Groups', 'ServiceAccounts']],
      ['/api/v1/events', ['Source', 'Count', 'Name']],
    ] as const) {
      const { columnDefinitions } = await tableOf(api, path);
      for (const name of wide) {
        const column = columnDefinitions.find((one) => one.name === name);
        expect([path, name, column?.priority]).toEqual([path, name, 1]);
      }
    }
  });
}

function cells(rule: Rule): void {
  rule('fills the cells of a row in the order of the columns', async (scope) => {
    const name = scope.name('cells');
    await create(scope, scope.core('configmaps'), configMap(name, { a: '1', b: '2' }));
    await create(scope, scope.core('secrets'), {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name },
      type: 'conformance.example/token',
      stringData: { a: '1' },
    });
    const leases = `/apis/coordination.k8s.io/v1/namespaces/${scope.namespace}/leases`;
    await create(scope, leases, {
      apiVersion: 'coordination.k8s.io/v1',
      kind: 'Lease',
      metadata: { name },
      spec: { holderIdentity: 'holder-0' },
    });
    expect(await rowOf(scope, scope.core('configmaps', name))).toMatchObject({ Name: name, Data: 2 });
    expect(await rowOf(scope, scope.core('secrets', name))).toMatchObject({
      Name: name,
      Type: 'conformance.example/token',
      Data: 1,
    });
    expect(await rowOf(scope, `${leases}/${name}`)).toMatchObject({ Name: name, Holder: 'holder-0' });
    const namespace = await rowOf(scope, `/api/v1/namespaces/${scope.namespace}`);
    expect(namespace).toMatchObject({ Name: scope.namespace, Status: 'Active' });
    expect(namespace['Age']).toMatch(/^(\d+[smhdy])+$/);
  });
}

function workloads(rule: Rule): void {
  rule('prints addresses and ports of services', async (scope) => {
    const name = scope.name('service');
    await create(scope, scope.core('services'), {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name },
      spec: { clusterIP: 'None', selector: { app: name }, ports: [{ port: 80, protocol: 'TCP' }] },
    });
    expect(await rowOf(scope, scope.core('services', name))).toMatchObject({
      Name: name,
      Type: 'ClusterIP',
      'Cluster-IP': 'None',
      'External-IP': '<none>',
      'Port(s)': '80/TCP',
      Selector: `app=${name}`,
    });
  });

  rule('prints replicas, containers and images of deployments', async (scope) => {
    const name = scope.name('deployment');
    const path = `/apis/apps/v1/namespaces/${scope.namespace}/deployments`;
    const labels = { app: name };
    const containers = [{ name: 'main', image: 'registry.example/none:1' }];
    await create(scope, path, {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name },
      spec: {
        replicas: 0,
        selector: { matchLabels: labels },
        template: { metadata: { labels }, spec: { containers } },
      },
    });
    expect(await rowOf(scope, `${path}/${name}`)).toMatchObject({
      Name: name,
      Ready: '0/0',
      'Up-to-date': 0,
      Available: 0,
      Containers: 'main',
      Images: 'registry.example/none:1',
      Selector: `app=${name}`,
    });
  });
}

async function tableOf(api: Scope['api'], path: string): Promise<Table> {
  return accepted(await api.get(path, { accept: asTable, query: { limit: 1 } })) as unknown as Table;
}

/** Returns the cells of an object by the names of their columns. */
async function rowOf({ api }: Scope, path: string): Promise<Record<string, unknown>> {
  const { columnDefinitions, rows } = accepted(await api.get(path, { accept: asTable })) as unknown as Table;
  expect(rows).toHaveLength(1);
  expect(rows?.[0]?.cells).toHaveLength(columnDefinitions.length);
  return Object.fromEntries(columnDefinitions.map(({ name }, index) => [name, rows?.[0]?.cells[index]]));
}
