import { describe, expect, it } from '@jest/globals';
import { annotations, conditions, GateOverride } from '@interlock/api';
import { eventually } from '@interlock/kube/testing';
import { onMain } from './harness/hold-team.js';
import { useHoldFixture } from './harness/hold-fixture.js';

const fixture = useHoldFixture();

const named = (name: string) => [{ kind: 'GitRepository', name }];
const sourceRef = (name: string) => ({ sourceRef: { kind: 'GitRepository', name } });

describe('a binding', () => {
  it('reports sources that belong together and wait for different gates', async () => {
    const team = await fixture.team();
    await team.repository('shop');
    await team.repository('base');
    await team.manifest('Kustomization', 'infra', sourceRef('base'));
    await team.manifest('Kustomization', 'web', { ...sourceRef('shop'), dependsOn: [{ name: 'infra' }] });
    await team.gate('freeze', false);
    await team.gate('signoff', false);
    await team.bind('shop', { targets: named('shop'), refs: [{ name: 'freeze' }] });
    await team.bind('base', { targets: named('base'), refs: [{ name: 'signoff' }] });
    const { message } = await team.condition('shop', conditions.gateSkew, 'True');
    expect(message).toContain('depends on');
    await team.bind('base', { targets: named('base'), refs: [{ name: 'freeze' }] });
    await eventually(async () => {
      const status = await team.status('shop', () => undefined);
      expect(status.conditions?.map(({ type }) => type)).not.toContain(conditions.gateSkew);
    });
  });

  it('reports a gate that comes from the source that it holds', async () => {
    const team = await fixture.team();
    await team.repository('shop');
    await team.manifest('Kustomization', 'web', sourceRef('shop'));
    await team.gate('freeze', true, {
      'kustomize.toolkit.fluxcd.io/name': 'web',
      'kustomize.toolkit.fluxcd.io/namespace': team.namespace,
    });
    await team.bind('release', { targets: named('shop'), refs: [{ name: 'freeze' }] });
    const { message } = await team.condition('release', conditions.selfLockout, 'True');
    expect(message).toContain('Deliver it from a source that is not held');
  });

  it('reports which revision waits for an applier', async () => {
    const team = await fixture.team();
    await team.repository('shop');
    await team.manifest('Kustomization', 'web', sourceRef('shop'));
    await team.has('Kustomization', 'web', onMain('a'));
    await team.gate('freeze', true);
    const targets = [{ kind: 'Kustomization', name: 'web' }];
    await team.bind('release', { targets, refs: [{ name: 'freeze' }], scope: 'All' });
    await team.confirmed('release', 'web');
    team.push('shop', 'b');
    await team.hold('release', 'web', (hold) =>
      expect(hold).toMatchObject({ revision: onMain('a'), pending: onMain('b'), confirmed: true }),
    );
  });
});

describe('an override that opens once', () => {
  it('lets one revision of the bound source through, and no other', async () => {
    const team = await fixture.team();
    await team.repository('shop');
    await team.gate('bypass-signoff', true);
    await team.bind('release', { targets: named('shop'), refs: [{ name: 'bypass-signoff' }] });
    await team.confirmed('release', 'shop');
    team.push('shop', 'b');
    const reason = 'Patching a CVE: Signed off by Bob the builder';
    const gateRef = { name: 'bypass-signoff' };
    await team.override('cve', { gateRef, effect: 'Open', reason, duration: '30m', once: true });
    await team.has('GitRepository', 'shop', onMain('b'));
    await eventually(async () => {
      const { status } = await team.client.get(GateOverride, { namespace: team.namespace, name: 'cve' });
      expect(status).toMatchObject({ phase: 'Spent', released: [{ name: 'shop', revision: onMain('b') }] });
    });
    await team.hold('release', 'shop', (hold) =>
      expect(hold).toMatchObject({ revision: onMain('b'), confirmed: true }),
    );
    team.push('shop', 'c');
    await fixture.gates.rest();
    expect(team.taken('GitRepository', 'shop')).toEqual([onMain('a'), onMain('b')]);
  });
});

describe('gate annotations of an object that applies from a source', () => {
  it('are reported in an event that names the alternative', async () => {
    const team = await fixture.team();
    await team.repository('shop');
    await team.manifest('Kustomization', 'web', sourceRef('shop'), {
      annotations: { [annotations.gates]: 'freeze' },
    });
    expect(await team.event('web', 'InvalidGates')).toContain('scope All');
  });
});
