import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { CommitStatus, GateBinding, GateOverride, labels, ProposedCommit } from '@interlock/api';
import { stringify } from 'yaml';
import { binding, Environment, key, expectPhases, sha, statuses } from './harness/promotions.js';
import { Fixture } from './harness/fixture.js';

const minute = 60_000;

let fixture: Fixture;

beforeAll(async () => {
  fixture = await Fixture.start({ at: '2030-11-10T12:00:00Z' });
});
afterAll(() => fixture.close());

const freeze = (from: string, to: string) => `
apiVersion: gating.toolkit.fluxcd.io/v1alpha1
kind: Gate
metadata:
  name: freeze
spec:
  closed: false
  maxOverride: 24h
---
apiVersion: gating.toolkit.fluxcd.io/v1alpha1
kind: GateKeeper
metadata:
  name: calendar
spec:
  gate: freeze
  type: schedule
  schedule:
    closed:
      - from: '${from}'
        to: '${to}'
        description: the audit
`;

/** Creates a namespace with a gate that closes in ten minutes for an hour, and a binding of the key to it. */
async function frozenSoon(): Promise<{ namespace: string; prod: Environment; from: number; to: number }> {
  const namespace = await fixture.namespace();
  const from = Math.ceil((fixture.clock.now() + 10 * minute) / minute) * minute;
  const to = from + 60 * minute;
  const at = (ms: number) => new Date(ms).toISOString().replace('.000Z', 'Z');
  await fixture.apply(namespace, freeze(at(from), at(to)));
  await fixture.apply(namespace, stringify(binding('hold', ['freeze'])));
  return { namespace, prod: new Environment(fixture, namespace, 'prod'), from, to };
}

function override(namespace: string, name: string, spec: object): Promise<GateOverride> {
  const common = { gateRef: { name: 'freeze' }, effect: 'Open', reason: 'CVE', duration: '30m' };
  return fixture.client.create(GateOverride, { metadata: { name, namespace }, spec: { ...common, ...spec } });
}

async function closed(): Promise<Awaited<ReturnType<typeof frozenSoon>>> {
  const team = await frozenSoon();
  await fixture.process.rest();
  fixture.travel(new Date(team.from).toISOString());
  await fixture.gateIs(team.namespace, 'freeze', ({ status }) => expect(status?.state).toBe('Closed'));
  return team;
}

describe('mode CommitStatus', () => {
  it('reports success while the gate is open, and changes its report when the gate closes or opens', async () => {
    const { namespace, prod, from, to } = await frozenSoon();
    await prod.propose('one');
    const open = await expectPhases(fixture, namespace, { one: 'success' });
    const first = open[sha('one')];
    const closes = new Date(from).toISOString().replace('.000Z', 'Z');
    expect(first?.spec).toMatchObject({ repoRef: { name: 'deployments' }, name: key, validUntil: closes });
    expect(first?.metadata.labels).toMatchObject({ [labels.gateBinding]: 'hold' });
    await fixture.process.rest();
    fixture.travel(new Date(from).toISOString());
    const held = await expectPhases(fixture, namespace, { one: 'in_progress' });
    const opens = new Date(to).toISOString().replace('.000Z', 'Z');
    expect(held[sha('one')]?.spec.description).toMatch(/freeze is closed .*the audit/);
    expect(held[sha('one')]?.spec.description).toContain(`opens at ${opens}`);
    expect(held[sha('one')]?.spec.validUntil).toBeUndefined();
    await fixture.passes(GateBinding, { namespace, name: 'hold' }, ({ status }) => {
      expect(status).toMatchObject({
        state: 'Closed',
        targetCount: 1,
        heldCount: 1,
        next: { at: opens, state: 'Open' },
        holds: [
          {
            kind: 'PromotionStrategy',
            name: 'shop',
            environment: 'prod',
            revision: sha('old'),
            pending: sha('one'),
          },
        ],
      });
    });
    expect(await fixture.process.metric('gate_held_targets', { namespace })).toBe(1);
    fixture.travel(new Date(to).toISOString());
    await expectPhases(fixture, namespace, { one: 'success' });
    await fixture.passes(GateBinding, { namespace, name: 'hold' }, ({ status }) => {
      expect(status).toMatchObject({ state: 'Open', heldCount: 0, holds: [] });
    });
    expect(await fixture.process.metric('gate_held_targets', { namespace })).toBe(0);
    expect(await fixture.process.metric('gate_hold_seconds', { mode: 'CommitStatus' })).toBeGreaterThan(0);
  });

  it('reports a new commit immediately, and no longer reports the previous commit', async () => {
    const { namespace, prod } = await closed();
    await prod.propose('one');
    await expectPhases(fixture, namespace, { one: 'in_progress' });
    await prod.propose('two');
    await expectPhases(fixture, namespace, { two: 'in_progress' });
    await prod.propose('two', { keys: [] });
    await expectPhases(fixture, namespace, {});
    await fixture.passes(GateBinding, { namespace, name: 'hold' }, ({ status }) => {
      expect(status?.conditions).toContainEqual(
        expect.objectContaining({ type: 'Ready', status: 'False', reason: 'NoTargets' }),
      );
    });
  });

  it('also holds a revert of the environment', async () => {
    const { namespace, prod } = await closed();
    await prod.propose('one');
    await prod.revert('back', 'reverted');
    await new Environment(fixture, namespace, 'dev').revert('elsewhere', 'other');
    await expectPhases(fixture, namespace, { one: 'in_progress', reverted: 'in_progress' });
  });

  it('lets through the dry commit that an override is scoped to', async () => {
    const { namespace, prod } = await closed();
    const blog = new Environment(fixture, namespace, 'prod', 'blog');
    await prod.propose('fix');
    await blog.propose('feature');
    await expectPhases(fixture, namespace, { fix: 'in_progress', feature: 'in_progress' });
    await override(namespace, 'cve', {
      revisions: [sha('dry fix')],
      targets: [{ kind: 'PromotionStrategy', name: 'shop' }],
    });
    await expectPhases(fixture, namespace, { fix: 'success', feature: 'in_progress' });
    await prod.propose('later');
    await expectPhases(fixture, namespace, { later: 'in_progress', feature: 'in_progress' });
    const { status } = await fixture.gate(namespace, 'freeze');
    expect(status?.state).toBe('Closed');
  });

  it('reports success only if all bindings of the key are open', async () => {
    const { namespace, prod } = await frozenSoon();
    await prod.propose('one');
    await expectPhases(fixture, namespace, { one: 'success' });
    const gate = `
apiVersion: gating.toolkit.fluxcd.io/v1alpha1
kind: Gate
metadata: { name: signoff }
spec: { closed: true }
`;
    await fixture.apply(namespace, gate);
    const [second] = await fixture.apply(namespace, stringify(binding('a-second', ['signoff'])));
    const held = await expectPhases(fixture, namespace, { one: 'in_progress' });
    expect(held[sha('one')]?.spec.description).toContain('signoff is closed');
    expect(held[sha('one')]?.metadata.ownerReferences?.map(({ name }) => name).sort()).toEqual([
      'a-second',
      'hold',
    ]);
    await fixture.remove(GateBinding, second!);
    await expectPhases(fixture, namespace, { one: 'success' });
  });

  it('applies to the named targets only, and distinguishes CommitStatuses of other owners from its own', async () => {
    const { namespace, prod } = await frozenSoon();
    const targets = [{ kind: 'PromotionStrategy', name: 'shop' }];
    await fixture.apply(namespace, stringify(binding('hold', ['freeze'], { targets })));
    await prod.propose('one');
    await new Environment(fixture, namespace, 'prod', 'blog').propose('other');
    await expectPhases(fixture, namespace, { one: 'success' });
    await fixture.client.create(CommitStatus, {
      metadata: { name: 'rival', namespace, labels: { [labels.commitStatusKey]: key } },
      spec: { repoRef: { name: 'deployments' }, sha: sha('one'), name: 'rival', phase: 'success' },
    });
    await fixture.passes(GateBinding, { namespace, name: 'hold' }, ({ status }) => {
      expect(status?.conditions).toContainEqual(
        expect.objectContaining({
          type: 'Conflict',
          status: 'True',
          message: expect.stringContaining('CommitStatus rival of another owner'),
        }),
      );
    });
    await fixture.client.delete(CommitStatus, { namespace, name: 'rival' });
    await fixture.passes(GateBinding, { namespace, name: 'hold' }, ({ status }) => {
      expect(status?.conditions?.map(({ type }) => type)).not.toContain('Conflict');
    });
  });

  it('restores a changed CommitStatus, and removes its CommitStatuses when the mode changes', async () => {
    const { namespace, prod } = await closed();
    await prod.propose('one');
    const held = await expectPhases(fixture, namespace, { one: 'in_progress' });
    const { name } = held[sha('one')]!.metadata;
    await fixture.client.patch(
      CommitStatus,
      { namespace, name },
      { type: 'merge', patch: { spec: { phase: 'success' } } },
    );
    await expectPhases(fixture, namespace, { one: 'in_progress' });
    await fixture.client.delete(CommitStatus, { namespace, name });
    await expectPhases(fixture, namespace, { one: 'in_progress' });
    await fixture.client.apply(
      GateBinding,
      {
        metadata: { namespace, name: 'hold' },
        spec: {
          mode: 'Observe',
          refs: [{ name: 'freeze' }],
          targets: [{ kind: 'GitRepository', name: 'x' }],
        },
      },
      { fieldManager: 'team' },
    );
    await expectPhases(fixture, namespace, {});
  });

  it('removes its CommitStatuses of the previous key when its key changes', async () => {
    const { namespace, prod } = await frozenSoon();
    await prod.propose('one');
    await expectPhases(fixture, namespace, { one: 'success' });
    const renamed = { commitStatus: { key: 'other' } };
    await fixture.apply(namespace, stringify(binding('hold', ['freeze'], renamed)));
    await expectPhases(fixture, namespace, {});
  });

  it('reports a missing permission, and continues once it is granted', async () => {
    const { namespace, prod } = await closed();
    const heal = fixture.cluster.faults.inject({
      when: ({ method, path }) => method === 'PATCH' && path.includes(`${namespace}/commitstatuses/`),
      status: 403,
    });
    await prod.propose('one');
    await fixture.passes(GateBinding, { namespace, name: 'hold' }, ({ status }) => {
      expect(status?.conditions).toContainEqual(
        expect.objectContaining({
          type: 'Ready',
          status: 'False',
          message: expect.stringMatching(/^PATCH .*commitstatuses/),
        }),
      );
    });
    expect(
      await fixture.process.metric('gate_actuation_errors_total', { mode: 'CommitStatus' }),
    ).toBeGreaterThan(0);
    heal();
    await prod.propose('two');
    await expectPhases(fixture, namespace, { two: 'in_progress' });
  });

  it('ends an override that opens once when each environment has taken a new revision', async () => {
    const { namespace, prod } = await closed();
    await prod.propose('one');
    await expectPhases(fixture, namespace, { one: 'in_progress' });
    await override(namespace, 'once', { once: true });
    await expectPhases(fixture, namespace, { one: 'success' });
    await fixture.passes(GateOverride, { namespace, name: 'once' }, ({ status }) => {
      expect(status).toMatchObject({
        phase: 'Active',
        waiting: [{ kind: ProposedCommit.kind, name: prod.name, revision: sha('old') }],
      });
    });
    await prod.propose('one', { active: 'merged' });
    await fixture.passes(GateOverride, { namespace, name: 'once' }, ({ status }) => {
      expect(status).toMatchObject({
        phase: 'Spent',
        released: [{ kind: ProposedCommit.kind, name: prod.name, revision: sha('merged') }],
      });
    });
    await fixture.gateIs(namespace, 'freeze', ({ status }) => expect(status?.state).toBe('Closed'));
    await prod.propose('two', { active: 'merged' });
    await expectPhases(fixture, namespace, { two: 'in_progress' });
  });

  it('counts revisions only while the override makes a difference', async () => {
    const { namespace, prod, from } = await frozenSoon();
    await prod.propose('one');
    await override(namespace, 'early', { once: true });
    await fixture.passes(GateOverride, { namespace, name: 'early' }, ({ status }) => {
      expect(status?.waiting).toMatchObject([{ revision: sha('old') }]);
    });
    await prod.propose('one', { active: 'before' });
    await fixture.passes(GateOverride, { namespace, name: 'early' }, ({ status }) => {
      expect(status).toMatchObject({ phase: 'Active', waiting: [{ revision: sha('before') }] });
    });
    await fixture.process.rest();
    fixture.travel(new Date(from).toISOString());
    await fixture.gateIs(namespace, 'freeze', ({ status }) => {
      expect(status).toMatchObject({ state: 'Open', cause: 'GateOverride/early' });
    });
    await prod.propose('two', { active: 'one' });
    await fixture.passes(GateOverride, { namespace, name: 'early' }, ({ status }) => {
      expect(status?.phase).toBe('Spent');
    });
    await expectPhases(fixture, namespace, { two: 'in_progress' });
    expect(Object.keys(await statuses(fixture, namespace))).toHaveLength(1);
  });
});
