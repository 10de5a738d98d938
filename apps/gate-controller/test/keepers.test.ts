import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Gate, GateKeeper, type Kind, type KubeObject } from '@interlock/api';
import { ClusterRole, ClusterRoleBinding, ConfigMap, CustomResourceDefinition } from '@interlock/kube';
import { systemNamespace } from '@interlock/stack';
import { World } from './harness/world.js';

const minute = 60_000;
const look = 30_000;
let world: World;

beforeAll(async () => {
  world = await World.start({ at: '2030-05-01T09:00:00Z' });
});
afterAll(() => world.close());

function gateWith(keeper: string, gate = ''): Promise<string> {
  return world.namespaceWith(`
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
  world.passes(GateKeeper, { namespace, name: 'keeper' }, check);

const says = (namespace: string, state: string, message: RegExp) =>
  world.gateIs(namespace, 'door', ({ status }) => {
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
    return world.client.apply(
      ConfigMap,
      { metadata: { name: 'holidays', namespace }, data },
      { fieldManager: 'team' },
    );
  }

  it('closes the gate during events of a ConfigMap, and follows its changes', async () => {
    const namespace = await gateWith(spec);
    await says(namespace, 'Closed', /ConfigMap \(v1\) holidays does not exist; create it/);
    await world.gateIs(namespace, 'door', ({ status }) => {
      expect(status?.cause).toBe('FailurePolicy');
      expect(status?.conditions).toContainEqual(
        expect.objectContaining({ type: 'Ready', status: 'False', reason: 'KeeperUnknown' }),
      );
    });
    await holidays(namespace, { other: 'x' });
    await says(namespace, 'Closed', /ConfigMap holidays has no key calendar.ics; add it/);
    await holidays(namespace, { 'calendar.ics': calendar('20300601T000000Z', '20300602T000000Z') });
    await says(namespace, 'Open', /./);
    await world.gateIs(namespace, 'door', ({ status }) => {
      expect(status?.next).toMatchObject({ at: '2030-06-01T00:00:00Z', state: 'Closed' });
    });
    const keeper = await keeperIs(namespace, ({ status }) => {
      expect(status).toMatchObject({ effect: 'Abstain', calendar: { events: 1 } });
    });
    await holidays(namespace, { 'calendar.ics': calendar('20300101T000000Z', '20300801T000000Z') });
    await says(namespace, 'Closed', /Quarter close/);
    await keeperIs(namespace, ({ status }) => {
      expect(status?.calendar?.digest).not.toBe(keeper.status?.calendar?.digest);
    });
    await holidays(namespace, { 'calendar.ics': 'BEGIN:NOTHING' });
    await world.gateIs(namespace, 'door', ({ status }) => {
      expect(status).toMatchObject({ state: 'Closed', cause: 'FailurePolicy' });
    });
  });

  it('reads no host that the operator did not allow', async () => {
    const namespace = await gateWith(
      'type: calendar, calendar: { url: "https://calendar.example.com/a.ics" }',
    );
    const message = /host calendar.example.com is not allowed; add it to the flag --calendar-hosts/;
    await says(namespace, 'Closed', message);
    await keeperIs(namespace, ({ status }) => {
      expect(status?.effect).toBe('Unknown');
      expect(status?.conditions).toContainEqual(
        expect.objectContaining({ type: 'Ready', status: 'False', message: expect.stringMatching(message) }),
      );
    });
  });

  it('leaves the gate as the failure policy says', async () => {
    const open = await gateWith(spec, ', failurePolicy: Open');
    await world.gateIs(open, 'door', ({ status }) => {
      expect(status).toMatchObject({ state: 'Open', cause: 'FailurePolicy' });
    });
    const hold = await gateWith(spec, ', failurePolicy: Hold');
    await holidays(hold, { 'calendar.ics': calendar('20300601T000000Z', '20300602T000000Z') });
    await says(hold, 'Open', /./);
    await world.client.delete(ConfigMap, { namespace: hold, name: 'holidays' });
    await world.gateIs(hold, 'door', ({ status }) => {
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
  await world.client.apply(
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

/** As the chart does for `readResources`. */
async function grant(): Promise<void> {
  const name = 'reads';
  const verbs = ['get', 'list', 'watch'];
  const rules = [{ apiGroups: [Rollout.group], resources: [Rollout.plural], verbs }];
  const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name };
  const subjects = [{ kind: 'ServiceAccount', name: 'gate-controller', namespace: systemNamespace }];
  const options = { fieldManager: 'test' };
  await world.client.apply(ClusterRole, { metadata: { name }, rules }, options);
  await world.client.apply(ClusterRoleBinding, { metadata: { name }, roleRef, subjects }, options);
}

function rollout(namespace: string, phase: string): Promise<KubeObject> {
  return world.client.apply(
    Rollout,
    { metadata: { name: 'web', namespace }, status: { phase } },
    { fieldManager: 'argo' },
  );
}

describe('a keeper of type expression', () => {
  it('follows a resource of a kind that is installed and granted later', async () => {
    const namespace = await gateWith(
      `type: expression, expression: { cel: "object.status.phase == 'Healthy'", over: { apiVersion: argoproj.io/v1alpha1, kind: Rollout, name: web } }`,
    );
    await says(namespace, 'Closed', /the API server serves no Rollout \(argoproj.io\/v1alpha1\); install it/);
    await defineRollouts();
    await world.process.rest();
    world.forward(look);
    await says(namespace, 'Closed', /may not read Rollout .* \(value readResources of its chart\)/);
    await grant();
    world.forward(look);
    await says(namespace, 'Closed', /Rollout \(argoproj.io\/v1alpha1\) web does not exist; create it/);
    await rollout(namespace, 'Progressing');
    await world.gateIs(namespace, 'door', ({ status }) => {
      expect(status).toMatchObject({ state: 'Closed', cause: 'GateKeeper/keeper' });
    });
    await rollout(namespace, 'Healthy');
    await world.gateIs(namespace, 'door', ({ status }) => expect(status?.state).toBe('Open'));
    await rollout(namespace, 'Degraded');
    await world.gateIs(namespace, 'door', ({ status }) => {
      expect(status).toMatchObject({ state: 'Closed', cause: 'GateKeeper/keeper' });
    });
    await world.client.delete(Rollout, { namespace, name: 'web' });
    await says(namespace, 'Closed', /does not exist/);
    await world.client.delete(ClusterRoleBinding, { name: 'reads' });
    world.forward(look);
    await says(namespace, 'Closed', /may not read/);
  });
});

describe('a keeper', () => {
  it('says that its gate does not exist, until it does', async () => {
    const namespace = await gateWith("type: schedule, schedule: { closed: [{ cron: '* * * * 0' }] }");
    await world.client.delete(Gate, { namespace, name: 'door' });
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
    await world.client.apply(
      Gate,
      { metadata: { name: 'door', namespace }, spec: {} },
      { fieldManager: 'team' },
    );
    await keeperIs(namespace, ({ status }) => {
      expect(status?.conditions).toContainEqual(expect.objectContaining({ type: 'Ready', status: 'True' }));
    });
  });

  it('warns of windows that are over', async () => {
    const namespace = await gateWith(
      "type: schedule, schedule: { open: [{ from: '2030-01-01T00:00', to: '2030-01-02T00:00' }] }",
    );
    await keeperIs(namespace, ({ status }) => {
      expect(status?.warnings?.[0]).toMatch(/^open\[0\]: .* is over/);
    });
  });

  it('shows when it says something else, exactly then', async () => {
    const namespace = await gateWith(
      "type: schedule, schedule: { timeZone: Europe/Berlin, closed: [{ start: '0 22 * * *', duration: 8h }] }",
    );
    await keeperIs(namespace, ({ status }) => {
      expect(status).toMatchObject({ effect: 'Abstain', next: '2030-05-01T20:00:00Z' });
    });
    await world.process.rest();
    world.travel('2030-05-01T20:00:00Z');
    await keeperIs(namespace, ({ status }) => {
      expect(status).toMatchObject({ effect: 'Closed', next: '2030-05-02T04:00:00Z' });
    });
    world.forward(minute);
    await world.process.rest();
  });
});
