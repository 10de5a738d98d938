import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Gate, GateKeeper, type Kind, type KubeObject } from '@interlock/api';
import { ClusterRole, ClusterRoleBinding, ConfigMap, CustomResourceDefinition } from '@interlock/kube';
import { systemNamespace } from '@interlock/stack';
import { Fixture } from './harness/fixture.js';

const minute = 60_000;
const checkMs = 30_000;
let fixture: Fixture;

beforeAll(async () => {
  fixture = await Fixture.start({ at: '2030-05-01T09:00:00Z' });
});
afterAll(() => fixture.close());

function gateWith(keeper: string, gate = ''): Promise<string> {
  return fixture.namespaceWith(`
apiVersion: gating.toolkit.fluxcd.io/v1alpha1
kind: Gate
metadata: { name: door }
spec: { closed: false ${gate} }
---
apiVersion: gating.toolkit.fluxcd.io/v1alpha1
kind: GateKeeper
metadata: { name: keeper }
spec: { gate: door, ${keeper} }
`);
}

const keeperIs = (namespace: string, check: (keeper: GateKeeper) => void) =>
  fixture.passes(GateKeeper, { namespace, name: 'keeper' }, check);

const showsState = (namespace: string, state: string, message: RegExp) =>
  fixture.gateIs(namespace, 'door', ({ status }) => {
    expect(status?.state).toBe(state);
    expect(status?.contributions?.[0]?.message ?? '').toMatch(message);
  });

const calendar = (from: string, to: string) =>
  `BEGIN:VCALENDAR
VERSION:2.0
PRODID:-//test//EN
BEGIN:VEVENT
UID:1@example.com
DTSTAMP:20300101T000000Z
DTSTART:${from}
DTEND:${to}
SUMMARY:Quarter close
END:VEVENT
END:VCALENDAR
`.replaceAll('\n', '\r\n');

describe('a keeper of type calendar', () => {
  const spec = 'type: calendar, calendar: { configMapRef: { name: holidays } }';

  function holidays(namespace: string, data: Record<string, string>): Promise<ConfigMap> {
    return fixture.client.apply(
      ConfigMap,
      { metadata: { name: 'holidays', namespace }, data },
      { fieldManager: 'team' },
    );
  }

  it('closes the gate during events of a ConfigMap, and follows its changes', async () => {
    const namespace = await gateWith(spec);
    await showsState(namespace, 'Closed', /ConfigMap \(v1\) holidays does not exist; create it/);
    await fixture.gateIs(namespace, 'door', ({ status }) => {
      expect(status?.cause).toBe('FailurePolicy');
      expect(status?.conditions).toContainEqual(
        expect.objectContaining({ type: 'Ready', status: 'False', reason: 'KeeperUnknown' }),
      );
    });
    await holidays(namespace, { other: 'x' });
    await showsState(namespace, 'Closed', /ConfigMap holidays has no key calendar.ics; add it/);
    await holidays(namespace, { 'calendar.ics': calendar('20300601T000000Z', '20300602T000000Z') });
    await showsState(namespace, 'Open', /./);
    await fixture.gateIs(namespace, 'door', ({ status }) => {
      expect(status?.next).toMatchObject({ at: '2030-06-01T00:00:00Z', state: 'Closed' });
    });
    const keeper = await keeperIs(namespace, ({ status }) => {
      expect(status).toMatchObject({ effect: 'Abstain', calendar: { events: 1 } });
    });
    await holidays(namespace, { 'calendar.ics': calendar('20300101T000000Z', '20300801T000000Z') });
    await showsState(namespace, 'Closed', /Quarter close/);
    await keeperIs(namespace, ({ status }) => {
      expect(status?.calendar?.digest).not.toBe(keeper.status?.calendar?.digest);
    });
    await holidays(namespace, { 'calendar.ics': 'BEGIN:NOTHING' });
    await fixture.gateIs(namespace, 'door', ({ status }) => {
      expect(status).toMatchObject({ state: 'Closed', cause: 'FailurePolicy' });
    });
  });

  it('reads no host that the operator did not allow', async () => {
    const namespace = await gateWith(
      'type: calendar, calendar: { url: "https://calendar.example.com/a.ics" }',
    );
    const message = /host calendar.example.com is not allowed; add it to the flag --calendar-hosts/;
    await showsState(namespace, 'Closed', message);
    await keeperIs(namespace, ({ status }) => {
      expect(status?.effect).toBe('Unknown');
      expect(status?.conditions).toContainEqual(
        expect.objectContaining({ type: 'Ready', status: 'False', message: expect.stringMatching(message) }),
      );
    });
  });

  it('puts the gate into the state that the failure policy defines', async () => {
    const open = await gateWith(spec, ', failurePolicy: Open');
    await fixture.gateIs(open, 'door', ({ status }) => {
      expect(status).toMatchObject({ state: 'Open', cause: 'FailurePolicy' });
    });
    const hold = await gateWith(spec, ', failurePolicy: Hold');
    await holidays(hold, { 'calendar.ics': calendar('20300601T000000Z', '20300602T000000Z') });
    await showsState(hold, 'Open', /./);
    await fixture.client.delete(ConfigMap, { namespace: hold, name: 'holidays' });
    await fixture.gateIs(hold, 'door', ({ status }) => {
      expect(status).toMatchObject({ state: 'Open', cause: 'FailurePolicy' });
    });
  });
});

const Rollout: Kind<KubeObject> = {
  group: 'argoproj.io',
  version: 'v1alpha1',
  kind: 'Rollout',
  plural: 'rollouts',
  namespaced: true,
};

async function defineRollouts(): Promise<void> {
  const freeForm = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
  const openAPIV3Schema = { type: 'object', properties: { spec: freeForm, status: freeForm } };
  const { group, version, kind, plural } = Rollout;
  await fixture.client.apply(
    CustomResourceDefinition,
    {
      metadata: { name: `${plural}.${group}` },
      spec: {
        group,
        scope: 'Namespaced',
        names: { kind, listKind: `${kind}List`, plural, singular: 'rollout' },
        versions: [{ name: version, served: true, storage: true, schema: { openAPIV3Schema } }],
      },
    },
    { fieldManager: 'test' },
  );
}

/** Grants permissions as the chart does for `readResources`. */
async function grant(): Promise<void> {
  const name = 'reads';
  const verbs = ['get', 'list', 'watch'];
  const rules = [{ apiGroups: [Rollout.group], resources: [Rollout.plural], verbs }];
  const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name };
  const subjects = [{ kind: 'ServiceAccount', name: 'gate-controller', namespace: systemNamespace }];
  const options = { fieldManager: 'test' };
  await fixture.client.apply(ClusterRole, { metadata: { name }, rules }, options);
  await fixture.client.apply(ClusterRoleBinding, { metadata: { name }, roleRef, subjects }, options);
}

function rollout(namespace: string, phase: string): Promise<KubeObject> {
  return fixture.client.apply(
    Rollout,
    { metadata: { name: 'web', namespace }, status: { phase } },
    { fieldManager: 'argo' },
  );
}

describe('a keeper of type expression', () => {
  it('follows a resource whose kind and permission are added later', async () => {
    const namespace = await gateWith(
      `type: expression, expression: { cel: "object.status.phase == 'Healthy'", over: { apiVersion: argoproj.io/v1alpha1, kind: Rollout, name: web } }`,
    );
    await showsState(
      namespace,
      'Closed',
      /the API server does not serve Rollout \(argoproj.io\/v1alpha1\); install it/,
    );
    await defineRollouts();
    await fixture.process.rest();
    fixture.forward(checkMs);
    await showsState(namespace, 'Closed', /may not read Rollout .* \(value readResources of its chart\)/);
    await grant();
    fixture.forward(checkMs);
    await showsState(namespace, 'Closed', /Rollout \(argoproj.io\/v1alpha1\) web does not exist; create it/);
    await rollout(namespace, 'Progressing');
    await fixture.gateIs(namespace, 'door', ({ status }) => {
      expect(status).toMatchObject({ state: 'Closed', cause: 'GateKeeper/keeper' });
    });
    await rollout(namespace, 'Healthy');
    await fixture.gateIs(namespace, 'door', ({ status }) => expect(status?.state).toBe('Open'));
    await rollout(namespace, 'Degraded');
    await fixture.gateIs(namespace, 'door', ({ status }) => {
      expect(status).toMatchObject({ state: 'Closed', cause: 'GateKeeper/keeper' });
    });
    await fixture.client.delete(Rollout, { namespace, name: 'web' });
    await showsState(namespace, 'Closed', /does not exist/);
    await fixture.client.delete(ClusterRoleBinding, { name: 'reads' });
    fixture.forward(checkMs);
    await showsState(namespace, 'Closed', /may not read/);
  });
});

describe('a keeper', () => {
  it('reports that its gate does not exist, until it does', async () => {
    const namespace = await gateWith("type: schedule, schedule: { closed: [{ cron: '* * * * 0' }] }");
    await fixture.client.delete(Gate, { namespace, name: 'door' });
    await keeperIs(namespace, ({ status }) => {
      expect(status?.conditions).toContainEqual(
        expect.objectContaining({
          type: 'Ready',
          status: 'False',
          reason: 'GateNotFound',
          message: 'spec.gate: Gate door does not exist in the namespace; create it',
        }),
      );
    });
    await fixture.client.apply(
      Gate,
      { metadata: { name: 'door', namespace }, spec: {} },
      { fieldManager: 'team' },
    );
    await keeperIs(namespace, ({ status }) => {
      expect(status?.conditions).toContainEqual(expect.objectContaining({ type: 'Ready', status: 'True' }));
    });
  });

  it('warns of windows in the past', async () => {
    const namespace = await gateWith(
      "type: schedule, schedule: { open: [{ from: '2030-01-01T00:00', to: '2030-01-02T00:00' }] }",
    );
    await keeperIs(namespace, ({ status }) => {
      expect(status?.warnings?.[0]).toMatch(/^open\[0\]: .* has passed/);
    });
  });

  it('shows exactly when its state changes', async () => {
    const namespace = await gateWith(
      "type: schedule, schedule: { timeZone: Europe/Berlin, closed: [{ start: '0 22 * * *', duration: 8h }] }",
    );
    await keeperIs(namespace, ({ status }) => {
      expect(status).toMatchObject({ effect: 'Abstain', next: '2030-05-01T20:00:00Z' });
    });
    await fixture.process.rest();
    fixture.travel('2030-05-01T20:00:00Z');
    await keeperIs(namespace, ({ status }) => {
      expect(status).toMatchObject({ effect: 'Closed', next: '2030-05-02T04:00:00Z' });
    });
    fixture.forward(minute);
    await fixture.process.rest();
  });
});
