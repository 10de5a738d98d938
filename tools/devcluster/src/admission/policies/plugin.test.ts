import { afterEach, describe, expect, it } from '@jest/globals';
import type { JsonObject } from '../../schema/types.js';
import type { Reply } from '../../testing/client.js';
import { configMap, useCluster } from '../../testing/harness.js';

const api = useCluster();
const group = '/apis/admissionregistration.k8s.io/v1';
const policiesPath = `${group}/validatingadmissionpolicies`;
const bindingsPath = `${group}/validatingadmissionpolicybindings`;
const maps = '/api/v1/namespaces/default/configmaps';

let made: string[] = [];
afterEach(async () => {
  for (const path of made) await api.remove(path);
  made = [];
});

const rule = {
  operations: ['CREATE', 'UPDATE'],
  apiGroups: [''],
  apiVersions: ['v1'],
  resources: ['configmaps'],
};

/** Creates a policy for ConfigMaps and its bindings. The given fields replace the default ones. */
async function enforce(spec: JsonObject, ...bindings: JsonObject[]): Promise<Reply> {
  const policy = await api.create(policiesPath, {
    metadata: { name: 'p' },
    spec: { matchConstraints: { resourceRules: [rule] }, validations: [{ expression: 'false' }], ...spec },
  });
  expect(policy.status).toBe(201);
  made.push(`${policiesPath}/p`);
  for (const [index, binding] of (bindings.length === 0 ? [{}] : bindings).entries()) {
    const name = `b${String(index)}`;
    const reply = await api.create(bindingsPath, {
      metadata: { name },
      spec: { policyName: 'p', validationActions: ['Deny'], ...binding },
    });
    expect(reply.status).toBe(201);
    made.push(`${bindingsPath}/${name}`);
  }
  return policy;
}

async function write(name = 'm', metadata: JsonObject = {}, path = maps): Promise<Reply> {
  return api.create(`${path}?dryRun=All`, configMap(name, { a: '1' }, metadata));
}

function messageOf({ body }: Reply): string {
  return String(body['message']);
}

const denied = `ValidatingAdmissionPolicy 'p' with binding 'b0' denied request`;

describe('a policy', () => {
  it('has defaults, a generation and columns', async () => {
    const { body } = await enforce({ paramKind: { apiVersion: 'v1', kind: 'ConfigMap' } });
    expect(body).toMatchObject({
      metadata: { generation: 1 },
      spec: {
        failurePolicy: 'Fail',
        matchConstraints: {
          matchPolicy: 'Equivalent',
          namespaceSelector: {},
          objectSelector: {},
          resourceRules: [{ ...rule, scope: '*' }],
        },
      },
      status: {},
    });
    const accept = 'application/json;as=Table;v=v1;g=meta.k8s.io';
    const [policies, bindings] = [
      await api.get(policiesPath, { accept }),
      await api.get(bindingsPath, { accept }),
    ];
    expect(policies.body['rows']).toMatchObject([{ cells: ['p', 1, 'v1/ConfigMap', expect.any(String)] }]);
    expect(bindings.body['rows']).toMatchObject([{ cells: ['b0', 'p', '<unset>', expect.any(String)] }]);
  });

  it('refuses a request with the reason of its first failed validation', async () => {
    const validations = [
      { expression: 'true' },
      { expression: "object.data.a != '1'", reason: 'Forbidden', message: 'not 1' },
      { expression: 'false' },
    ];
    await enforce({ validations });
    expect(await write()).toMatchObject({
      status: 403,
      body: {
        reason: 'Forbidden',
        message: `configmaps "m" is forbidden: ${denied}: not 1`,
        details: { name: 'm', kind: 'configmaps', causes: [{ message: `${denied}: not 1` }] },
      },
    });
  });

  it('has no effect without a binding, and no effect on the kinds that configure policies', async () => {
    await enforce({
      matchConstraints: { resourceRules: [{ ...rule, apiGroups: ['*'], resources: ['*'] }] },
    });
    expect((await write()).status).toBe(422);
    expect((await api.remove(`${bindingsPath}/b0`)).status).toBe(200);
    expect((await write()).status).toBe(201);
  });

  it('applies to the objects, operations, names and namespaces that it specifies', async () => {
    await enforce({
      matchConstraints: {
        resourceRules: [{ ...rule, operations: ['CREATE'] }],
        excludeResourceRules: [{ ...rule, resourceNames: ['free'] }],
        objectSelector: { matchLabels: { strict: 'yes' } },
        namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'default' } },
      },
    });
    const labels = { labels: { strict: 'yes' } };
    expect((await write('m', labels)).status).toBe(422);
    expect((await write('m')).status).toBe(201);
    expect((await write('free', labels)).status).toBe(201);
    expect((await write('m', labels, '/api/v1/namespaces/kube-public/configmaps')).status).toBe(201);
  });

  it('applies to deletions, with the deleted object', async () => {
    await api.create(maps, configMap('kept'));
    await enforce({
      matchConstraints: { resourceRules: [{ ...rule, operations: ['DELETE'] }] },
      validations: [{ expression: "object == null && oldObject.metadata.name != 'kept'" }],
    });
    expect((await api.remove(`${maps}/kept`)).status).toBe(422);
  });
});

describe('a binding', () => {
  it('restricts the policy to its own rules', async () => {
    const matchResources = { objectSelector: { matchLabels: { strict: 'yes' } } };
    await enforce({}, { matchResources });
    expect((await write('m')).status).toBe(201);
    expect((await write('m', { labels: { strict: 'yes' } })).status).toBe(422);
  });

  it('warns instead of refusing, and ignores the action Audit', async () => {
    await enforce({}, { validationActions: ['Warn', 'Audit'] });
    const { status, headers } = await write();
    expect(status).toBe(201);
    expect(headers['warning']).toBe(
      `299 - "Validation failed for ValidatingAdmissionPolicy 'p' with binding 'b0': failed expression: false"`,
    );
  });
});

describe('parameters', () => {
  const paramKind = { apiVersion: 'v1', kind: 'ConfigMap' };
  const validations = [
    {
      expression: 'object.data.a != params.data.a',
      messageExpression: "'not as in ' + string(params.metadata.name)",
    },
  ];

  it('are found by name, in the namespace of the request or in another namespace', async () => {
    const inOther = '/api/v1/namespaces/kube-public/configmaps';
    await api.create(maps, configMap('limits', { a: '2' }));
    await api.create(inOther, configMap('limits', { a: '1' }));
    const paramRef = { name: 'limits', parameterNotFoundAction: 'Deny' };
    await enforce(
      { paramKind, validations },
      { paramRef },
      { paramRef: { ...paramRef, namespace: 'kube-public' } },
    );
    expect(messageOf(await write())).toContain(
      `ValidatingAdmissionPolicy 'p' with binding 'b1' denied request: not as in limits`,
    );
  });

  it('are found by labels, and each of them is evaluated', async () => {
    for (const a of ['1', '2']) await api.create(maps, configMap(`by-${a}`, { a }, { labels: { for: 'p' } }));
    const paramRef = { selector: { matchLabels: { for: 'p' } }, parameterNotFoundAction: 'Deny' };
    await enforce({ paramKind, validations }, { paramRef });
    expect(messageOf(await write())).toContain(`${denied}: not as in by-1`);
  });

  it('may be missing if the binding allows it', async () => {
    const paramRef = { name: 'missing', parameterNotFoundAction: 'Allow' };
    await enforce({ paramKind, validations }, { paramRef });
    expect((await write()).status).toBe(201);
    const spec = { paramRef: { parameterNotFoundAction: 'Deny' } };
    expect((await api.patch(`${bindingsPath}/b0`, { spec })).status).toBe(200);
    expect(messageOf(await write())).toContain(
      `${denied}: failed to configure binding: no params found for policy binding with \`Deny\` parameterNotFoundAction`,
    );
  });

  it('are null for a binding that does not name parameters', async () => {
    await enforce({ paramKind, validations: [{ expression: 'params == null' }] });
    expect((await write()).status).toBe(201);
  });

  it('of a kind that is not served make the policy fail', async () => {
    await enforce({ paramKind: { apiVersion: 'test.dev/v1', kind: 'Missing' } });
    expect(messageOf(await write())).toContain(
      `ValidatingAdmissionPolicy 'p' denied request: failed to configure policy: failed to find resource referenced by paramKind: 'test.dev/v1, Kind=Missing'`,
    );
    await api.patch(`${policiesPath}/p`, { spec: { failurePolicy: 'Ignore' } });
    expect((await write()).status).toBe(201);
  });
});
