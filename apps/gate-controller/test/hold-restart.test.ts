import { describe, expect, it } from '@jest/globals';
import { Gate, GateBinding } from '@interlock/api';
import { eventually } from '@interlock/kube/testing';
import { onMain } from './harness/hold-team.js';
import { shop, useHoldFixture } from './harness/hold-fixture.js';

const minute = 60_000;
const fixture = useHoldFixture();

describe('after a downtime, gate-controller', () => {
  it('catches up with gates that opened and closed in the meantime', async () => {
    const [opened, closed] = [await fixture.heldShop(), await fixture.heldShop()];
    const gateRef = { name: 'freeze' };
    await closed.override('cve', { gateRef, effect: 'Open', reason: 'CVE', duration: '30m' });
    await closed.suspended('GitRepository', 'shop', false);
    await fixture.gates.rest();

    await fixture.stopGates();
    fixture.clock.forward(45 * minute);
    await opened.gate('freeze', false);
    await fixture.startGates();
    await opened.suspended('GitRepository', 'shop', false);
    await closed.suspended('GitRepository', 'shop');
    await opened.status('release', (status) => expect(status).toMatchObject({ state: 'Open', heldCount: 0 }));
  });

  it('releases nothing before all gates have been evaluated', async () => {
    const team = await fixture.heldShop();
    await team.gate('other', false);
    await fixture.gates.rest();

    await fixture.stopGates();
    await team.gate('freeze', false);
    await team.gate('other', true);
    const heal = fixture.platform.cluster.embedded.faults.inject({
      when: ({ info }) =>
        info.verb === 'patch' &&
        info.resource?.plural === 'gates' &&
        info.resource.name === 'other' &&
        info.resource.namespace === team.namespace,
      status: 503,
    });
    await fixture.startGates();
    await eventually(async () => {
      const gate = await team.client.get(Gate, { namespace: team.namespace, name: 'freeze' });
      expect(gate.status?.state).toBe('Open');
    });
    await team.status('release', (status) => expect(status.state).toBe('Open'));
    await fixture.gates.rest();
    await team.suspended('GitRepository', 'shop');
    expect(team.taken('GitRepository', 'shop')).toEqual([onMain('a')]);
    heal();
    await team.suspended('GitRepository', 'shop', false);
  });

  it('releases nothing if one gate opened and another one closed', async () => {
    const team = await fixture.boundShop();
    await team.gate('signoff', false);
    await team.bind('approval', { ...shop, refs: [{ name: 'signoff' }] });
    await team.confirmed('release', 'shop');
    team.push('shop', 'b');
    await fixture.gates.rest();

    await fixture.stopGates();
    await team.gate('freeze', false);
    await team.gate('signoff', true);
    await fixture.startGates();
    await team.confirmed('approval', 'shop');
    await team.status('release', (status) => expect(status).toMatchObject({ state: 'Open', heldCount: 0 }));
    expect(team.taken('GitRepository', 'shop')).toEqual([onMain('a')]);
  });

  it('releases the objects of a binding that was removed by force', async () => {
    const team = await fixture.heldShop();
    await fixture.gates.rest();

    await fixture.stopGates();
    const key = { namespace: team.namespace, name: 'release' };
    await team.client.patch(GateBinding, key, { type: 'merge', patch: { metadata: { finalizers: null } } });
    await team.client.delete(GateBinding, key);
    await fixture.startGates();
    await team.suspended('GitRepository', 'shop', false);
  });

  it('writes nothing that is already stored', async () => {
    const team = await fixture.heldShop();
    await team.hold('release', 'shop', (hold) => expect(hold?.confirmed).toBe(true));
    await fixture.gates.rest();
    const before = await team.object('GitRepository', 'shop');
    await fixture.stopGates();
    await fixture.startGates();
    await fixture.gates.rest();
    const after = await team.object('GitRepository', 'shop');
    expect(after.metadata.resourceVersion).toBe(before.metadata.resourceVersion);
  });
});

it('releases the objects of a binding that is removed by force while gate-controller runs', async () => {
  const team = await fixture.heldShop();
  await fixture.gates.rest();
  const isPatch = fixture.platform.cluster.embedded.faults.inject({
    when: ({ info, user }) =>
      info.verb === 'patch' &&
      info.resource?.plural === 'gitrepositories' &&
      user?.username.endsWith(':gate-controller') === true,
    status: 503,
  });
  const key = { namespace: team.namespace, name: 'release' };
  await team.client.delete(GateBinding, key);
  await team.client.patch(GateBinding, key, { type: 'merge', patch: { metadata: { finalizers: null } } });
  isPatch();
  await team.suspended('GitRepository', 'shop', false);
});
