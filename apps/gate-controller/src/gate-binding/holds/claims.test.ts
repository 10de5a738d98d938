import { describe, expect, it } from '@jest/globals';
import { GateBinding } from '@interlock/api';
import type { BindingVerdict } from '../actuator.js';
import { CountedCache } from '../testing/counted-cache.js';
import { BindingIndex } from './binding-index.js';
import { claimsOn, ownClaim } from './claims.js';
import { binding, indexOfBindings, fluxObject, objectsOf, verdict } from './testing/builders.js';

const now = Date.UTC(2026, 10, 21);
const object = fluxObject();

function claims(bindings: readonly GateBinding[], said: BindingVerdict | undefined) {
  const known = { bindings: indexOfBindings(...bindings), objects: objectsOf(object), verdictOf: () => said };
  return claimsOn(object, known, now);
}

describe('claimsOn', () => {
  it('returns the claim of each binding that applies to the object', () => {
    const abroad = binding({ scope: 'All' }, 'abroad', 'other');
    expect(claims([binding({ mode: 'Pin' }), abroad], verdict('Closed', ['x']))).toEqual([
      {
        name: 'freeze',
        mode: 'Pin',
        verdict: { state: 'Closed', message: 'closed' },
        approved: ['x'],
        settled: true,
      },
    ]);
  });

  it('evaluates only bindings that may name the object or its source', () => {
    const spec = { sourceRef: { kind: 'GitRepository', name: 'base', namespace: 'platform' } };
    const labels = { team: 'shop', tier: 'web' };
    const applier = fluxObject({ kind: 'Kustomization', name: 'shop', labels, spec });
    const source = fluxObject({ name: 'base', namespace: 'platform' });
    const on = (target: object) => ({ targets: [{ kind: 'Kustomization' as const, ...target }] });
    const own = binding(on({ name: 'shop' }));
    const team = binding(on({ selector: { matchLabels: { team: 'shop' } } }), 'team');
    const noOther = { matchExpressions: [{ key: 'team', operator: 'Exists' as const }] };
    const any = binding(on({ selector: noOther }), 'any');
    const follows = binding({ scope: 'All', targets: [{ kind: 'GitRepository' }] }, 'base', 'platform');
    const others = Array.from({ length: 100 }, (_, index) => {
      const target =
        index % 2 === 0 ? { name: `x-${index}` } : { selector: { matchLabels: { team: `x-${index}` } } };
      return binding(on(target), `other-${index}`);
    });
    const cache = new CountedCache(GateBinding, ...others, own, team, any, follows);
    const bindings = new BindingIndex(cache);
    cache.reads = 0;
    const known = { bindings, objects: objectsOf(applier, source), verdictOf: () => verdict('Closed') };
    const found = claimsOn(applier, known, now).map(({ name }) => name);
    expect(found.sort()).toEqual(['any', 'freeze', 'platform/base', 'team']);
    expect(cache.reads).toBe(4);
  });

  it.each([
    ['only observes', binding({ mode: 'Observe' })],
    ['holds promotions', binding({ mode: 'CommitStatus' })],
    [
      'is being deleted',
      { ...binding(), metadata: { ...binding().metadata, deletionTimestamp: '2026-11-20T00:00:00Z' } },
    ],
  ])('ignores a binding that %s', (_case, of) => {
    expect(claims([of], verdict('Closed'))).toEqual([]);
  });

  it.each<[string, BindingVerdict | undefined, boolean]>([
    ['has not been judged yet', undefined, false],
    ['was judged before all gates were evaluated', { ...verdict('Open'), mayRelease: false }, false],
    ['was due to close at this moment', opensUntil('2026-11-21T00:00:00Z'), false],
    ['is to close later', opensUntil('2026-11-21T00:00:01Z'), true],
    ['is open', verdict('Open'), true],
  ])('determines whether a binding that %s permits a release', (_case, said, settled) => {
    expect(claims([binding()], said)).toMatchObject([{ settled }]);
  });
});

function opensUntil(at: string): BindingVerdict {
  return { ...verdict('Open'), next: { at, state: 'Closed', cause: 'GateKeeper/night' } };
}

describe('ownClaim', () => {
  it('is closed if the annotations are wrong, whatever the state of the gates is', () => {
    expect(ownClaim(object, 'no such gate', verdict('Open')).verdict).toEqual({
      state: 'Closed',
      message: 'no such gate',
    });
    expect(ownClaim(object, undefined, verdict('Open')).verdict).toMatchObject({ state: 'Open' });
  });
});
