import { expect } from 'expect';
import type { Rule } from '../../suite/case.js';
import type { Scope } from '../../suite/scope.js';
import { patched, type StartWebhooks, webhookRule, type Webhooks } from '../../suite/webhooks.js';

const kind = 'ValidatingWebhookConfiguration';
const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const preserve = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };

interface Widgets {
  group: string;
  /** Returns the path of the collection, or of an object, in a version. */
  path(name?: string, version?: string): string;
  object(hooks: Webhooks, name: string, spec?: object, version?: string): object;
}

/** Creates a CRD of widgets in v1 (stored) and v1beta1, with status and scale, and waits until it is served. */
async function defineWidgets(scope: Scope): Promise<Widgets> {
  const group = `${scope.name('widgets')}.example.dev`;
  const schema = {
    openAPIV3Schema: {
      type: 'object',
      properties: {
        spec: {
          type: 'object',
          properties: {
            size: { type: 'string', default: 'M', enum: ['S', 'M', 'L'] },
            replicas: { type: 'integer' },
          },
        },
        status: preserve,
      },
    },
  };
  const subresources = {
    status: {},
    scale: { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas' },
  };
  const version = (name: string, storage: boolean) => ({ name, served: true, storage, schema, subresources });
  scope.deleteAfterwards(`${definitions}/widgets.${group}`);
  const { status, text } = await scope.api.post(definitions, {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `widgets.${group}` },
    spec: {
      group,
      scope: 'Namespaced',
      names: { plural: 'widgets', singular: 'widget', kind: 'Widget' },
      versions: [version('v1', true), version('v1beta1', false)],
    },
  });
  if (status !== 201) throw new Error(`the definition cannot be created: ${status} ${text}`);
  const path = (name?: string, served = 'v1'): string =>
    `/apis/${group}/${served}/namespaces/${scope.namespace}/widgets${name === undefined ? '' : `/${name}`}`;
  for (const served of ['v1', 'v1beta1']) {
    await scope.eventually(path(undefined, served), (answer) => answer.status === 200);
  }
  return {
    group,
    path,
    object: (hooks, name, spec = {}, served = 'v1') => ({
      apiVersion: `${group}/${served}`,
      kind: 'Widget',
      metadata: { name, labels: hooks.labels },
      spec,
    }),
  };
}

function aboutWidgets(group: string, fields: object = {}): object {
  return {
    rules: [webhookRule({ operations: ['*'], apiGroups: [group], resources: ['widgets'], ...fields })],
  };
}

/** Webhooks for custom resources. */
export function customResourceRules(rule: Rule, startWebhooks: StartWebhooks): void {
  rule(
    'calls a webhook for custom resources with their defaults and without unknown fields',
    async (scope) => {
      const [hooks, widgets] = [await startWebhooks(scope), await defineWidgets(scope)];
      await hooks.register(kind, { seen: { fields: aboutWidgets(widgets.group) } });
      const name = scope.name('widget');
      const object = widgets.object(hooks, name, { replicas: 2, unknown: 'x' });
      expect((await scope.api.post(widgets.path(), object)).status).toBe(201);
      const [request] = hooks.asked('seen');
      expect(request).toMatchObject({
        kind: { group: widgets.group, version: 'v1', kind: 'Widget' },
        resource: { group: widgets.group, version: 'v1', resource: 'widgets' },
        operation: 'CREATE',
        object: { apiVersion: `${widgets.group}/v1`, kind: 'Widget', metadata: { name } },
      });
      expect(request?.object?.spec).toEqual({ replicas: 2, size: 'M' });
    },
  );

  rule('validates a custom resource by its schema after mutating webhooks', async (scope) => {
    const [hooks, widgets] = [await startWebhooks(scope), await defineWidgets(scope)];
    await hooks.register('MutatingWebhookConfiguration', {
      resize: {
        handler: ({ request }) =>
          patched({
            op: 'add',
            path: '/spec/size',
            value: request.object?.spec?.['size'] === 'S' ? 'XXL' : 'L',
          }),
        fields: aboutWidgets(widgets.group),
      },
    });
    const create = (size: string) =>
      scope.api.post(widgets.path(), widgets.object(hooks, scope.name('widget'), { size }));
    const refused = await create('S');
    expect(refused.status).toBe(422);
    expect(refused.body.details?.causes).toContainEqual(
      expect.objectContaining({ field: 'spec.size', reason: 'FieldValueNotSupported' }),
    );
    const stored = await create('M');
    expect(stored.status).toBe(201);
    expect(stored.body.spec).toMatchObject({ size: 'L' });
  });

  rule('calls a webhook for the status subresource only when a rule names it', async (scope) => {
    const [hooks, widgets] = [await startWebhooks(scope), await defineWidgets(scope)];
    await hooks.register(kind, {
      main: { fields: aboutWidgets(widgets.group) },
      status: { fields: aboutWidgets(widgets.group, { resources: ['widgets/status'] }) },
      all: { fields: aboutWidgets(widgets.group, { resources: ['widgets/*'] }) },
    });
    const name = scope.name('widget');
    await scope.api.post(widgets.path(), widgets.object(hooks, name));
    expect(hooks.asked('status')).toHaveLength(0);
    const before = hooks.asked('main').length;
    const change = { status: { phase: 'Ready' } };
    const changed = await scope.api.patch(`${widgets.path(name)}/status`, 'merge', change);
    expect(changed.status).toBe(200);
    expect(hooks.asked('main')).toHaveLength(before);
    expect(hooks.asked('status').at(-1)).toMatchObject({
      operation: 'UPDATE',
      subResource: 'status',
      requestSubResource: 'status',
      kind: { kind: 'Widget' },
      object: change,
    });
    expect(hooks.asked('all').some(({ subResource }) => subResource === 'status')).toBe(true);
  });

  rule('calls a webhook for the scale subresource with a Scale', async (scope) => {
    const [hooks, widgets] = [await startWebhooks(scope), await defineWidgets(scope)];
    const scale = aboutWidgets(widgets.group, { resources: ['widgets/scale'] });
    /* A Scale does not have the labels of its object. */
    await hooks.register(kind, { scale: { fields: { ...scale, objectSelector: {} } } });
    const name = scope.name('widget');
    await scope.api.post(widgets.path(), widgets.object(hooks, name, { replicas: 1 }));
    expect(hooks.asked('scale')).toHaveLength(0);
    const path = `${widgets.path(name)}/scale`;
    expect((await scope.api.patch(path, 'merge', { spec: { replicas: 3 } })).status).toBe(200);
    expect(hooks.asked('scale').at(-1)).toMatchObject({
      operation: 'UPDATE',
      subResource: 'scale',
      kind: { group: 'autoscaling', version: 'v1', kind: 'Scale' },
      resource: { group: widgets.group, version: 'v1', resource: 'widgets' },
      name,
      object: { kind: 'Scale', spec: { replicas: 3 } },
      oldObject: { kind: 'Scale', spec: { replicas: 1 } },
    });
  });

  rule('converts the object for a rule of another version with matchPolicy Equivalent', async (scope) => {
    const [hooks, widgets] = [await startWebhooks(scope), await defineWidgets(scope)];
    const { group } = widgets;
    await hooks.register(kind, {
      equivalent: { fields: { ...aboutWidgets(group), matchPolicy: 'Equivalent' } },
      exact: { fields: { ...aboutWidgets(group), matchPolicy: 'Exact' } },
    });
    const create = (served: string) =>
      scope.api.post(
        widgets.path(undefined, served),
        widgets.object(hooks, scope.name('widget'), {}, served),
      );
    expect((await create('v1beta1')).status).toBe(201);
    expect(hooks.asked('equivalent').at(-1)).toMatchObject({
      kind: { group, version: 'v1', kind: 'Widget' },
      requestKind: { group, version: 'v1beta1', kind: 'Widget' },
      resource: { group, version: 'v1', resource: 'widgets' },
      requestResource: { group, version: 'v1beta1', resource: 'widgets' },
      object: { apiVersion: `${group}/v1` },
    });
    expect(hooks.asked('exact')).toHaveLength(0);
    expect((await create('v1')).status).toBe(201);
    expect(hooks.asked('exact')).toMatchObject([{ requestKind: { version: 'v1' } }]);
  });
}
