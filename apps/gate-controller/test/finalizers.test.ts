import { describe, expect, it } from '@jest/globals';
import { finalizers, GateBinding, ifFound } from '@interlock/api';
import { Namespace } from '@interlock/kube';
import { eventually } from '@interlock/kube/testing';
import type { HoldTeam } from './harness/hold-team.js';
import { shop, useHoldFixture } from './harness/hold-fixture.js';

const fixture = useHoldFixture();

/** A binding of each mode. */
const bindings: Readonly<Record<string, object>> = {
  observe: { ...shop, mode: 'Observe' },
  suspend: { ...shop, mode: 'Suspend' },
  pin: { ...shop, mode: 'Pin' },
  status: { refs: shop.refs, mode: 'CommitStatus', commitStatus: { key: 'freeze' } },
};
const names = Object.keys(bindings);

async function finalizersOf(team: HoldTeam, name: string): Promise<string[]> {
  const { metadata } = await team.client.get(GateBinding, { namespace: team.namespace, name });
  return metadata.finalizers ?? [];
}

/** Waits until exactly these bindings have the finalizer. */
async function carry(team: HoldTeam, ...expected: string[]): Promise<void> {
  await eventually(async () => {
    const found = await Promise.all(names.map((name) => finalizersOf(team, name)));
    const carrying = names.filter((_, index) => found[index]?.includes(finalizers.gateBinding));
    expect(carrying).toEqual(expected);
  });
}

/** Creates a namespace with a source and a binding of each mode. */
async function boundTeam(closed: boolean): Promise<HoldTeam> {
  const team = await fixture.team();
  await team.repository('shop');
  await team.gate('freeze', closed);
  for (const [name, spec] of Object.entries(bindings)) await team.bind(name, spec);
  for (const name of names) {
    await team.status(name, ({ state }) => expect(state).toBe(closed ? 'Closed' : 'Open'));
  }
  return team;
}

async function isGone({ client, namespace }: HoldTeam): Promise<boolean> {
  return (await ifFound(client.get(Namespace, { name: namespace }))) === undefined;
}

describe('the finalizer of a GateBinding', () => {
  it('is present only while the binding holds an object', async () => {
    const team = await boundTeam(false);
    await fixture.gates.rest();
    await carry(team);
    await team.gate('freeze', true);
    await team.suspended('GitRepository', 'shop');
    await carry(team, 'suspend', 'pin');
    await team.gate('freeze', false);
    await team.suspended('GitRepository', 'shop', false);
    await carry(team);
  });

  it('is absent while the gate is closed and no object is bound', async () => {
    const team = await fixture.team();
    await team.gate('freeze', true);
    for (const [name, spec] of Object.entries(bindings)) await team.bind(name, spec);
    for (const name of names) await team.status(name, ({ state }) => expect(state).toBe('Closed'));
    await fixture.gates.rest();
    await carry(team);
    await team.repository('shop');
    await team.suspended('GitRepository', 'shop');
    await carry(team, 'suspend', 'pin');
  });

  it('is stored before the first object is held', async () => {
    const team = await boundTeam(false);
    await fixture.gates.rest();
    /* A binding cannot get the finalizer, so the source is not changed. */
    let refused = 0;
    const heal = fixture.platform.cluster.embedded.faults.inject({
      when: ({ info }) =>
        info.verb === 'patch' &&
        info.resource?.plural === 'gatebindings' &&
        info.resource.subresource === undefined,
      status: 503,
      onHit: () => void (refused += 1),
    });
    await team.gate('freeze', true);
    await team.status('observe', ({ state }) => expect(state).toBe('Closed'));
    await eventually(() => expect(refused).toBeGreaterThan(1));
    const { metadata } = await team.object('GitRepository', 'shop');
    expect(metadata.annotations ?? {}).toEqual({});
    heal();
    await fixture.forward(60_000);
    await team.suspended('GitRepository', 'shop');
    await carry(team, 'suspend', 'pin');
  });

  it('is removed from a binding of an earlier version that holds nothing', async () => {
    const team = await boundTeam(false);
    await fixture.gates.rest();
    await fixture.stopGates();
    for (const name of names) {
      await team.client.patch(
        GateBinding,
        { namespace: team.namespace, name },
        { type: 'merge', patch: { metadata: { finalizers: [finalizers.gateBinding] } } },
      );
    }
    await carry(team, ...names);
    await fixture.startGates();
    await carry(team);
  });
});

describe('without the gate controller, a namespace', () => {
  it('can be deleted if its bindings hold nothing, and otherwise waits for the controller', async () => {
    const [open, closed] = [await boundTeam(false), await boundTeam(true)];
    await closed.suspended('GitRepository', 'shop');
    await carry(open);
    await carry(closed, 'suspend', 'pin');
    await fixture.gates.rest();
    await fixture.stopGates();

    await closed.client.delete(Namespace, { name: closed.namespace });
    await open.client.delete(Namespace, { name: open.namespace });
    await eventually(async () => expect(await isGone(open)).toBe(true));
    await eventually(async () => {
      const { items } = await closed.client.list(GateBinding, { namespace: closed.namespace });
      expect(items.map(({ metadata }) => metadata.name)).toEqual(['pin', 'suspend']);
    });
    expect(await isGone(closed)).toBe(false);

    await fixture.startGates();
    await eventually(async () => expect(await isGone(closed)).toBe(true));
  });
});
