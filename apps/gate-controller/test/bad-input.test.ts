import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Gate, GateBinding, GateKeeper } from '@interlock/api';
import { Fixture } from './harness/fixture.js';

let fixture: Fixture;
let healthy: string;

const gate = (name: string, spec = 'closed: false') => `
apiVersion: gating.toolkit.fluxcd.io/v1alpha1
kind: Gate
metadata: { name: ${name} }
spec: { ${spec} }
---
`;
const keeper = (spec: string) => `
apiVersion: gating.toolkit.fluxcd.io/v1alpha1
kind: GateKeeper
metadata: { name: keeper }
spec: { gate: door, ${spec} }
---
`;
const binding = (spec: string) => `
apiVersion: gating.toolkit.fluxcd.io/v1alpha1
kind: GateBinding
metadata: { name: binding }
spec: { mode: CommitStatus, commitStatus: { key: freeze }, ${spec} }
---
`;

beforeAll(async () => {
  fixture = await Fixture.start({ at: '2030-09-01T09:00:00Z' });
  healthy = await fixture.namespace();
  await fixture.apply(
    healthy,
    gate('door') + keeper("type: schedule, schedule: { closed: [{ cron: '0 3 * * *' }] }"),
  );
});
afterAll(() => fixture.close());

const notReady = (reason: string, message: RegExp): unknown =>
  expect.arrayContaining([
    expect.objectContaining({
      type: 'Ready',
      status: 'False',
      reason,
      message: expect.stringMatching(message),
    }),
  ]);

const schedule = (closed: string, more = '') => `type: schedule, schedule: { ${more} closed: [${closed}] }`;

describe('a keeper', () => {
  it.each([
    ['a cron expression', schedule("{ cron: '* * * * mun' }"), /spec\.schedule\.closed\[0\]\.cron: .*mun/],
    ['too few fields', schedule("{ cron: '10 22 11 12' }"), /spec\.schedule\.closed\[0\]\.cron/],
    [
      'a cron expression in the spelling of the page',
      "type: cronexpression, cronjob: { closed: ['* * 40 * *'] }",
      /spec\.cronjob\.closed\[0\]/,
    ],
    [
      'a zone',
      schedule("{ cron: '* 2 * * *' }", 'timeZone: Europe/Atlantis,'),
      /spec\.schedule\.timeZone: .*Europe\/Atlantis/,
    ],
    [
      'an end before the beginning',
      schedule("{ from: '2030-02-01T00:00', to: '2030-01-01T00:00' }"),
      /spec\.schedule\.closed\[0\]/,
    ],
    [
      'a schedule that is always closed',
      schedule("{ cron: '* * * * *' }"),
      /spec\.schedule: it is always closed.*GateOverride of effect Close/,
    ],
    [
      'an expression that is not CEL',
      "type: expression, expression: { cel: 'object ===', over: { apiVersion: v1, kind: Pod, name: x } }",
      /spec\.expression\.cel/,
    ],
  ])('with an invalid field (%s) names the field, and closes only its own gate', async (_, spec, message) => {
    const namespace = await fixture.namespace();
    await fixture.apply(namespace, gate('door') + keeper(spec));
    await fixture.passes(GateKeeper, { namespace, name: 'keeper' }, ({ status }) => {
      expect(status?.effect).toBe('Invalid');
      expect(status?.conditions).toEqual(notReady('Invalid', message));
    });
    await fixture.gateIs(namespace, 'door', ({ status }) => {
      expect(status).toMatchObject({ state: 'Closed', cause: 'Invalid' });
      expect(status?.conditions).toEqual(notReady('Invalid', message));
    });
    await fixture.gateIs(healthy, 'door', ({ status }) => {
      expect(status?.state).toBe('Open');
    });
  });

  it.each([
    [
      'a type and a field that differ',
      "type: calendar, schedule: { closed: [{ cron: '0 3 * * *' }] }",
      /type calendar requires the field calendar/,
    ],
    [
      'two forms of a window',
      schedule("{ cron: '0 3 * * *', start: '0 3 * * *', duration: 1h }"),
      /exactly one form of a window/,
    ],
    [
      'a start without a duration',
      schedule("{ start: '0 3 * * *' }"),
      /start and duration must be set together/,
    ],
    [
      'no window',
      'type: schedule, schedule: { timeZone: UTC }',
      /closed or open must list at least one window/,
    ],
  ])('with %s is refused by the API server', async (_, spec, message) => {
    const namespace = await fixture.namespace();
    await expect(fixture.apply(namespace, keeper(spec))).rejects.toThrow(message);
  });
});

describe('a binding', () => {
  async function bound(spec: string, more = ''): Promise<string> {
    const namespace = await fixture.namespace();
    await fixture.apply(namespace, more + binding(spec));
    return namespace;
  }

  it.each([
    [
      'a gate that does not exist',
      'refs: [{ name: door }]',
      '',
      'GateUnknown',
      /spec\.refs\[0\]: Gate team-\d+\/door does not exist; create it/,
    ],
    [
      'no targets',
      'refs: [{ name: door }]',
      gate('door'),
      'NoTargets',
      /spec\.commitStatus\.key: no ProposedCommit in the namespace requires freeze; add the key/,
    ],
    [
      'an expression over other gates',
      `refs: [{ name: door }], expr: "gates['window']"`,
      gate('door'),
      'Invalid',
      /spec\.expr: .*refs does not list the gate "window"/,
    ],
    [
      'an expression that is not CEL',
      `refs: [{ name: door }], expr: "gates["`,
      gate('door'),
      'Invalid',
      /spec\.expr/,
    ],
  ])(
    'with %s is not ready, and is closed unless all gates are known',
    async (_, spec, more, reason, message) => {
      const namespace = await bound(spec, more);
      await fixture.passes(GateBinding, { namespace, name: 'binding' }, ({ status }) => {
        expect(status?.conditions).toEqual(notReady(reason, message));
        expect(status?.state).toBe(reason === 'NoTargets' ? 'Open' : 'Closed');
      });
    },
  );

  it('is closed after its gate is deleted, until the gate exists again', async () => {
    const namespace = await bound('refs: [{ name: door }]', gate('door', 'closed: false'));
    const is = (state: string) =>
      fixture.passes(GateBinding, { namespace, name: 'binding' }, ({ status }) => {
        expect(status?.state).toBe(state);
      });
    await is('Open');
    await fixture.client.delete(Gate, { namespace, name: 'door' });
    await is('Closed');
    await fixture.apply(namespace, gate('door', 'closed: false'));
    await is('Open');
  });

  it('may refer to a gate of another namespace only if that gate allows it', async () => {
    const namespace = await bound(`refs: [{ name: door, namespace: ${healthy} }]`);
    const is = (state: string, check: unknown) =>
      fixture.passes(GateBinding, { namespace, name: 'binding' }, ({ status }) => {
        expect(status?.state).toBe(state);
        expect(status?.conditions).toEqual(check);
      });
    await is(
      'Closed',
      notReady('GateUnknown', /does not allow namespace team-\d+; add it to its spec\.allowedNamespaces/),
    );
    await fixture.apply(healthy, gate('door', `closed: false, allowedNamespaces: [${namespace}]`));
    await is('Open', notReady('NoTargets', /no ProposedCommit/));
    await fixture.apply(healthy, gate('door', "closed: false, allowedNamespaces: ['*']"));
    await is('Open', expect.anything());
    await fixture.apply(healthy, gate('door', 'closed: false, allowedNamespaces: [another]'));
    await is('Closed', expect.anything());
  });

  it.each([
    ['without gates', 'refs: []', /refs/],
    [
      'with require and expr',
      `refs: [{ name: door }], require: any, expr: "true"`,
      /at most one of require and expr/,
    ],
    [
      'with targets of another mode',
      'refs: [{ name: door }], targets: [{ kind: GitRepository, name: x }]',
      /mode CommitStatus requires targets of kind PromotionStrategy/,
    ],
  ])('%s is refused by the API server', async (_, spec, message) => {
    await expect(bound(spec)).rejects.toThrow(message);
  });
});
