import { describe, expect, it } from '@jest/globals';
import { annotations } from '@interlock/api';
import fc from 'fast-check';
import type { FluxObject } from '@interlock/gating';
import type { Claim } from './claim.js';
import { configurationOf } from './configuration.js';
import { decideHold } from './decide.js';
import { claim, fluxObject, held, managed, ours, since } from './testing/builders.js';

const now = Date.UTC(2026, 10, 21);
const at = '2026-11-21T00:00:00Z';
const aaaa = `main@sha1:${'a'.repeat(40)}`;
const bbbb = `main@sha1:${'b'.repeat(40)}`;
const suspended = { 'f:suspend': {} };
const closed = [claim('Closed')];
const open = [claim('Open')];
const free = fluxObject({ revision: aaaa });
const holding = fluxObject({
  revision: aaaa,
  spec: { suspend: true, ref: { branch: 'main' } },
  notes: held(aaaa, 'freeze', 'freeze: closed'),
  managedFields: [ours(suspended)],
});

function decide(object: FluxObject, claims: readonly Claim[], mayRelease = true) {
  return decideHold(object, claims, mayRelease, now);
}

describe('suspend', () => {
  it('holds what is free, once', () => {
    expect(decide(free, closed)).toEqual({
      type: 'hold',
      method: { type: 'suspend' },
      hold: { by: ['freeze'], since: at, reason: 'freeze: closed', revision: aaaa },
    });
    expect(decide(holding, closed)).toEqual({ type: 'held' });
  });

  it('leaves alone what nobody binds, and what is being deleted', () => {
    expect(decide(free, [])).toEqual({ type: 'free' });
    expect(decide(free, open)).toEqual({ type: 'free' });
    const leaving = { ...free, metadata: { ...free.metadata, deletionTimestamp: at } };
    expect(decide(leaving, closed)).toEqual({ type: 'free' });
  });

  it('releases when all that bind it are open, and when nobody binds it any more', () => {
    expect(decide(holding, open)).toEqual({ type: 'release' });
    expect(decide(holding, [])).toEqual({ type: 'release' });
    expect(configurationOf(holding)).toEqual({
      apiVersion: 'source.toolkit.fluxcd.io/v1',
      kind: 'GitRepository',
      metadata: { name: 'shop', namespace: 'apps', uid: 'uid-shop' },
    });
  });

  it.each([
    ['a gate has yet to be evaluated', open, false],
    ['a gate of another object has yet to be evaluated', [], false],
    ['a binding has not been judged', [claim('Open'), claim(undefined, { name: 'other' })], true],
    [
      'a binding was judged before all gates were evaluated',
      [claim('Open'), claim('Open', { settled: false })],
      true,
    ],
  ])('waits with the release while %s', (_case, claims, mayRelease) => {
    expect(decide(holding, claims, mayRelease)).toEqual({ type: 'wait' });
  });

  it('stays held while any of several bindings holds it', () => {
    const two = [claim('Open'), claim('Closed', { name: 'signoff' })];
    expect(decide(holding, two)).toMatchObject({
      type: 'hold',
      hold: { by: ['signoff'], since, reason: 'signoff: closed' },
    });
  });

  it('does not count a binding that has not been judged as closed', () => {
    expect(decide(free, [claim(undefined)])).toEqual({ type: 'free' });
  });

  it('counts the revision from when the hold is confirmed', () => {
    const parts = {
      spec: { suspend: true },
      notes: held(aaaa),
      managedFields: [ours(suspended)],
      revision: bbbb,
    };
    expect(decide(fluxObject({ ...parts, observed: 1 }), closed)).toEqual({ type: 'held' });
    expect(decide(fluxObject(parts), closed)).toMatchObject({
      type: 'hold',
      hold: { revision: bbbb, since },
    });
  });

  it('adds itself to what a person suspended before, so that it is theirs again in the end', () => {
    const theirs = fluxObject({
      spec: { suspend: true },
      managedFields: [managed('flux', 'Update', suspended)],
      revision: aaaa,
    });
    expect(decide(theirs, open)).toEqual({ type: 'free' });
    expect(decide(theirs, closed)).toMatchObject({ type: 'hold', method: { type: 'suspend' } });
    expect(decide(theirs, closed)).not.toHaveProperty('warning');
  });

  it('takes a field of its own for a hold when the annotations were removed', () => {
    const bare = fluxObject({ spec: { suspend: true }, managedFields: [ours(suspended)], revision: aaaa });
    expect(decide(bare, open)).toEqual({ type: 'release' });
    expect(decide(bare, closed)).toMatchObject({ type: 'hold', hold: { since: at } });
  });
});

describe('somebody resumes it while gates are closed', () => {
  const resumed = (spec: object, ...managedFields: object[]) =>
    fluxObject({ revision: aaaa, notes: held(aaaa), spec, managedFields });

  it('holds it again and names the field manager', () => {
    const byHand = resumed({ suspend: false }, managed('kubectl-patch', 'Update', suspended));
    expect(decide(byHand, closed)).toMatchObject({
      type: 'hold',
      hold: { since, by: ['freeze'] },
      warning: { reason: 'Resumed', note: expect.stringContaining('kubectl-patch') },
    });
  });

  it('says that nobody is known where the field was removed', () => {
    expect(decide(resumed({}), closed)).toMatchObject({
      type: 'hold',
      warning: { reason: 'Resumed', note: expect.stringContaining('does not record') },
    });
  });

  it.each([
    ['kustomize-controller', 'Apply' as const],
    ['kubectl-client-side-apply', 'Update' as const],
  ])('tells a manifest that %s applies from a hand, and remembers it', (manager, operation) => {
    const object = resumed({ suspend: false }, managed(manager, operation, suspended));
    expect(decide(object, closed)).toMatchObject({
      type: 'hold',
      hold: { against: { manager, at } },
      warning: { reason: 'Conflict', note: expect.stringContaining('remove the field from the manifest') },
    });
  });

  it('foresees it where the manifest says so before the hold', () => {
    const object = fluxObject({
      spec: { suspend: false },
      managedFields: [managed('kustomize-controller', 'Apply', suspended)],
    });
    expect(decide(object, open)).toEqual({ type: 'free' });
    expect(decide(object, closed)).toMatchObject({
      hold: { against: { manager: 'kustomize-controller', at } },
      warning: { reason: 'Conflict' },
    });
  });

  it('keeps the memory of it as long as the hold lasts', () => {
    const notes = { ...held(aaaa), [annotations.heldAgainst]: `kustomize-controller ${since}` };
    const again = fluxObject({
      revision: aaaa,
      notes,
      spec: { suspend: true },
      managedFields: [ours(suspended)],
    });
    expect(decide(again, closed)).toEqual({ type: 'held' });
    expect(decide(again, [claim('Closed'), claim('Closed', { name: 'x' })])).toMatchObject({
      hold: { against: { manager: 'kustomize-controller', at: since } },
    });
  });
});

describe('pin', () => {
  const pinned = { 'f:ref': { 'f:commit': {} } };
  const commit = 'a'.repeat(40);
  const approved = 'c'.repeat(40);
  const pin = (parts: Partial<Claim> = {}) => claim('Closed', { mode: 'Pin', ...parts });
  const atPin = fluxObject({
    revision: aaaa,
    spec: { ref: { branch: 'main', commit } },
    notes: held(aaaa),
    managedFields: [ours(pinned), managed('kustomize-controller', 'Apply', { 'f:ref': { 'f:branch': {} } })],
  });

  it('pins at the revision that it has, once, and gives the pin up', () => {
    const decision = decide(free, [pin()]);
    expect(decision).toMatchObject({ method: { type: 'pin', pin: commit }, hold: { revision: aaaa } });
    expect(decide(atPin, [pin()])).toEqual({ type: 'held' });
    expect(decide(atPin, open)).toEqual({ type: 'release' });
    if (decision.type !== 'hold') throw new Error('not held');
    expect(configurationOf(free, decision).spec).toEqual({ ref: { commit } });
  });

  it('keeps a source on the default branch that names none', () => {
    const bare = fluxObject({ spec: {}, revision: `master@sha1:${commit}` });
    expect(decide(bare, [pin()])).toMatchObject({
      method: { pin: commit, branch: 'master' },
      hold: { revision: `master@sha1:${commit}` },
    });
    const both = { 'f:ref': { 'f:commit': {}, 'f:branch': {} } };
    const then = fluxObject({
      spec: { ref: { branch: 'master', commit } },
      revision: `master@sha1:${commit}`,
      notes: held(`master@sha1:${commit}`),
      managedFields: [ours(both)],
    });
    expect(decide(then, [pin()])).toEqual({ type: 'held' });
    expect(decide(then, [pin({ approved: [approved] })])).toMatchObject({ method: { branch: 'master' } });
  });

  it('moves the pin to the newest approved revision, and does not move it back', () => {
    const approve = [pin({ approved: ['b'.repeat(40), `main@sha1:${approved}`] })];
    expect(decide(atPin, approve)).toMatchObject({
      method: { pin: approved },
      hold: { revision: `main@sha1:${approved}`, since },
    });
    const moved = fluxObject({
      revision: aaaa,
      spec: { ref: { branch: 'main', commit: approved } },
      notes: held(`main@sha1:${approved}`),
      managedFields: [ours(pinned)],
    });
    expect(decide(moved, approve)).toEqual({ type: 'held' });
    expect(decide(moved, [pin()])).toEqual({ type: 'held' });
  });

  it('needs the approval of each binding that is closed', () => {
    const two = [pin({ approved: [approved] }), pin({ name: 'other' })];
    expect(decide(atPin, two)).toMatchObject({ method: { pin: commit } });
    const both = two.map((one) => ({ ...one, approved: [approved] }));
    expect(decide(atPin, both)).toMatchObject({ method: { pin: approved } });
  });

  it('ignores revisions that are not in full', () => {
    expect(decide(atPin, [pin({ approved: ['cccc'] })])).toEqual({ type: 'held' });
  });

  it('suspends where there is nothing to pin, and while another binding suspends', () => {
    expect(decide(fluxObject(), [pin()])).toMatchObject({ method: { type: 'suspend' } });
    const two = [pin(), claim('Closed', { name: 'hard' })];
    expect(decide(atPin, two)).toMatchObject({ method: { type: 'suspend' }, hold: { revision: aaaa } });
  });

  it('suspends what its manifest pins, unless that revision is approved', () => {
    const manifest = fluxObject({
      revision: aaaa,
      spec: { ref: { branch: 'main', commit: approved } },
      managedFields: [managed('kustomize-controller', 'Apply', pinned)],
    });
    expect(decide(manifest, [pin()])).toMatchObject({ method: { type: 'suspend' } });
    expect(decide(manifest, [pin({ approved: [approved] })])).toEqual({ type: 'free' });
  });

  it('answers a pin that is removed or moved by hand', () => {
    const removed = fluxObject({ revision: bbbb, notes: held(aaaa) });
    expect(decide(removed, [pin()])).toMatchObject({
      method: { pin: commit },
      warning: { reason: 'Resumed' },
    });
    const moved = fluxObject({
      revision: aaaa,
      spec: { ref: { branch: 'main', commit: approved } },
      notes: held(aaaa),
      managedFields: [managed('kubectl-edit', 'Update', pinned)],
    });
    expect(decide(moved, [pin()])).toMatchObject({
      method: { type: 'suspend' },
      warning: { reason: 'Resumed', note: expect.stringContaining('kubectl-edit') },
    });
  });

  it('pins an OCIRepository by its digest', () => {
    const digest = `sha256:${'d'.repeat(64)}`;
    const oci = fluxObject({ kind: 'OCIRepository', spec: { ref: { tag: 'v1' } }, revision: `v1@${digest}` });
    const decision = decide(oci, [pin()]);
    expect(decision).toMatchObject({ method: { type: 'pin', pin: digest }, hold: { revision: digest } });
    if (decision.type !== 'hold') throw new Error('not held');
    expect(configurationOf(oci, decision).spec).toEqual({ ref: { digest } });
  });
});

describe('any object', () => {
  it('is released only when all claims are open, and held whenever one is closed', () => {
    const state = fc.constantFrom('Open' as const, 'Closed' as const, undefined);
    const claims = fc
      .array(state, { maxLength: 4 })
      .map((states) => states.map((one, index) => claim(one, { name: `b${index}` })));
    fc.assert(
      fc.property(fc.constantFrom(free, holding), claims, fc.boolean(), (object, all, mayRelease) => {
        const { type } = decide(object, all, mayRelease);
        const states = all.map(({ verdict }) => verdict?.state);
        if (states.includes('Closed')) expect(['hold', 'held']).toContain(type);
        else expect(['free', 'wait', 'release']).toContain(type);
        const mayGo = mayRelease && states.every((one) => one === 'Open');
        expect(type === 'release').toBe(object === holding && mayGo);
      }),
    );
  });
});
