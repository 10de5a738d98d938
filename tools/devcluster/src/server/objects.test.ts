import { describe, expect, it } from '@jest/globals';
import { configMap, metadataOf, useCluster } from '../testing/harness.js';

const cms = '/api/v1/namespaces/default/configmaps';
const secrets = '/api/v1/namespaces/default/secrets';

/** Milliseconds by which the clock of the server is advanced. */
let ahead = 0;
const api = useCluster({ now: () => new Date(Date.now() + ahead) });

describe('create', () => {
  it('returns 201 with the metadata that the server sets', async () => {
    const reply = await api.create(cms, configMap('made', { k: 'v' }, { labels: { a: 'b' } }));
    expect(reply.status).toBe(201);
    expect(reply.body).toMatchObject({ kind: 'ConfigMap', apiVersion: 'v1', data: { k: 'v' } });
    expect(metadataOf(reply)).toMatchObject({
      name: 'made',
      namespace: 'default',
      uid: expect.stringMatching(/^[0-9a-f-]{36}$/),
      resourceVersion: expect.stringMatching(/^\d+$/),
      creationTimestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/),
      managedFields: [
        {
          manager: 'devcluster-test',
          operation: 'Update',
          fieldsV1: {
            'f:data': { '.': {}, 'f:k': {} },
            'f:metadata': { 'f:labels': { '.': {}, 'f:a': {} } },
          },
        },
      ],
    });
    expect((await api.get(`${cms}/made`)).body).toEqual(reply.body);
  });

  it('completes a generateName', async () => {
    const body = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { generateName: 'gen-' } };
    const [one, two] = await Promise.all([api.create(cms, body), api.create(cms, body)]);
    expect(metadataOf(one)['name']).toMatch(/^gen-[a-z0-9]{5}$/);
    expect(metadataOf(two)['name']).not.toBe(metadataOf(one)['name']);
  });

  it('stores nothing in a dry run', async () => {
    const reply = await api.create(`${cms}?dryRun=All`, configMap('dry'));
    expect([reply.status, metadataOf(reply).resourceVersion]).toEqual([201, undefined]);
    expect((await api.get(`${cms}/dry`)).status).toBe(404);
  });

  it('accepts and returns YAML', async () => {
    const body = 'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: yaml\ndata: {a: "yes"}\n';
    const reply = await api.create(cms, body, {
      contentType: 'application/yaml',
      accept: 'application/yaml',
    });
    expect([reply.status, reply.headers['content-type']]).toEqual([201, 'application/yaml']);
    expect(reply.text).toContain('a: "yes"');
  });

  it('converts the stringData of a Secret to data', async () => {
    const { body } = await api.create(secrets, {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 's' },
      data: { a: 'eA==' },
      stringData: { b: 'y' },
    });
    expect(body).toMatchObject({ type: 'Opaque', data: { a: 'eA==', b: 'eQ==' } });
    expect(body).not.toHaveProperty('stringData');
  });

  it.each([
    [
      'a name that another object has',
      configMap('kube-root-ca.crt'),
      409,
      'AlreadyExists',
      'configmaps "kube-root-ca.crt" already exists',
    ],
    [
      'another namespace',
      configMap('x', {}, { namespace: 'other' }),
      400,
      'BadRequest',
      'the namespace of the provided object does not match the namespace sent on the request',
    ],
    [
      'another kind',
      { ...configMap('x'), kind: 'Secret' },
      400,
      'BadRequest',
      'Secret in version "v1" cannot be handled as a ConfigMap: converting (v1.Secret) to (core.ConfigMap): unknown conversion',
    ],
    [
      'broken JSON',
      '{"a":',
      400,
      'BadRequest',
      `the object provided is unrecognized (must be of type ConfigMap): couldn't get version/kind; json parse error: unexpected end of JSON input ({"a":)`,
    ],
    [
      'a value of another type',
      { ...configMap('x'), data: { a: 1 } },
      400,
      'BadRequest',
      'ConfigMap in version "v1" cannot be handled as a ConfigMap: json: cannot unmarshal number into Go struct field ConfigMap.data.a of type string',
    ],
  ])('refuses %s', async (_title, body, code, reason, message) => {
    const reply = await api.create(cms, body);
    expect(reply.status).toBe(code);
    expect(reply.body).toMatchObject({ kind: 'Status', status: 'Failure', code, reason, message });
  });

  it('reports the invalid fields', async () => {
    const { status, body } = await api.create(
      cms,
      configMap('Bad_Name', { 'a b': '' }, { labels: { 'a b': '-' } }),
    );
    expect([status, body['reason'], body['details']]).toMatchObject([
      422,
      'Invalid',
      {
        name: 'Bad_Name',
        kind: 'ConfigMap',
        causes: [
          { field: 'metadata.name' },
          { field: 'metadata.labels' },
          { field: 'metadata.labels' },
          { field: 'data[a b]' },
        ],
      },
    ]);
  });

  it('returns 413 for more than 3 MiB', async () => {
    const reply = await api.create(cms, configMap('big', { a: 'x'.repeat(3 * 1024 * 1024) }));
    expect([reply.status, reply.body['reason']]).toEqual([413, 'RequestEntityTooLarge']);
  });

  it('requires an existing namespace', async () => {
    const { status, body } = await api.create('/api/v1/namespaces/missing/configmaps', configMap('x'));
    expect([status, body['message']]).toEqual([404, 'namespaces "missing" not found']);
  });
});

describe('unknown fields', () => {
  const body = { ...configMap('unknown'), dat: {}, metadata: { name: 'unknown', labls: {} } };

  it('are dropped with a warning by default', async () => {
    const reply = await api.create(`${cms}?dryRun=All`, body);
    expect(reply.headers['warning']).toEqual([
      '299 - "unknown field \\"dat\\""',
      '299 - "unknown field \\"metadata.labls\\""',
    ]);
  });

  it('are ignored or refused on demand', async () => {
    const ignored = await api.create(`${cms}?dryRun=All&fieldValidation=Ignore`, body);
    expect([ignored.status, ignored.headers['warning']]).toEqual([201, undefined]);
    const strict = await api.create(`${cms}?fieldValidation=Strict`, body);
    expect([strict.status, strict.body['message']]).toEqual([
      400,
      'ConfigMap in version "v1" cannot be handled as a ConfigMap: strict decoding error: unknown field "dat", unknown field "metadata.labls"',
    ]);
    expect((await api.create(`${cms}?fieldValidation=Maybe`, body)).status).toBe(422);
  });
});

describe('update', () => {
  it('requires the stored resourceVersion if one is specified', async () => {
    const made = await api.create(cms, configMap('locked', { n: '0' }));
    const next = { ...made.body, data: { n: '1' } };
    const updated = await api.put(`${cms}/locked`, next);
    expect(updated.status).toBe(200);
    const stale = await api.put(`${cms}/locked`, { ...made.body, data: { n: '2' } });
    expect([stale.status, stale.body['reason'], stale.body['message']]).toEqual([
      409,
      'Conflict',
      'Operation cannot be fulfilled on configmaps "locked": the object has been modified; please apply your changes to the latest version and try again',
    ]);
    expect((await api.put(`${cms}/locked`, configMap('locked', { n: '3' }))).status).toBe(200);
  });

  it('refuses another uid, and a name that differs from the path', async () => {
    await api.create(cms, configMap('uid'));
    const uid = await api.put(`${cms}/uid`, configMap('uid', {}, { uid: 'another' }));
    expect([uid.status, uid.body['message']]).toEqual([
      409,
      expect.stringContaining('Precondition failed: UID in precondition: another'),
    ]);
    expect((await api.put(`${cms}/uid`, configMap('other'))).status).toBe(400);
  });

  it('keeps the resourceVersion when nothing changes', async () => {
    const made = await api.create(cms, configMap('same', { a: '1' }));
    const patched = await api.patch(`${cms}/same`, { data: { a: '1' } });
    expect(metadataOf(patched).resourceVersion).toBe(metadataOf(made).resourceVersion);
  });

  it('keeps the resourceVersion when an apply changes only defaulted fields, at any time', async () => {
    const path = '/apis/networking.k8s.io/v1/namespaces/default/networkpolicies/same';
    const policy = {
      ...{ apiVersion: 'networking.k8s.io/v1', kind: 'NetworkPolicy', metadata: { name: 'same' } },
      spec: { podSelector: {}, ingress: [{ ports: [{ port: 80 }] }] },
    };
    const made = await api.apply(path, 'owner', policy);
    ahead += 5_000;
    const applied = await api.apply(path, 'owner', policy);
    expect(applied.body).toEqual(made.body);
    const changed = await api.apply(path, 'owner', { ...policy, spec: { podSelector: {} } });
    expect(metadataOf(changed).resourceVersion).not.toBe(metadataOf(made).resourceVersion);
  });

  it('loses no concurrent write', async () => {
    await api.create(cms, configMap('race'));
    const keys = Array.from({ length: 20 }, (_, n) => `k${String(n)}`);
    const replies = await Promise.all(keys.map((key) => api.patch(`${cms}/race`, { data: { [key]: '' } })));
    expect(replies.map(({ status }) => status)).toEqual(keys.map(() => 200));
    expect(Object.keys((await api.get(`${cms}/race`)).body['data'] as object).sort()).toEqual(keys.sort());
  });

  it('refuses changes of immutable data', async () => {
    await api.create(cms, { ...configMap('fixed', { a: '1' }), immutable: true });
    const { status, body } = await api.patch(`${cms}/fixed`, { data: { a: '2' }, immutable: null });
    expect([status, body['message']]).toEqual([
      422,
      'ConfigMap "fixed" is invalid: [immutable: Forbidden: field is immutable when `immutable` is set, data: Forbidden: field is immutable when `immutable` is set]',
    ]);
  });
});

describe('patch', () => {
  const jsonPatchType = { contentType: 'application/json-patch+json' };

  it('quotes the patched object, or the strategic merge patch, that cannot be decoded', async () => {
    await api.create(cms, configMap('typed', { b: '1' }));
    const merged = await api.patch(`${cms}/typed`, { data: { a: 2 } });
    expect([merged.status, merged.body['message']]).toEqual([
      422,
      expect.stringMatching(
        /^ "" is invalid: patch: Invalid value: "\{\\"apiVersion\\":.*\\"data\\":\{\\"a\\":2,\\"b\\":\\"1\\"\}.*": json: cannot unmarshal number into Go struct field ConfigMap.data.a of type string$/,
      ),
    ]);
    const strategic = { contentType: 'application/strategic-merge-patch+json' };
    const { status, body } = await api.patch(`${cms}/typed`, { data: { a: 2, c: null } }, strategic);
    expect([status, body['message']]).toEqual([
      422,
      ' "" is invalid: patch: Invalid value: "map[data:map[a:2 c:<nil>]]": cannot convert int64 to string',
    ]);
  });

  it('applies a JSON patch atomically', async () => {
    await api.create(cms, configMap('json', { a: '1' }));
    const done = await api.patch(`${cms}/json`, [{ op: 'add', path: '/data/b', value: '2' }], jsonPatchType);
    expect(done.body['data']).toEqual({ a: '1', b: '2' });
    const failed = await api.patch(
      `${cms}/json`,
      [
        { op: 'remove', path: '/data/a' },
        { op: 'test', path: '/data/b', value: 'x' },
      ],
      jsonPatchType,
    );
    expect([failed.status, failed.body['message']]).toEqual([
      422,
      'the server rejected our request due to an error in our request',
    ]);
    expect((await api.get(`${cms}/json`)).body['data']).toEqual({ a: '1', b: '2' });
  });

  it('is refused with another media type, for a missing object and with an old resourceVersion', async () => {
    await api.create(cms, configMap('refused'));
    const json = await api.patch(`${cms}/refused`, {}, { contentType: 'application/json' });
    expect([json.status, json.body['message']]).toEqual([415, '415: Unsupported Media Type']);
    expect((await api.patch(`${cms}/missing`, {})).status).toBe(404);
    expect(
      (await api.patch(`${cms}/refused`, { metadata: { resourceVersion: '1' }, data: { a: '' } })).status,
    ).toBe(409);
  });
});

describe('paths', () => {
  it.each([
    ['GET', '/api/v1/nopes', 404, 'the server could not find the requested resource'],
    ['POST', `${cms}/a`, 405, 'the server does not allow this method on the requested resource'],
    ['PUT', cms, 405, 'the server does not allow this method on the requested resource'],
    ['GET', `${cms}/a/status`, 404, 'the server could not find the requested resource'],
    ['GET', `${cms}/none`, 404, 'configmaps "none" not found'],
  ] as const)(
    'are refused when the resource, the method or the object does not exist: %s %s',
    async (method, path, code, message) => {
      const reply = await api.client.call(method, path);
      expect([reply.status, reply.body['message']]).toEqual([code, message]);
    },
  );

  it('are answered with text for a group that is not served', async () => {
    const reply = await api.get('/apis/nope.dev/v1/things');
    expect([reply.status, reply.text, reply.headers['content-type']]).toEqual([
      404,
      '404 page not found\n',
      'text/plain; charset=utf-8',
    ]);
  });
});
