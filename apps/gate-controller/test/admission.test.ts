import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import {
  annotations,
  apiVersionOf,
  Gate,
  GateBinding,
  GateKeeper,
  GateOverride,
  gatingGroup,
  type ObjectMeta,
} from '@interlock/api';
import {
  Event,
  MutatingWebhookConfiguration,
  Role,
  RoleBinding,
  ValidatingWebhookConfiguration,
} from '@interlock/kube';
import { eventually } from '@interlock/kube/testing';
import { pathOf, Requests, type Answer } from './harness/requests.js';
import { Fixture } from './harness/fixture.js';

let fixture: Fixture;
let requests: Requests;
let namespace: string;

beforeAll(async () => {
  fixture = await Fixture.start({ servesAdmission: true });
  requests = new Requests(fixture);
});
afterAll(async () => {
  await requests.close();
  await fixture.close();
});
beforeEach(async () => {
  namespace = await fixture.namespace();
});

const gate = (name: string, spec: object = {}) => requests.create('ann', Gate, namespace, name, { spec });
const open = { gateRef: { name: 'freeze' }, effect: 'Open', reason: 'CVE', duration: '30m' };
const override = (name: string, spec: object, metadata: object = {}) =>
  requests.create('ann', GateOverride, namespace, name, { metadata, spec });

function stampsOf({ body }: Answer): (string | undefined)[] {
  const { annotations: stamps } = body['metadata'] as ObjectMeta;
  return [stamps?.[annotations.actor], stamps?.[annotations.requestedAt]];
}

describe('the stamp of an override', () => {
  it('records who created it and when, whatever the request contains', async () => {
    await gate('freeze');
    const forged = {
      annotations: {
        [annotations.actor]: 'bob',
        [annotations.requestedAt]: '2001-01-01T00:00:00.000Z',
        other: 'kept',
      },
    };
    const before = fixture.clock.now();
    const made = await override('cve', open, forged);
    expect(made.code).toBe(201);
    const [actor, requestedAt = ''] = stampsOf(made);
    expect(actor).toBe('ann');
    expect(requestedAt).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    expect(Date.parse(requestedAt)).toBeGreaterThanOrEqual(before);
    expect(made.body).toMatchObject({ metadata: { annotations: { other: 'kept' } } });
    await fixture.passes(GateOverride, { namespace, name: 'cve' }, ({ status }) => {
      expect(status).toMatchObject({ phase: 'Active', actor: 'ann' });
    });
    await fixture.gateIs(namespace, 'freeze', ({ status }) => {
      expect(status).toMatchObject({ state: 'Open', cause: 'GateOverride/cve' });
      expect(status?.history?.at(-1)).toMatchObject({ actor: 'ann', reason: 'CVE' });
    });
  });

  it('is kept when the override is changed', async () => {
    await gate('freeze');
    const made = await override('cve', open);
    const changed = await requests.as('bob', 'PATCH', pathOf(GateOverride, namespace, 'cve'), {
      metadata: {
        labels: { a: 'b' },
        annotations: { [annotations.actor]: 'bob', [annotations.requestedAt]: null },
      },
    });
    expect([changed.code, changed.body]).toMatchObject([200, { metadata: { labels: { a: 'b' } } }]);
    expect(stampsOf(changed)).toEqual(stampsOf(made));
  });

  it('is checked after every other webhook', async () => {
    await gate('freeze');
    const other = await fixture.client.get(MutatingWebhookConfiguration, {
      name: 'interlock-gate-controller',
    });
    await fixture.client.delete(MutatingWebhookConfiguration, other.metadata);
    const made = await override('cve', open, { annotations: { [annotations.actor]: 'bob' } });
    expect(made.code).toBe(422);
    expect(made.body).toMatchObject({
      details: {
        causes: [
          {
            field: `metadata.annotations[${annotations.actor}]`,
            message:
              'Invalid value: "bob": only the gate-controller writes this annotation, when the override is created; remove it',
          },
          { field: `metadata.annotations[${annotations.requestedAt}]` },
        ],
      },
    });
    await fixture.installWebhooks();
    expect((await override('cve', open)).code).toBe(201);
  });
});

describe('the permission to open or to close a gate', () => {
  const group = 'developers';
  const make = (name: string, spec: object) =>
    requests.as(
      'dev',
      'POST',
      pathOf(GateOverride, namespace),
      { apiVersion: apiVersionOf(GateOverride), kind: 'GateOverride', metadata: { name }, spec },
      group,
    );
  const remove = (name: string) =>
    requests.as('dev', 'DELETE', pathOf(GateOverride, namespace, name), undefined, group);

  async function grant(verbs: readonly string[]): Promise<void> {
    const metadata = { name: 'developers', namespace };
    const rules = [
      { apiGroups: [gatingGroup], resources: ['gateoverrides'], verbs: ['create', 'delete', 'patch'] },
      { apiGroups: [gatingGroup], resources: ['gates'], resourceNames: ['freeze'], verbs: [...verbs] },
    ];
    await fixture.client.apply(Role, { metadata, rules }, { fieldManager: 'test' });
    const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'developers' };
    const subjects = [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'Group', name: group }];
    await fixture.client.apply(RoleBinding, { metadata, roleRef, subjects }, { fieldManager: 'test' });
  }

  it('is a separate verb on the gate for each of the two actions', async () => {
    await gate('freeze');
    await gate('other');
    await grant(['open']);
    const close = { gateRef: { name: 'freeze' }, effect: 'Close', reason: 'stop' };
    expect((await make('opened', open)).code).toBe(201);
    const refused = await make('closed', close);
    expect(refused.code).toBe(403);
    expect(refused.body['message']).toContain(
      `user "dev" may not close Gate ${namespace}/freeze; grant the user the verb close on gates.${gatingGroup} freeze`,
    );
    expect((await make('elsewhere', { ...open, gateRef: { name: 'other' } })).code).toBe(403);
    await grant(['close']);
    expect((await make('opened-again', open)).code).toBe(403);
    expect((await make('closed', close)).code).toBe(201);
  });

  it('does not include the permission to approve', async () => {
    await gate('freeze', { requiredApprovals: 1 });
    await override('cve', open);
    const approve = () =>
      requests.as(
        'dev',
        'PATCH',
        pathOf(GateOverride, namespace, 'cve'),
        { metadata: { annotations: { [annotations.approve]: 'true' } } },
        group,
      );
    await grant(['open', 'close']);
    const refused = await approve();
    expect([refused.code, refused.body['message']]).toEqual([
      403,
      expect.stringContaining(`user "dev" may not approve Gate ${namespace}/freeze`),
    ]);
    await grant(['approve']);
    expect((await approve()).code).toBe(200);
  });

  it('must include the verb open if a user ends a Close in force', async () => {
    await gate('freeze');
    await override('stop', { gateRef: { name: 'freeze' }, effect: 'Close', reason: 'stop' });
    await grant(['close']);
    expect((await remove('stop')).code).toBe(403);
    const change = (metadata: object) =>
      requests.as('dev', 'PATCH', pathOf(GateOverride, namespace, 'stop'), { metadata }, group);
    const ownerReferences = [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'none', uid: 'none' }];
    expect((await change({ ownerReferences })).code).toBe(403);
    expect((await change({ labels: { team: 'shop' } })).code).toBe(200);
    await grant(['open']);
    expect((await remove('stop')).code).toBe(200);
  });
});

describe('the approval of an override', () => {
  const approveAs = (user: string, name: string, fields: object = { [annotations.approve]: 'true' }) =>
    requests.as(user, 'PATCH', pathOf(GateOverride, namespace, name), { metadata: { annotations: fields } });
  const phase = (name: string, expected: string) =>
    fixture.passes(GateOverride, { namespace, name }, ({ status }) => expect(status?.phase).toBe(expected));

  it('is required from another user if the gate requires it', async () => {
    await gate('freeze', { requiredApprovals: 1 });
    await override('cve', open, { annotations: { [annotations.approvedBy]: '["bob"]' } });
    await fixture.passes(GateOverride, { namespace, name: 'cve' }, ({ status }) => {
      expect(status).toMatchObject({
        phase: 'Pending',
        message: 'it waits for 1 more approval of other users',
      });
      expect(status?.endedAt).toBeUndefined();
    });
    await fixture.gateIs(namespace, 'freeze', ({ status }) => expect(status?.state).toBe('Closed'));
    const own = await approveAs('ann', 'cve');
    expect([own.code, own.body['message']]).toEqual([
      403,
      expect.stringContaining('the author of an override cannot approve it; ask another user to approve it'),
    ]);
    expect((await approveAs('eve', 'cve', { [annotations.approvedBy]: '["bob"]' })).code).toBe(200);
    await phase('cve', 'Pending');
    const approved = await approveAs('bob', 'cve');
    expect(approved.code).toBe(200);
    expect((approved.body['metadata'] as ObjectMeta).annotations).toMatchObject({
      [annotations.approvedBy]: '["bob"]',
    });
    await phase('cve', 'Active');
    await fixture.gateIs(namespace, 'freeze', ({ status }) => {
      expect(status).toMatchObject({ state: 'Open', cause: 'GateOverride/cve' });
    });
  });

  it('is not required if the gate does not require it, nor for an override that closes', async () => {
    await gate('freeze', { requiredApprovals: 2 });
    await override('stop', { gateRef: { name: 'freeze' }, effect: 'Close', reason: 'stop' });
    await phase('stop', 'Active');
  });
});

describe('the stamp of a gate', () => {
  it('records who wrote its spec, including in the history, whatever the request contains', async () => {
    const forged = { annotations: { [annotations.actor]: 'bob', [annotations.actorOf]: 'x' } };
    await requests.create('ann', Gate, namespace, 'freeze', { metadata: forged, spec: { closed: true } });
    const recorded = (actor: string, to: string, sequence: number) =>
      fixture.gateIs(namespace, 'freeze', ({ metadata, status }) => {
        expect(metadata.annotations).toMatchObject({ [annotations.actor]: actor });
        expect(status?.history?.at(-1)).toMatchObject({ to, cause: 'Default', actor, sequence });
      });
    await recorded('ann', 'Closed', 1);
    const path = pathOf(Gate, namespace, 'freeze');
    await requests.as('eve', 'PATCH', path, { metadata: { annotations: { [annotations.actor]: 'eve' } } });
    await requests.as('carl', 'PATCH', path, { spec: { closed: false } });
    await recorded('carl', 'Open', 2);
    const lines = fixture.process.log.filter(
      (line) => line['namespace'] === namespace && line['name'] === 'freeze' && 'digest' in line,
    );
    expect(lines.map((line) => [line['sequence'], line['actor']])).toEqual([
      [1, 'ann'],
      [2, 'carl'],
    ]);
    await eventually(async () => {
      const notes = (await fixture.client.list(Event, { namespace })).items.map(({ note }) => note);
      expect(notes).toContainEqual(
        expect.stringContaining(`[record 2, digest ${String(lines[1]?.['digest']).slice(0, 16)}]`),
      );
    });
  });

  it('does not authenticate the author of a spec that did not pass through admission', async () => {
    await requests.create('ann', Gate, namespace, 'freeze', { spec: { closed: true } });
    await fixture.gateIs(namespace, 'freeze', ({ status }) => expect(status?.state).toBe('Closed'));
    const webhooks = await fixture.client.get(MutatingWebhookConfiguration, {
      name: 'interlock-gate-controller',
    });
    await fixture.client.delete(MutatingWebhookConfiguration, webhooks.metadata);
    await requests.as('eve', 'PATCH', pathOf(Gate, namespace, 'freeze'), { spec: { closed: false } });
    await fixture.gateIs(namespace, 'freeze', ({ status }) => {
      expect(status?.history?.at(-1)).toMatchObject({ to: 'Open', actor: 'unverified' });
    });
    await fixture.installWebhooks();
  });

  it('is part of the record of a change that a keeper causes', async () => {
    await requests.create('ann', Gate, namespace, 'freeze', { spec: { closed: true } });
    const spec = { gate: 'freeze', type: 'schedule', schedule: { closed: [{ cron: '0 0 29 2 *' }] } };
    await requests.create('kim', GateKeeper, namespace, 'leap', { spec });
    await fixture.gateIs(namespace, 'freeze', ({ status }) => {
      expect(status?.history?.at(-1)).toMatchObject({ to: 'Open', cause: 'GateKeeper/leap', actor: 'kim' });
    });
  });
});

describe('an override with an invalid spec', () => {
  const past = '2001-01-01T00:00:00Z';
  it.each<[string, object, string, string]>([
    [
      'for longer than the gate allows',
      { ...open, duration: '2h' },
      'spec.duration',
      'Invalid value: "2h": 2h is longer than the 1h0m0s that the gate freeze allows (maxOverride); request less time, or create another override after this override has expired',
    ],
    [
      'for a gate that does not exist',
      { ...open, gateRef: { name: 'freze' } },
      'spec.gateRef.name',
      'Invalid value: "freze": the Gate does not exist in namespace NAMESPACE; name an existing one',
    ],
    [
      'when it has already expired',
      { gateRef: open.gateRef, effect: 'Open', reason: 'CVE', expiresAt: past },
      'spec.expiresAt',
      `Invalid value: "${past}": it is in the past; set a later time`,
    ],
    [
      'when it has already expired, and closes',
      { gateRef: open.gateRef, effect: 'Close', reason: 'stop', expiresAt: past },
      'spec.expiresAt',
      `Invalid value: "${past}": it is in the past; set a later time`,
    ],
    [
      'with a duration of zero',
      { ...open, duration: '0s' },
      'spec.duration',
      'Invalid value: "0s": 0s is not a positive duration; set a longer one',
    ],
  ])('is refused: %s', async (_why, spec, field, message) => {
    await gate('freeze');
    const { code, body } = await override('cve', spec);
    const text = message.replace('NAMESPACE', namespace);
    expect([code, body]).toMatchObject([
      422,
      {
        reason: 'Invalid',
        message: `admission webhook "check.gateoverrides.gating.toolkit.fluxcd.io" denied the request: GateOverride "cve" is invalid: ${field}: ${text}`,
        details: { kind: 'GateOverride', name: 'cve', causes: [{ field, message: text }] },
      },
    ]);
  });

  it('is refused without a reason by the schema', async () => {
    await gate('freeze');
    const { code, body } = await override('cve', { ...open, reason: ' ' });
    expect([code, String(body['message'])]).toEqual([422, expect.stringContaining('spec.reason')]);
  });
});

it('allows an override that has no effect because of a Close, with a warning', async () => {
  await gate('freeze');
  expect((await override('stop', { ...open, effect: 'Close' })).code).toBe(201);
  await eventually(async () => {
    const { code, headers } = await requests.as(
      'ann',
      'POST',
      `${pathOf(GateOverride, namespace)}?dryRun=All`,
      {
        apiVersion: 'gating.toolkit.fluxcd.io/v1alpha1',
        kind: 'GateOverride',
        metadata: { name: 'cve' },
        spec: open,
      },
    );
    expect([code, headers['warning']]).toEqual([
      201,
      '299 - "GateOverride stop keeps the gate closed: this override has no effect until that one ends or is deleted"',
    ]);
  });
});

it('logs who deletes an override that is in force', async () => {
  await gate('freeze', { closed: false });
  await override('stop', { ...open, effect: 'Close', reason: 'stop the line' });
  await fixture.gateIs(namespace, 'freeze', ({ status }) => expect(status?.state).toBe('Closed'));
  const path = pathOf(GateOverride, namespace, 'stop');
  expect((await requests.as('bob', 'DELETE', `${path}?dryRun=All`)).code).toBe(200);
  expect((await requests.as('bob', 'DELETE', path)).code).toBe(200);
  const lines = fixture.process.log.filter(({ message }) => message === "deleting override: 'stop the line'");
  expect(lines).toEqual([
    expect.objectContaining({
      level: 'info',
      GateOverride: { namespace, name: 'stop' },
      gate: 'freeze',
      effect: 'Close',
      actor: 'bob',
      madeBy: 'ann',
      reason: 'stop the line',
    }),
  ]);
  await fixture.gateIs(namespace, 'freeze', ({ status }) => expect(status?.state).toBe('Open'));
});

it('logs who deletes a keeper or a gate, and does not treat that user as the author of the gate', async () => {
  await requests.create('ann', Gate, namespace, 'freeze', { spec: { closed: false } });
  const spec = { gate: 'freeze', type: 'schedule', schedule: { open: [{ cron: '0 0 29 2 *' }] } };
  await requests.create('kim', GateKeeper, namespace, 'leap', { spec });
  await fixture.gateIs(namespace, 'freeze', ({ status }) => expect(status?.cause).toBe('GateKeeper/leap'));
  expect((await requests.as('bob', 'DELETE', pathOf(GateKeeper, namespace, 'leap'))).code).toBe(200);
  await fixture.gateIs(namespace, 'freeze', ({ status }) => {
    expect(status?.state).toBe('Open');
    const last = status?.history?.at(-1);
    expect(last).toMatchObject({ to: 'Open', reason: 'GateKeeper/leap was deleted' });
    expect(last).not.toHaveProperty('actor');
  });
  expect((await requests.as('eve', 'DELETE', pathOf(Gate, namespace, 'freeze'))).code).toBe(200);
  const lines = fixture.process.log.filter(
    (line) => line['namespace'] === namespace && String(line.message).startsWith('deleting '),
  );
  expect(lines).toEqual([
    expect.objectContaining({ message: 'deleting GateKeeper', gate: 'freeze', name: 'leap', actor: 'bob' }),
    expect.objectContaining({ message: 'deleting Gate', gate: 'freeze', name: 'freeze', actor: 'eve' }),
  ]);
});

describe('the refusal of an invalid object', () => {
  const schedule = (closed: object[], timeZone = 'UTC') => ({
    gate: 'freeze',
    type: 'schedule',
    schedule: { timeZone, closed },
  });

  it.each<[string, typeof Gate | typeof GateKeeper | typeof GateBinding, object, string]>([
    ['a cron expression', GateKeeper, schedule([{ cron: '61 * * * *' }]), 'spec.schedule.closed[0].cron'],
    ['a zone', GateKeeper, schedule([{ cron: '* * * * *' }], 'Europe/Bern'), 'spec.schedule.timeZone'],
    ['a schedule that is always closed', GateKeeper, schedule([{ cron: '* * * * *' }]), 'spec.schedule'],
    [
      'a window that ends before it begins',
      GateKeeper,
      schedule([{ from: '2026-12-24T00:00:00Z', to: '2026-12-23T00:00:00Z' }]),
      'spec.schedule.closed[0].to',
    ],
    [
      'an expression over gates',
      GateBinding,
      {
        targets: [{ kind: 'GitRepository', name: 'shop' }],
        expr: "gates['other']",
        refs: [{ name: 'freeze' }],
      },
      'spec.expr',
    ],
  ])('names the field and the value of %s', async (_what, kind, spec, field) => {
    await gate('freeze');
    const { code, body } = await requests.create('ann', kind, namespace, 'wrong', { spec });
    expect([code, body['message']]).toEqual([422, expect.stringContaining(`${field}: Invalid value: `)]);
    expect(body).toMatchObject({ details: { causes: [{ field }] } });
  });

  it('names the field of a gate whose longest override is not a duration', async () => {
    const { code, body } = await gate('freeze', { maxOverride: '1d' });
    expect([code, String(body['message'])]).toEqual([422, expect.stringContaining('spec.maxOverride')]);
  });
});

describe('a binding', () => {
  const spec = (refs: object[]) => ({ targets: [{ kind: 'GitRepository', name: 'shop' }], refs });

  it('may refer to a gate in another namespace only if that gate allows its namespace', async () => {
    const elsewhere = await fixture.namespace();
    await requests.create('ann', Gate, elsewhere, 'freeze', { spec: {} });
    const refs = [{ name: 'freeze', namespace: elsewhere }];
    const refused = await requests.create('ann', GateBinding, namespace, 'shop', { spec: spec(refs) });
    expect([refused.code, refused.body]).toMatchObject([
      422,
      {
        details: {
          causes: [
            {
              field: 'spec.refs[0]',
              message: `Invalid value: "${elsewhere}/freeze": Gate ${elsewhere}/freeze does not allow namespace ${namespace}; add it to its spec.allowedNamespaces`,
            },
          ],
        },
      },
    ]);
    await requests.as('ann', 'PATCH', pathOf(Gate, elsewhere, 'freeze'), {
      spec: { allowedNamespaces: [namespace] },
    });
    await eventually(async () => {
      const made = await requests.create('ann', GateBinding, namespace, 'shop', { spec: spec(refs) });
      expect([made.code, made.headers['warning']]).toEqual([201, undefined]);
    });
  });

  it('may refer to a gate that does not exist, with a warning', async () => {
    const made = await requests.create('ann', GateBinding, namespace, 'shop', {
      spec: spec([{ name: 'later' }]),
    });
    expect([made.code, made.headers['warning']]).toEqual([
      201,
      `299 - "Gate ${namespace}/later does not exist: the bound objects are held until it exists and is open"`,
    ]);
    await gate('later');
    await eventually(async () => {
      const gone = await requests.as('ann', 'DELETE', `${pathOf(Gate, namespace, 'later')}?dryRun=All`);
      expect([gone.code, gone.headers['warning']]).toEqual([
        200,
        '299 - "a GateBinding refers to Gate later: the bound objects are held as long as the gate does not exist"',
      ]);
    });
  });
});

it('allows a change of an object that was already invalid, unless it adds another error', async () => {
  await gate('freeze');
  const spec = { gate: 'freeze', type: 'cronexpression', cronjob: { closed: ['61 * * * *'] } };
  const name = { name: 'interlock-gate-controller' };
  await fixture.client.delete(ValidatingWebhookConfiguration, name);
  expect((await requests.create('ann', GateKeeper, namespace, 'old', { spec })).code).toBe(201);
  await fixture.installWebhooks();
  const path = pathOf(GateKeeper, namespace, 'old');
  expect((await requests.as('ann', 'PATCH', path, { metadata: { labels: { a: 'b' } } })).code).toBe(200);
  const worse = { spec: { cronjob: { closed: ['62 * * * *'] } } };
  expect((await requests.as('ann', 'PATCH', path, worse)).code).toBe(422);
  const better = { spec: { cronjob: { closed: ['1 * * * *'] } } };
  expect((await requests.as('ann', 'PATCH', path, better)).code).toBe(200);
});

it('refuses new overrides while the controller is not running, and allows all deletions', async () => {
  await gate('freeze');
  await override('cve', open);
  await fixture.end();
  const refused = await override('other', open);
  expect([refused.code, refused.body['message']]).toEqual([
    500,
    expect.stringContaining('failed calling webhook "stamp.gateoverrides.gating.toolkit.fluxcd.io"'),
  ]);
  expect((await requests.as('ann', 'DELETE', pathOf(GateOverride, namespace, 'cve'))).code).toBe(200);
  expect((await gate('another', { maxOverride: '2h' })).code).toBe(201);
  await fixture.begin();
  await fixture.installWebhooks();
  expect((await override('cve', open)).code).toBe(201);
});
