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
  it('holds an object once', () => {
    expect(decide(free, closed)).toEqual({
      type: 'hold',
      method: { type: 'suspend' },
      hold: { by: ['freeze'], since: at, reason: 'freeze: closed', revision: aaaa },
    });
    expect(decide(holding, closed)).toEqual({ type: 'held' });
  });

  it('ignores objects that are not bound, and objects that are being deleted', () => {
    expect(decide(free, [])).toEqual({ type: 'free' });
    expect(decide(free, open)).toEqual({ type: 'free' });
    const leaving = { ...free, metadata: { ...free.metadata, deletionTimestamp: at } };
    expect(decide(leaving, closed)).toEqual({ type: 'free' });
  });

  it('releases an object when all its bindings are open, or when no binding applies to it any more', () => {
    expect(decide(holding, open)).toEqual({ type: 'release' });
    expect(decide(holding, [])).toEqual({ type: 'release' });
    expect(configurationOf(holding)).toEqual({
      apiVersion: 'source.toolkit.fluxcd.io/v1',
      kind: 'GitRepository',
      metadata: { name: 'shop', namespace: 'apps', uid: 'uid-shop' },
    });
  });

  it.each([
    ['a gate has not been evaluated yet', open, false],
    ['a gate of another object has not been evaluated yet', [], false],
    ['a binding has not been judged', [claim('Open'), claim(undefined, { name: 'other' })], true],
    [
      'a binding was judged before all gates were evaluated',
      [claim('Open'), claim('Open', { settled: false })],
      true,
    ],
  ])('delays the release while %s', (_case, claims, mayRelease) => {
    expect(decide(holding, claims, mayRelease)).toEqual({ type: 'wait' });
  });

  it('keeps an object held while any of several bindings holds it', () => {
    const two = [claim('Open'), claim('Closed', { name: 'signoff' })];
    expect(decide(holding, two)).toMatchObject({
      type: 'hold',
      hold: { by: ['signoff'], since, reason: 'signoff: closed' },
    });
  });

  it('does not hold an object for a binding whose gates have not been evaluated', () => {
    expect(decide(free, [claim(undefined)])).toEqual({ type: 'free' });
  });

  it('records the revision once the hold is confirmed', () => {
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

  it('becomes an additional owner of a field that a user set before, so that a release keeps the field', () => {
    const theirs = fluxObject({
      spec: { suspend: true },
      managedFields: [managed('flux', 'Update', suspended)],
      revision: aaaa,
    });
    expect(decide(theirs, open)).toEqual({ type: 'free' });
    expect(decide(theirs, closed)).toMatchObject({
      type: 'hold',
      method: { type: 'suspend' },
      warning: undefined,
    });
  });

  it('recognizes a hold by its own field when the annotations were removed', () => {
    const bare = fluxObject({ spec: { suspend: true }, managedFields: [ours(suspended)], revision: aaaa });
    expect(decide(bare, open)).toEqual({ type: 'release' });
    expect(decide(bare, closed)).toMatchObject({ type: 'hold', hold: { since: at } });
  });
});

describe('the decision about an object that a user resumes while gates are closed', () => {
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

  it('reports that the field manager is unknown if the field was removed', () => {
    expect(decide(resumed({}), closed)).toMatchObject({
      type: 'hold',
      warning: { reason: 'Resumed', note: expect.stringContaining('does not record') },
    });
  });

  it.each([
    ['kustomize-controller', 'Apply' as const],
    ['kubectl-client-side-apply', 'Update' as const],
  ])(
    'distinguishes a manifest that %s applies from a manual change, and records the conflict',
    (manager, operation) => {
      const object = resumed({ suspend: false }, managed(manager, operation, suspended));
      expect(decide(object, closed)).toMatchObject({
        type: 'hold',
        hold: { against: { manager, at } },
        warning: { reason: 'Conflict', note: expect.stringContaining('remove the field from the manifest') },
      });
    },
  );

  it('detects the conflict if the manifest sets the field before the hold', () => {
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

  it('keeps the record of the conflict as long as the hold lasts', () => {
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

  it('pins a source at its revision once, and removes the pin when the gates open', () => {
    const decision = decide(free, [pin()]);
    expect(decision).toMatchObject({ method: { type: 'pin', pin: commit }, hold: { revision: aaaa } });
    expect(decide(atPin, [pin()])).toEqual({ type: 'held' });
    expect(decide(atPin, open)).toEqual({ type: 'release' });
    if (decision.type !== 'hold') throw new Error('not held');
    expect(configurationOf(free, decision).spec).toEqual({ ref: { commit } });
  });

  it('sets the default branch of a source that does not name a branch', () => {
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

  it('moves the pin to the newest approved revision, and never moves it back', () => {
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

  it('requires the approval of each binding that is closed', () => {
    const two = [pin({ approved: [approved] }), pin({ name: 'other' })];
    expect(decide(atPin, two)).toMatchObject({ method: { pin: commit } });
    const both = two.map((one) => ({ ...one, approved: [approved] }));
    expect(decide(atPin, both)).toMatchObject({ method: { pin: approved } });
  });

  it('ignores abbreviated revisions', () => {
    expect(decide(atPin, [pin({ approved: ['cccc'] })])).toEqual({ type: 'held' });
  });

  it('suspends a source that cannot be pinned, or that another binding suspends', () => {
    expect(decide(fluxObject(), [pin()])).toMatchObject({ method: { type: 'suspend' } });
    const two = [pin(), claim('Closed', { name: 'hard' })];
    expect(decide(atPin, two)).toMatchObject({ method: { type: 'suspend' }, hold: { revision: aaaa } });
  });

  it('suspends a source that its manifest pins, unless that revision is approved', () => {
    const manifest = fluxObject({
      revision: aaaa,
      spec: { ref: { branch: 'main', commit: approved } },
      managedFields: [managed('kustomize-controller', 'Apply', pinned)],
    });
    expect(decide(manifest, [pin()])).toMatchObject({ method: { type: 'suspend' } });
    expect(decide(manifest, [pin({ approved: [approved] })])).toEqual({ type: 'free' });
  });

  it('restores a pin that was removed or moved manually', () => {
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
  it('is released only if all claims are open, and held whenever one is closed', () => {
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
