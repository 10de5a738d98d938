import { expect } from 'expect';
import { define, objectOf, text, whole, type Cases, type Fields } from './definition.js';

const spec = objectOf({ size: { ...text, description: 'How large it is.' }, replicas: whole });
const subresources = {
  status: {},
  scale: { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas' },
};

/** Rules about how a definition appears in discovery. */
export const discoveryCases: Cases = {
  'lists a resource and its subresources in the discovery of its version': async (scope) => {
    const widgets = await define(scope, {
      spec,
      status: objectOf({ replicas: whole }),
      names: { shortNames: ['wx'], categories: ['things'] },
      version: { subresources },
    });
    const path = `/apis/${widgets.group}/v1`;
    const { body } = await scope.eventually(path, (answer) => answer.status === 200);
    expect(body).toMatchObject({ kind: 'APIResourceList', groupVersion: `${widgets.group}/v1` });
    const resources = body['resources'] as Fields[];
    expect(resources.map(({ name }) => name).sort()).toEqual(['widgets', 'widgets/scale', 'widgets/status']);
    const main = resources.find(({ name }) => name === 'widgets');
    expect(main).toMatchObject({
      singularName: 'widget',
      namespaced: true,
      kind: 'Widget',
      shortNames: ['wx'],
      categories: ['things'],
    });
    expect([...(main?.['verbs'] as string[])].sort()).toEqual([
      'create',
      'delete',
      'deletecollection',
      'get',
      'list',
      'patch',
      'update',
      'watch',
    ]);
    expect(resources.find(({ name }) => name === 'widgets/scale')).toMatchObject({
      group: 'autoscaling',
      version: 'v1',
      kind: 'Scale',
    });
  },

  'prefers the highest version by its name in the discovery of a group': async (scope) => {
    const versions = [
      { name: 'v1alpha1' },
      { name: 'v1', storage: false },
      { name: 'v1beta2', storage: false },
      { name: 'v2', storage: false, served: false },
    ];
    const widgets = await define(scope, { spec, versions });
    const { body } = await scope.eventually(`/apis/${widgets.group}`, (answer) => answer.status === 200);
    const names = (body['versions'] as Fields[]).map(({ version }) => version);
    expect(names).toEqual(['v1', 'v1beta2', 'v1alpha1']);
    expect(body).toMatchObject({
      kind: 'APIGroup',
      name: widgets.group,
      preferredVersion: { version: 'v1' },
    });
  },
};

/** Rules about the published OpenAPI documents. */
export const openApiCases: Cases = {
  'publishes the schema of a definition in OpenAPI': async (scope) => {
    const widgets = await define(scope, { spec });
    const path = `/openapi/v3/apis/${widgets.group}/v1`;
    const { body } = await scope.eventually(
      path,
      ({ status, text: answer }) => status === 200 && answer.includes('How large it is.'),
    );
    const { schemas } = body['components'] as { schemas: Record<string, Fields> };
    const [, schema] = Object.entries(schemas).find(([name]) => name.endsWith('.v1.Widget')) ?? [];
    expect(schema).toMatchObject({
      properties: { spec: { properties: { size: { type: 'string', description: 'How large it is.' } } } },
      'x-kubernetes-group-version-kind': [{ group: widgets.group, version: 'v1', kind: 'Widget' }],
    });
  },
};
