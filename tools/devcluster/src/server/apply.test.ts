import { beforeAll, describe, expect, it } from '@jest/globals';
import { crds, gadget, gadgetDefinition, gadgets, metadataOf, useCluster } from '../testing/harness.js';
import type { JsonObject } from '../schema/types.js';
import type { Reply } from '../testing/client.js';

const api = useCluster();

beforeAll(async () => {
  await api.create(crds, gadgetDefinition({ subresources: { status: {} } }));
});

function managers(reply: Reply): unknown[] {
  return (metadataOf(reply)['managedFields'] as JsonObject[]).map(
    ({ manager, operation, subresource, fieldsV1 }) => [manager, operation, subresource, fieldsV1],
  );
}

describe('server-side apply', () => {
  it('creates an object, and changes nothing when it is repeated', async () => {
    const config = gadget('s', { parts: [{ id: 'a', size: 1 }] });
    const made = await api.apply(`${gadgets}/s`, 'one', config);
    expect([made.status, made.body['spec']]).toEqual([
      201,
      { colour: 'grey', parts: [{ id: 'a', size: 1 }] },
    ]);
    const fields = { 'f:spec': { 'f:parts': { 'k:{"id":"a"}': { '.': {}, 'f:id': {}, 'f:size': {} } } } };
    expect(managers(made)).toEqual([['one', 'Apply', undefined, fields]]);
    const again = await api.apply(`${gadgets}/s`, 'one', config);
    expect([again.status, metadataOf(again).resourceVersion]).toEqual([
      200,
      metadataOf(made).resourceVersion,
    ]);
  });

  it('merges the items of managers, names conflicts, and takes over fields with force', async () => {
    const both = await api.apply(`${gadgets}/s`, 'two', gadget('s', { colour: 'red', parts: [{ id: 'b' }] }));
    expect(both.body['spec']).toEqual({ colour: 'red', parts: [{ id: 'a', size: 1 }, { id: 'b' }] });
    const conflict = await api.apply(`${gadgets}/s`, 'one', gadget('s', { colour: 'blue' }));
    expect(conflict.status).toBe(409);
    expect(conflict.body).toMatchObject({
      reason: 'Conflict',
      message: 'Apply failed with 1 conflict: conflict with "two": .spec.colour',
      details: {
        causes: [{ reason: 'FieldManagerConflict', message: 'conflict with "two"', field: '.spec.colour' }],
      },
    });
    const forced = await api.apply(`${gadgets}/s?force=true`, 'one', gadget('s', { colour: 'blue' }));
    expect(forced.body['spec']).toEqual({ colour: 'blue', parts: [{ id: 'b' }] });
  });

  it('keeps the status and the spec separate', async () => {
    const status = await api.apply(`${gadgets}/s/status`, 'ctl', {
      ...gadget('s', { colour: 'no' }),
      status: { phase: 'Ready' },
    });
    expect(status.body).toMatchObject({ spec: { colour: 'blue' }, status: { phase: 'Ready' } });
    expect(managers(status)).toContainEqual(['ctl', 'Apply', 'status', { 'f:status': { 'f:phase': {} } }]);
    const main = await api.apply(`${gadgets}/s`, 'three', { ...gadget('s'), status: { phase: 'no' } });
    expect(main.body['status']).toEqual({ phase: 'Ready' });
  });

  it.each([
    [
      'no manager',
      '',
      gadget('s'),
      422,
      'PatchOptions.meta.k8s.io "" is invalid: fieldManager: Required value: is required for apply patch',
    ],
    ['no kind', 'one', { spec: {} }, 400, 'invalid object type: /, Kind='],
    [
      'another name',
      'one',
      gadget('t'),
      400,
      'the name of the object (t) does not match the name on the URL (s)',
    ],
    [
      'managed fields',
      'one',
      gadget('s', {}, { managedFields: [{ manager: 'x' }] }),
      400,
      'metadata.managedFields must be nil',
    ],
    [
      'an old resourceVersion',
      'one',
      gadget('s', {}, { resourceVersion: '1' }),
      409,
      'Operation cannot be fulfilled on gadgets.test.dev "s": the object has been modified; please apply your changes to the latest version and try again',
    ],
    [
      'repeated items',
      'one',
      gadget('s', { parts: [{ id: 'a' }, { id: 'a' }] }),
      500,
      'failed to create typed patch object (/s; test.dev/v1, Kind=Gadget): .spec.parts: duplicate entries for key [id="a"]',
    ],
  ])('refuses %s', async (_title, manager, config, code, message) => {
    const reply = await api.apply(`${gadgets}/s`, manager, config);
    expect([reply.status, reply.body['message']]).toEqual([code, message]);
  });

  it('refuses a uid if the object does not exist', async () => {
    const reply = await api.apply(`${gadgets}/none`, 'one', gadget('none', {}, { uid: 'u' }));
    expect([reply.status, reply.body['message']]).toEqual([
      409,
      'Operation cannot be fulfilled on gadgets.test.dev "none": uid mismatch: the provided object specified uid u, and no existing object was found',
    ]);
  });

  it('merges built-in kinds by the keys of their lists', async () => {
    const path = '/apis/apps/v1/namespaces/default/deployments/d';
    const deployment = (container: JsonObject, rest: JsonObject = {}): JsonObject => ({
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'd' },
      spec: {
        ...rest,
        template: {
          ...(rest['template'] as JsonObject | undefined),
          spec: { containers: [{ name: 'c', ...container }] },
        },
      },
    });
    const full = { selector: { matchLabels: { a: 'b' } }, template: { metadata: { labels: { a: 'b' } } } };
    const made = await api.apply(
      path,
      'one',
      deployment({ image: 'x:1', env: [{ name: 'A', value: '1' }], ports: [{ containerPort: 80 }] }, full),
    );
    expect(made.status).toBe(201);
    expect(managers(made)).toEqual([
      [
        'one',
        'Apply',
        undefined,
        {
          'f:spec': {
            'f:selector': {},
            'f:template': {
              'f:metadata': { 'f:labels': { 'f:a': {} } },
              'f:spec': {
                'f:containers': {
                  'k:{"name":"c"}': {
                    '.': {},
                    'f:name': {},
                    'f:image': {},
                    'f:env': { 'k:{"name":"A"}': { '.': {}, 'f:name': {}, 'f:value': {} } },
                    'f:ports': {
                      'k:{"containerPort":80,"protocol":"TCP"}': { '.': {}, 'f:containerPort': {} },
                    },
                  },
                },
              },
            },
          },
        },
      ],
    ]);
    const more = await api.apply(path, 'two', deployment({ env: [{ name: 'B', value: '2' }] }));
    expect(more.body).toMatchObject({
      metadata: { generation: 2 },
      spec: {
        replicas: 1,
        template: {
          spec: { containers: [{ env: [{ name: 'A' }, { name: 'B' }], imagePullPolicy: 'IfNotPresent' }] },
        },
      },
    });
    const removed = await api.patch(
      path,
      {
        spec: { template: { spec: { containers: [{ name: 'c', env: [{ name: 'A', $patch: 'delete' }] }] } } },
      },
      { contentType: 'application/strategic-merge-patch+json' },
    );
    expect(removed.body).toMatchObject({
      spec: { template: { spec: { containers: [{ image: 'x:1', env: [{ name: 'B' }] }] } } },
    });
    const fixed = await api.patch(path, { spec: { selector: { matchLabels: { a: 'c' } } } });
    expect([fixed.status, fixed.body['message']]).toEqual([
      422,
      'Deployment.apps "d" is invalid: [spec.template.metadata.labels: Invalid value: {"a":"b"}: `selector` does not match template `labels`, spec.selector: Invalid value: {"matchLabels":{"a":"c"}}: field is immutable]',
    ]);
  });
});
