import { describe, expect, it } from '@jest/globals';
import { objectsAt } from '../object.js';
import { useCluster } from '../testing/harness.js';
import type { JsonObject } from '../schema/types.js';

const table = 'application/json;as=Table;v=v1;g=meta.k8s.io,application/json';
const api = useCluster();

describe('Lease', () => {
  const leases = '/apis/coordination.k8s.io/v1/namespaces/default/leases';
  const lease = (spec: JsonObject): JsonObject => ({
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: { name: 'l' },
    spec,
  });

  it('keeps microseconds, and requires them', async () => {
    const spec = {
      holderIdentity: 'a',
      leaseDurationSeconds: 15,
      renewTime: '2026-01-01T00:00:00.000001Z',
      leaseTransitions: 0,
    };
    const made = await api.create(leases, lease(spec));
    expect([made.status, made.body['spec']]).toEqual([201, spec]);
    const coarse = await api.patch(`${leases}/l`, { spec: { renewTime: '2026-01-01T00:00:01Z' } });
    expect([coarse.status, coarse.body['message']]).toEqual([
      422,
      expect.stringMatching(
        /^ "" is invalid: patch: Invalid value: .*: parsing time "2026-01-01T00:00:01Z" as "2006-01-02T15:04:05.000000Z07:00": cannot parse "Z" as ".000000"$/,
      ),
    ]);
    const short = await api.patch(`${leases}/l`, { spec: { leaseDurationSeconds: 0 } });
    expect([short.status, short.body['message']]).toEqual([
      422,
      'Lease.coordination.k8s.io "l" is invalid: spec.leaseDurationSeconds: Invalid value: 0: must be greater than 0',
    ]);
  });
});

describe('Event', () => {
  const events = '/apis/events.k8s.io/v1/namespaces/default/events';
  const corePath = '/api/v1/namespaces/default/events';
  const event = {
    apiVersion: 'events.k8s.io/v1',
    kind: 'Event',
    metadata: { name: 'e' },
    eventTime: '2026-01-01T00:00:00.000000Z',
    reportingController: 'test.dev/c',
    reportingInstance: 'c-1',
    action: 'Reconcile',
    reason: 'Done',
    type: 'Normal',
    note: 'ok',
    regarding: { apiVersion: 'test.dev/v1', kind: 'Gadget', name: 'g', namespace: 'default' },
  };

  it('is the same object in two groups', async () => {
    const made = await api.create(events, event);
    expect(made.body).toMatchObject({ ...event, deprecatedSource: {}, deprecatedFirstTimestamp: null });
    const core = await api.get(`${corePath}/e`);
    expect(core.body).toMatchObject({
      apiVersion: 'v1',
      involvedObject: event.regarding,
      message: 'ok',
      reportingComponent: 'test.dev/c',
      source: {},
      firstTimestamp: null,
    });
    expect(core.body).not.toHaveProperty('note');
    const patched = await api.patch(`${corePath}/e`, { message: 'better' });
    expect(patched.body['message']).toBe('better');
    expect((await api.get(`${events}/e`)).body['note']).toBe('better');
    const selected = await api.get(`${corePath}?fieldSelector=involvedObject.name%3Dg,reason%3DDone`);
    expect(objectsAt(selected.body, 'items')).toHaveLength(1);
    const other = await api.get(`${events}?fieldSelector=regarding.name%3Dother`);
    expect(objectsAt(other.body, 'items')).toHaveLength(0);
  });

  it('names its object in a table', async () => {
    const { body } = await api.get(corePath, { accept: table });
    expect(objectsAt(body, 'rows')[0]?.['cells']).toEqual([
      expect.any(String),
      'Normal',
      'Done',
      'gadget/g',
      '',
      'test.dev/c, c-1',
      'better',
      expect.any(String),
      1,
      'e',
    ]);
  });

  it('requires an action', async () => {
    const { action: _action, ...rest } = event;
    const { status, body } = await api.create(events, { ...rest, metadata: { name: 'e2' } });
    expect([status, body['message'], body['details']]).toEqual([
      422,
      'Event "e2" is invalid: action: Required value',
      {
        name: 'e2',
        kind: 'Event',
        causes: [{ reason: 'FieldValueRequired', message: 'Required value', field: 'action' }],
      },
    ]);
  });
});

describe('Pod', () => {
  const pods = '/api/v1/namespaces/default/pods';
  const pod = (name: string, spec: JsonObject): JsonObject => ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name },
    spec,
  });

  it('has defaults for its fields', async () => {
    const { body } = await api.create(
      pods,
      pod('p', { containers: [{ name: 'c', image: 'x:1', resources: { limits: { cpu: '1' } } }] }),
    );
    expect(body).toMatchObject({
      spec: {
        containers: [
          {
            imagePullPolicy: 'IfNotPresent',
            terminationMessagePolicy: 'File',
            resources: { requests: { cpu: '1' } },
          },
        ],
        restartPolicy: 'Always',
        dnsPolicy: 'ClusterFirst',
        enableServiceLinks: true,
      },
      status: { phase: 'Pending', qosClass: 'Burstable' },
    });
  });

  it('is validated', async () => {
    const { body } = await api.create(pods, pod('q', { containers: [], restartPolicy: 'Sometimes' }));
    expect(body['message']).toBe(
      'Pod "q" is invalid: [spec.containers: Required value, spec.restartPolicy: Unsupported value: "Sometimes": supported values: "Always", "OnFailure", "Never"]',
    );
    const mounts = await api.create(
      pods,
      pod('q', { containers: [{ name: 'c', image: 'x', volumeMounts: [{ name: 'v', mountPath: '/v' }] }] }),
    );
    expect(mounts.body['message']).toBe(
      'Pod "q" is invalid: spec.containers[0].volumeMounts[0].name: Not found: "v"',
    );
  });

  it('is immutable except for images, and has a separate status', async () => {
    const strategic = { contentType: 'application/strategic-merge-patch+json' };
    const env = await api.patch(
      `${pods}/p`,
      { spec: { containers: [{ name: 'c', env: [{ name: 'a', value: 'b' }] }] } },
      strategic,
    );
    expect([env.status, env.body['message']]).toEqual([
      422,
      expect.stringContaining('pod updates may not change fields other than'),
    ]);
    expect(
      (await api.patch(`${pods}/p`, { spec: { containers: [{ name: 'c', image: 'x:2' }] } }, strategic))
        .status,
    ).toBe(200);
    const status = await api.patch(`${pods}/p/status`, { status: { phase: 'Succeeded' } }, strategic);
    expect(status.body['status']).toEqual({ phase: 'Succeeded', qosClass: 'Burstable' });
    const { body } = await api.get(`${pods}?fieldSelector=status.phase%3DSucceeded`, { accept: table });
    expect(objectsAt(body, 'rows').map(({ cells }) => (cells as unknown[]).slice(0, 4))).toEqual([
      ['p', '0/1', 'Succeeded', '0'],
    ]);
  });

  it.each(['attach', 'exec', 'portforward'])(
    'refuses %s, which connects a client to its containers',
    async (stream) => {
      await api.create(pods, pod(stream, { containers: [{ name: 'c', image: 'x:1' }] }));
      for (const call of [api.get, api.create]) {
        const refused = await call(`${pods}/${stream}/${stream}`, undefined);
        expect([refused.status, refused.body]).toEqual([
          501,
          expect.objectContaining({
            reason: 'NotImplemented',
            message: `devcluster does not support pods/${stream}`,
          }),
        ]);
        expect((await call(`${pods}/none/${stream}`, undefined)).status).toBe(404);
      }
    },
  );
});

describe('other kinds', () => {
  it('have their defaults', async () => {
    const service = await api.create('/api/v1/namespaces/default/services', {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: 's' },
      spec: { ports: [{ port: 80 }] },
    });
    expect(service.body['spec']).toMatchObject({
      type: 'ClusterIP',
      ports: [{ port: 80, protocol: 'TCP', targetPort: 80 }],
    });
    const node = await api.create('/api/v1/nodes', {
      apiVersion: 'v1',
      kind: 'Node',
      metadata: { name: 'n' },
    });
    expect(node.status).toBe(201);
  });

  it('are all in OpenAPI and can be listed', async () => {
    const { body } = await api.get('/apis');
    const versions = [
      '/api/v1',
      ...objectsAt(body, 'groups').flatMap((group) =>
        objectsAt(group, 'versions').map(({ groupVersion }) => `/apis/${String(groupVersion)}`),
      ),
    ];
    for (const path of versions) {
      const document = await api.get(`/openapi/v3${path}`);
      expect([path, document.status]).toEqual([path, 200]);
      const list = await api.get(path);
      const listable = objectsAt(list.body, 'resources').filter(({ verbs }) =>
        (verbs as string[]).includes('list'),
      );
      for (const { name } of listable)
        expect([name, (await api.get(`${path}/${String(name)}`)).status]).toEqual([name, 200]);
    }
  });
});
