import { describe, expect, it } from '@jest/globals';
import { annotations, GateBinding } from '@interlock/api';
import { eventually } from '@interlock/kube/testing';
import { fluxKinds } from '@interlock/stack';
import { onMain } from './harness/hold-team.js';
import { shop, useHoldFixture } from './harness/hold-fixture.js';

const fixture = useHoldFixture();

describe('mode Suspend', () => {
  it('holds a source while the gate is closed, and releases it when the gate opens', async () => {
    const team = await fixture.boundShop();
    await team.hold('release', 'shop', (hold) =>
      expect(hold).toMatchObject({ kind: 'GitRepository', revision: onMain('a'), confirmed: true }),
    );
    const { metadata, spec } = await team.object('GitRepository', 'shop');
    expect(spec).toMatchObject({ suspend: true, ref: { branch: 'main' } });
    expect(metadata.annotations).toMatchObject({
      [annotations.heldBy]: 'release',
      [annotations.heldRevision]: onMain('a'),
      [annotations.holdReason]: expect.stringContaining('freeze is closed'),
    });

    team.push('shop', 'b');
    await team.gate('freeze', false);
    await team.has('GitRepository', 'shop', onMain('b'));
    const free = await team.object('GitRepository', 'shop');
    expect(free.spec).not.toHaveProperty('suspend');
    expect(free.metadata.annotations ?? {}).toEqual({});
    await team.status('release', (status) =>
      expect(status).toMatchObject({ state: 'Open', targetCount: 1, heldCount: 0, holds: [] }),
    );
    expect(team.taken('GitRepository', 'shop')).toEqual([onMain('a'), onMain('b')]);
  });

  it('confirms a hold when the source has observed it, and then records the revision', async () => {
    const team = await fixture.team();
    await team.repository('slow');
    await team.gate('freeze', true);
    fixture.flux.wait('slow');
    await team.bind('release', { ...shop, targets: [{ kind: 'GitRepository', name: 'slow' }] });
    await team.hold('release', 'slow', (hold) =>
      expect(hold).toMatchObject({ revision: onMain('a'), confirmed: false }),
    );
    /* A fetch in progress ends after the hold. */
    const { metadata } = await team.object('GitRepository', 'slow');
    const status = { observedGeneration: metadata.generation, artifact: { revision: onMain('b') } };
    const key = { namespace: team.namespace, name: 'slow' };
    const patch = { type: 'merge' as const, patch: { status } };
    await team.client.patch(fluxKinds.GitRepository, key, patch, { subresource: 'status' });
    await team.hold('release', 'slow', (hold) =>
      expect(hold).toMatchObject({ revision: onMain('b'), confirmed: true }),
    );
    fixture.flux.go('slow');
  });

  it('never resumes an object that another manager suspended before', async () => {
    const team = await fixture.team();
    await team.repository('shop');
    await team.patch('GitRepository', 'shop', { suspend: true }, 'flux');
    await team.gate('freeze', true);
    await team.bind('release', shop);
    await team.hold('release', 'shop', (hold) =>
      expect(hold).toMatchObject({ message: expect.stringContaining('also suspended by flux') }),
    );
    await team.gate('freeze', false);
    const free = await team.seen('GitRepository', 'shop', ({ metadata: { annotations: notes = {} } }) =>
      expect(notes).toEqual({}),
    );
    expect(free.spec).toMatchObject({ suspend: true });
  });

  it('suspends an object again after a user resumes it, and names the user', async () => {
    const team = await fixture.heldShop();
    await team.patch('GitRepository', 'shop', { suspend: false }, 'kubectl-patch');
    expect(await team.event('shop', 'Resumed')).toContain('kubectl-patch');
    await team.suspended('GitRepository', 'shop');
    /* The same call as `flux resume`. */
    await team.patch('GitRepository', 'shop', { suspend: null }, 'flux');
    await eventually(async () => {
      const { metadata, spec } = await team.object('GitRepository', 'shop');
      expect(spec).toMatchObject({ suspend: true });
      expect(metadata.generation).toBeGreaterThanOrEqual(6);
    });
  });

  it('reports a manifest that undoes the hold, with the correction', async () => {
    const team = await fixture.heldShop();
    const manifest = { url: team.url('shop'), ref: { branch: 'main' }, suspend: false };
    await team.manifest('GitRepository', 'shop', manifest);
    const { message } = await team.condition('release', 'Conflict', 'True');
    expect(message).toContain('kustomize-controller');
    expect(message).toContain('remove the field from the manifest');
    await team.suspended('GitRepository', 'shop');
    expect(await team.event('shop', 'Conflict')).toContain('remove the field');
    await team.gate('freeze', false);
    await team.suspended('GitRepository', 'shop', false);
    await team.status('release', ({ conditions }) =>
      expect(conditions?.map(({ type }) => type)).not.toContain('Conflict'),
    );
  });

  it('holds an object while any of its bindings holds it', async () => {
    const team = await fixture.team();
    await team.repository('shop');
    await team.gate('freeze', true);
    await team.gate('signoff', true);
    await team.bind('one', shop);
    await team.bind('two', { ...shop, refs: [{ name: 'signoff' }] });
    const heldBy = (expected: string) =>
      team.seen('GitRepository', 'shop', ({ metadata }) =>
        expect(metadata.annotations?.[annotations.heldBy]).toBe(expected),
      );
    await heldBy('one,two');
    await team.gate('freeze', false);
    await heldBy('two');
    await team.suspended('GitRepository', 'shop');
    await team.gate('signoff', false);
    await team.suspended('GitRepository', 'shop', false);
  });

  it('releases the objects of a binding before the binding is deleted', async () => {
    const team = await fixture.heldShop();
    await team.client.delete(GateBinding, { namespace: team.namespace, name: 'release' });
    await team.suspended('GitRepository', 'shop', false);
    await eventually(async () => {
      const { items } = await team.client.list(GateBinding, { namespace: team.namespace });
      expect(items).toEqual([]);
    });
  });

  it('releases objects that are no longer selected, and holds newly selected ones', async () => {
    const team = await fixture.team();
    await team.repository('shop', 'a', { labels: { tier: 'web' } });
    await team.repository('blog', 'a', { labels: { tier: 'docs' } });
    await team.gate('freeze', true);
    const select = (tier: string) => ({
      ...shop,
      targets: [{ kind: 'GitRepository', selector: { matchLabels: { tier } } }],
    });
    await team.bind('release', select('web'));
    await team.suspended('GitRepository', 'shop');
    await team.bind('release', select('docs'));
    await team.suspended('GitRepository', 'blog');
    await team.suspended('GitRepository', 'shop', false);
    await team.bind('release', { ...select('docs'), mode: 'Observe' });
    await team.suspended('GitRepository', 'blog', false);
    await team.hold('release', 'blog', (hold) => expect(hold).toMatchObject({ confirmed: false }));
  });

  it('releases its objects when the binding changes to mode CommitStatus', async () => {
    const team = await fixture.heldShop();
    await team.bind('release', { refs: shop.refs, mode: 'CommitStatus', commitStatus: { key: 'freeze' } });
    await team.suspended('GitRepository', 'shop', false);
    await eventually(async () => {
      const key = { namespace: team.namespace, name: 'release' };
      expect((await team.client.get(GateBinding, key)).metadata.finalizers ?? []).toEqual([]);
    });
  });

  it('ignores a target that is deleted while it is held', async () => {
    const team = await fixture.heldShop();
    await team.client.delete(fluxKinds.GitRepository, { namespace: team.namespace, name: 'shop' });
    await team.status('release', (status) => expect(status).toMatchObject({ targetCount: 0, heldCount: 0 }));
    await team.gate('freeze', false);
    await team.status('release', (status) => expect(status).toMatchObject({ state: 'Open' }));
    await fixture.gates.rest();
    const { items } = await team.client.list(fluxKinds.GitRepository, { namespace: team.namespace });
    expect(items).toEqual([]);
  });

  it('also holds the objects that apply from a source with scope All', async () => {
    const team = await fixture.team();
    await team.repository('shop');
    await team.manifest('Kustomization', 'web', { sourceRef: { kind: 'GitRepository', name: 'shop' } });
    await team.has('Kustomization', 'web', onMain('a'));
    await team.gate('freeze', true);
    await team.bind('release', { ...shop, scope: 'All' });
    await team.suspended('Kustomization', 'web');
    await team.suspended('GitRepository', 'shop');
    await team.status('release', (status) => expect(status).toMatchObject({ targetCount: 2, heldCount: 2 }));
    await team.bind('release', { ...shop, scope: 'Updates' });
    await team.suspended('Kustomization', 'web', false);
  });
});

describe('a source that names gates in its annotations', () => {
  it('is held by these gates as by the gates of a binding', async () => {
    const team = await fixture.team();
    await team.gate('change-freeze', true);
    await team.gate('bypass-signoff', true);
    const notes = {
      [annotations.gates]: 'change-freeze,bypass-signoff',
      [annotations.require]: 'oneOf',
    };
    const metadata = { annotations: notes, fieldManager: 'kustomize-controller' };
    await team.manifest('GitRepository', 'shop', { url: team.url('shop') }, metadata);
    await team.suspended('GitRepository', 'shop');
    await team.gate('bypass-signoff', false);
    await team.suspended('GitRepository', 'shop', false);
    const { metadata: free } = await team.object('GitRepository', 'shop');
    expect(free.annotations).toEqual(notes);
  });

  it('is held, and reports the reason, if the annotations are wrong', async () => {
    const team = await fixture.team();
    const annotate = (value: string) => ({ annotations: { [annotations.gates]: value } });
    await team.manifest('GitRepository', 'shop', { url: team.url('shop') }, annotate('nowhere'));
    await team.suspended('GitRepository', 'shop');
    expect(await team.event('shop', 'InvalidGates')).toContain('nowhere does not exist');
    await team.gate('nowhere', false);
    await team.suspended('GitRepository', 'shop', false);
  });
});
