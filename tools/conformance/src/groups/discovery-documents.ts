import { expect } from 'expect';
import type { Rule } from '../suite/case.js';
import { accepted } from '../suite/reading.js';
import type { Scope } from '../suite/scope.js';

interface GroupVersionKind {
  group: string;
  version: string;
  kind: string;
}

interface Schema {
  type?: string;
  properties?: Record<string, Schema>;
  'x-kubernetes-group-version-kind'?: GroupVersionKind[];
}

interface OpenApi {
  openapi: string;
  paths: Record<string, Record<string, unknown>>;
  components: { schemas: Record<string, Schema> };
}

/** Declares the cases about non-resource documents: version, health, paths, OpenAPI. */
export function documents(rule: Rule): void {
  server(rule);
  openApi(rule);
}

function server(rule: Rule): void {
  rule('states its version at /version', async ({ api }) => {
    const body = accepted(await api.get('/version'));
    expect(body['major']).toBe('1');
    expect(body['minor']).toMatch(/^\d+\+?$/);
    expect(body['gitVersion']).toMatch(/^v1\.\d+\.\d+/);
    expect(body['platform']).toMatch(/^\w+\/\w+$/);
  });

  rule('lists the paths that it serves at /', async ({ api }) => {
    const paths = accepted(await api.get('/'))['paths'];
    expect(paths).toEqual(
      expect.arrayContaining([
        '/api',
        '/api/v1',
        '/apis',
        '/apis/apps',
        '/apis/apps/v1',
        '/openapi/v3',
        '/version',
      ]),
    );
  });

  for (const path of ['/healthz', '/livez', '/readyz']) {
    rule(
      `reports its health at ${path} as text, with its checks when they are asked for`,
      async ({ api }) => {
        const answer = await api.get(path);
        expect([answer.status, answer.text]).toEqual([200, 'ok']);
        const verbose = await api.get(path, { query: { verbose: '' } });
        expect(verbose.status).toBe(200);
        expect(verbose.text).toContain('[+]ping ok\n');
        expect(verbose.text).toContain(`${path.slice(1)} check passed`);
        const ping = await api.get(`${path}/ping`);
        expect([ping.status, ping.text]).toEqual([200, 'ok']);
        expect((await api.get(`${path}/unknown-check`)).status).toBe(404);
      },
    );
  }
}

function openApi(rule: Rule): void {
  rule('lists an OpenAPI v3 document for each group version', async ({ api }) => {
    const paths = await openApiPaths(api);
    for (const groupVersion of ['api/v1', 'apis/apps/v1', 'apis/coordination.k8s.io/v1']) {
      expect(paths[groupVersion]?.serverRelativeURL).toMatch(
        new RegExp(`^/openapi/v3/${groupVersion.replaceAll('.', '\\.')}\\?hash=\\w+$`),
      );
    }
    expect(paths['apis/unknown.conformance.example/v1']).toBeUndefined();
    expect((await api.get('/openapi/v3/apis/unknown.conformance.example/v1')).status).toBe(404);
  });

  rule('describes the paths and kinds of a group version in its OpenAPI v3 document', async ({ api }) => {
    const url = (await openApiPaths(api))['api/v1']?.serverRelativeURL ?? '';
    const document = accepted(await api.get(url)) as unknown as OpenApi;
    expect(document.openapi).toMatch(/^3\./);
    const collection = document.paths['/api/v1/namespaces/{namespace}/configmaps'];
    expect(collection?.['post']).toMatchObject({
      'x-kubernetes-group-version-kind': { group: '', version: 'v1', kind: 'ConfigMap' },
    });
    expect(document.paths['/api/v1/namespaces/{namespace}/configmaps/{name}']).toMatchObject({
      get: expect.anything(),
      put: expect.anything(),
      patch: expect.anything(),
      delete: expect.anything(),
    });
    const configMap = schemaOf(document, { group: '', version: 'v1', kind: 'ConfigMap' });
    expect(configMap).toMatchObject({ type: 'object', properties: { data: { type: 'object' } } });
    expect(Object.keys(configMap?.properties ?? {})).toEqual(
      expect.arrayContaining(['apiVersion', 'kind', 'metadata', 'data', 'binaryData', 'immutable']),
    );
  });

  rule('keeps the OpenAPI v3 document of a group version to its own kinds', async ({ api }) => {
    const answer = await api.get('/openapi/v3/apis/coordination.k8s.io/v1');
    const document = accepted(answer) as unknown as OpenApi;
    expect(schemaOf(document, { group: 'coordination.k8s.io', version: 'v1', kind: 'Lease' })).toBeDefined();
    expect(schemaOf(document, { group: '', version: 'v1', kind: 'ConfigMap' })).toBeUndefined();
    const foreign = Object.keys(document.paths).filter(
      (path) => !path.startsWith('/apis/coordination.k8s.io/v1/'),
    );
    expect(foreign).toEqual([]);
  });
}

async function openApiPaths(api: Scope['api']): Promise<Record<string, { serverRelativeURL: string }>> {
  return accepted(await api.get('/openapi/v3'))['paths'] as Record<string, { serverRelativeURL: string }>;
}

function schemaOf({ components }: OpenApi, kind: GroupVersionKind): Schema | undefined {
  return Object.values(components.schemas).find((schema) =>
    schema['x-kubernetes-group-version-kind']?.some(
      (one) => one.group === kind.group && one.version === kind.version && one.kind === kind.kind,
    ),
  );
}
