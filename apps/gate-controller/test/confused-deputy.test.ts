import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Gate, GateKeeper, gatingGroup } from '@interlock/api';
import {
  ClusterRole,
  ClusterRoleBinding,
  ConfigMap,
  Event,
  Role,
  RoleBinding,
  Secret,
} from '@interlock/kube';
import { eventually } from '@interlock/kube/testing';
import { systemNamespace } from '@interlock/stack';
import { pathOf, Requests, type Answer } from './harness/requests.js';
import { Fixture } from './harness/fixture.js';

const group = 'developers';
const apiGroup = 'rbac.authorization.k8s.io';
const options = { fieldManager: 'test' };
let fixture: Fixture;
/** The rules of users who may write gates and keepers, and may read one ConfigMap. */
let developers: Requests;
let admins: Requests;
let namespace: string;

beforeAll(async () => {
  fixture = await Fixture.start({ servesAdmission: true });
  [developers, admins] = [new Requests(fixture, group), new Requests(fixture)];
  const rules = [{ apiGroups: [gatingGroup], resources: ['gatekeepers'], verbs: ['*'] }];
  const subjects = [{ apiGroup, kind: 'Group', name: group }];
  const roleRef = { apiGroup, kind: 'ClusterRole', name: group };
  await fixture.client.apply(ClusterRole, { metadata: { name: group }, rules }, options);
  await fixture.client.apply(ClusterRoleBinding, { metadata: { name: group }, roleRef, subjects }, options);
});
afterAll(async () => {
  await developers.close();
  await admins.close();
  await fixture.close();
});
beforeEach(async () => {
  namespace = await fixture.namespace();
  await admins.create('admin', Gate, namespace, 'door', { spec: { closed: false } });
  for (const name of ['mine', 'other']) {
    const data = { 'calendar.ics': 'canary-line', value: 'canary-value', count: '7' };
    await fixture.client.apply(ConfigMap, { metadata: { name, namespace }, data }, options);
  }
  const metadata = { name: group, namespace };
  const rules = [{ apiGroups: [''], resources: ['configmaps'], resourceNames: ['mine'], verbs: ['get'] }];
  const subjects = [{ apiGroup, kind: 'Group', name: group }];
  const roleRef = { apiGroup, kind: 'Role', name: group };
  await fixture.client.apply(Role, { metadata, rules }, options);
  await fixture.client.apply(RoleBinding, { metadata, roleRef, subjects }, options);
});

const calendarOf = (name: string) => ({
  gate: 'door',
  type: 'calendar',
  calendar: { configMapRef: { name } },
});
const expressionOver = (over: object, cel = "object.data.count == '7'") => ({
  gate: 'door',
  type: 'expression',
  expression: { cel, over },
});
const configMap = (name: string) => ({ apiVersion: 'v1', kind: 'ConfigMap', name });
const create = (by: Requests, name: string, spec: object) =>
  by.create('dan', GateKeeper, namespace, name, { spec });

function causesOf({ body }: Answer): unknown {
  return (body['details'] as { causes?: unknown } | undefined)?.causes;
}

describe('a user who may not read an object', () => {
  it.each([
    ['a calendar', 'spec.calendar.configMapRef.name', () => calendarOf('other')],
    ['an expression', 'spec.expression.over.name', () => expressionOver(configMap('other'))],
  ])('cannot have the controller read it: %s', async (_what, field, spec) => {
    const refused = await create(developers, 'keeper', spec());
    expect(refused.code).toBe(422);
    expect(causesOf(refused)).toEqual([
      expect.objectContaining({ field, message: expect.stringContaining('dan may not get ConfigMap other') }),
    ]);
    expect((await create(admins, 'keeper', spec())).code).toBe(201);
  });

  it('can name a readable object, but cannot replace it with another object', async () => {
    expect((await create(developers, 'keeper', calendarOf('mine'))).code).toBe(201);
    const path = pathOf(GateKeeper, namespace, 'keeper');
    const changed = await developers.as('dan', 'PATCH', path, { spec: calendarOf('other') });
    expect(changed.code).toBe(422);
  });

  it('can change the labels of a keeper that another user created', async () => {
    expect((await create(admins, 'keeper', calendarOf('other'))).code).toBe(201);
    const path = pathOf(GateKeeper, namespace, 'keeper');
    const labelled = await developers.as('dan', 'PATCH', path, { metadata: { labels: { team: 'shop' } } });
    expect(labelled.code).toBe(200);
  });

  it('cannot name an object of a kind that is installed later', async () => {
    const later = expressionOver({ apiVersion: 'example.com/v1', kind: 'Later', name: 'one' });
    const refused = await create(developers, 'keeper', later);
    expect(causesOf(refused)).toEqual([
      expect.objectContaining({ message: expect.stringContaining('which is not installed') }),
    ]);
    expect((await create(admins, 'keeper', later)).code).toBe(201);
  });
});

it.each(['../../api/v1', 'apps/v1/namespaces', 'v1?watch=true', '..'])(
  'a keeper cannot use the API version %j',
  async (apiVersion) => {
    const refused = await create(admins, 'keeper', expressionOver({ ...configMap('mine'), apiVersion }));
    expect(refused.code).toBe(422);
  },
);

describe('a Secret', () => {
  const secret = { apiVersion: 'v1', kind: 'Secret', name: 'login' };

  it('is refused in an expression, even for an administrator', async () => {
    const refused = await create(admins, 'keeper', expressionOver(secret));
    expect(refused.code).toBe(422);
    expect(causesOf(refused)).toEqual([
      expect.objectContaining({ message: expect.stringContaining('a GateKeeper cannot read Secrets') }),
    ]);
  });

  it('is not read without admission either, even if the controller may read Secrets', async () => {
    const unguarded = await Fixture.start();
    try {
      const { client } = unguarded;
      const team = await unguarded.namespace();
      const name = 'reads';
      const rules = [{ apiGroups: [''], resources: ['secrets'], verbs: ['get', 'list', 'watch'] }];
      const subjects = [{ kind: 'ServiceAccount', name: 'gate-controller', namespace: systemNamespace }];
      const roleRef = { apiGroup, kind: 'ClusterRole', name };
      await client.apply(ClusterRole, { metadata: { name }, rules }, options);
      await client.apply(ClusterRoleBinding, { metadata: { name }, roleRef, subjects }, options);
      const metadata = { name: 'login', namespace: team };
      await client.apply(Secret, { metadata, stringData: { count: '7' } }, options);
      await client.apply(
        Gate,
        { metadata: { name: 'door', namespace: team }, spec: { closed: false } },
        options,
      );
      const keeper = { name: 'keeper', namespace: team };
      await client.apply(GateKeeper, { metadata: keeper, spec: expressionOver(secret, 'true') }, options);
      await unguarded.passes(GateKeeper, keeper, ({ status }) => {
        expect(status).toMatchObject({ effect: 'Unknown' });
        expect(status?.message).toContain('a GateKeeper cannot read Secrets');
      });
    } finally {
      await unguarded.close();
    }
  });
});

describe('what a keeper reads', () => {
  it.each([
    ['a text that is not a calendar', () => calendarOf('mine')],
    ['a value that is not a number', () => expressionOver(configMap('mine'), 'int(object.data.value) > 1')],
    ['a value that is not a key', () => expressionOver(configMap('mine'), 'object[object.data.value] == 1')],
    [
      'a value that is not a time',
      () =>
        expressionOver(configMap('mine'), "timestamp(object.data.value) > timestamp('2026-01-01T00:00:00Z')"),
    ],
  ])('is not revealed: %s', async (_what, spec) => {
    expect((await create(developers, 'keeper', spec())).code).toBe(201);
    const keeper = await fixture.passes(GateKeeper, { namespace, name: 'keeper' }, ({ status }) => {
      expect(status?.effect).toBe('Unknown');
    });
    const gate = await fixture.gateIs(namespace, 'door', ({ status }) => {
      expect(status?.contributions).toHaveLength(1);
    });
    await eventually(async () => {
      expect((await fixture.client.list(Event, { namespace })).items).not.toEqual([]);
    });
    const events = await fixture.client.list(Event, { namespace });
    expect(JSON.stringify([keeper, gate, events])).not.toContain('canary');
  });
});
