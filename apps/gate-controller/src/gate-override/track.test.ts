import { describe, expect, it } from '@jest/globals';
import type { GateOverride, GateOverrideStatus } from '@interlock/api';
import { isInScope, track, type TrackedTarget } from './track.js';

function override(spec: Partial<GateOverride['spec']> = {}, status?: GateOverrideStatus): GateOverride {
  return {
    apiVersion: 'gating.toolkit.fluxcd.io/v1alpha1',
    kind: 'GateOverride',
    metadata: { name: 'once', namespace: 'team', uid: 'u' },
    spec: { gateRef: { name: 'door' }, effect: 'Open', reason: 'CVE', once: true, duration: '1h', ...spec },
    ...(status && { status }),
  };
}

function target(name: string, revision: string | undefined, matters = true): TrackedTarget {
  return {
    kind: 'GitRepository',
    namespace: 'team',
    name,
    matters,
    revision,
  };
}

const known = (name: string, revision?: string) => ({
  kind: 'GitRepository',
  namespace: 'team',
  name,
  ...(revision !== undefined && { revision }),
});

describe('track', () => {
  it.each([
    ['records the first revision of a target', {}, [target('a', 'one')], [known('a', 'one')], [], false],
    [
      'waits while the target has the recorded revision',
      { waiting: [known('a', 'one')] },
      [target('a', 'one')],
      [known('a', 'one')],
      [],
      false,
    ],
    [
      'counts a new revision',
      { waiting: [known('a', 'one')] },
      [target('a', 'two')],
      [],
      [known('a', 'two')],
      true,
    ],
    [
      'counts the first revision',
      { waiting: [known('a')] },
      [target('a', 'one')],
      [],
      [known('a', 'one')],
      true,
    ],
    [
      'starts again while the override makes no difference',
      { waiting: [known('a', 'one')] },
      [target('a', 'two', false)],
      [known('a', 'two')],
      [],
      false,
    ],
    [
      'waits for each target',
      { waiting: [known('a', 'one'), known('b', 'one')] },
      [target('a', 'two'), target('b', 'one')],
      [known('b', 'one')],
      [known('a', 'two')],
      false,
    ],
    [
      'counts a target once',
      { waiting: [], released: [known('a', 'two')] },
      [target('a', 'three')],
      [],
      [known('a', 'two')],
      true,
    ],
    [
      'waits for a target that is bound later',
      { waiting: [], released: [known('a', 'two')] },
      [target('a', 'two'), target('b', 'x')],
      [known('b', 'x')],
      [known('a', 'two')],
      false,
    ],
    ['is not spent by targets that are no longer bound', { waiting: [known('a', 'one')] }, [], [], [], false],
  ])('%s', (_, status, targets, waiting, released, spent) => {
    expect(track(override({}, status), targets)).toEqual({ waiting, released, spent, untracked: 0 });
  });

  it('counts only approved revisions, whichever of their names the target reports', () => {
    const approved = 'a'.repeat(40);
    const waiting = { waiting: [known('a', 'one')] };
    const scoped = override({ revisions: [approved] }, waiting);
    expect(track(scoped, [target('a', 'two')]).released).toEqual([]);
    expect(track(scoped, [target('a', `main@sha1:${approved}`)]).spent).toBe(true);
    expect(track(scoped, [{ ...target('a', 'two'), aliases: [approved] }]).spent).toBe(true);
  });
});

describe('isInScope', () => {
  it('matches the objects that overrides name', () => {
    const scoped = override({ targets: [{ kind: 'PromotionStrategy', name: 'shop' }] });
    const commit = { kind: 'ProposedCommit', namespace: 'team', name: 'shop-prod' };
    expect(isInScope(override(), commit)).toBe(true);
    expect(isInScope(scoped, commit)).toBe(false);
    expect(isInScope(scoped, { ...commit, subject: { kind: 'PromotionStrategy', name: 'shop' } })).toBe(true);
  });
});
