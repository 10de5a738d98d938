import { describe, expect, it } from '@jest/globals';
import type { GateBinding } from '@interlock/api';
import type { BindingVerdict } from '../actuator.js';
import { claimsOn, ownClaim } from './claims.js';
import { binding, bindingsIn, fluxObject, objectsOf, verdict } from './testing/builders.js';

const now = Date.UTC(2026, 10, 21);
const object = fluxObject();

function claims(bindings: readonly GateBinding[], said: BindingVerdict | undefined) {
  const known = { bindingsIn: bindingsIn(...bindings), objects: objectsOf(object), verdictOf: () => said };
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

  it('evaluates only the bindings of the namespaces of an object and of its source', () => {
    const spec = { sourceRef: { kind: 'GitRepository', name: 'base', namespace: 'platform' } };
    const applier = fluxObject({ kind: 'Kustomization', name: 'shop', spec });
    const source = fluxObject({ name: 'base', namespace: 'platform' });
    const own = binding({ targets: [{ kind: 'Kustomization', name: 'shop' }] });
    const follows = binding({ scope: 'All', targets: [{ kind: 'GitRepository' }] }, 'base', 'platform');
    let evaluated = 0;
    const others = Array.from({ length: 100 }, (_, index) => {
      const { spec: other, ...rest } = binding({}, 'freeze', `team-${index}`);
      return Object.defineProperty(rest, 'spec', { get: () => (evaluated++, other) }) as GateBinding;
    });
    const known = {
      bindingsIn: bindingsIn(...others, own, follows),
      objects: objectsOf(applier, source),
      verdictOf: () => verdict('Closed'),
    };
    expect(claimsOn(applier, known, now).map(({ name }) => name)).toEqual(['freeze', 'platform/base']);
    expect(evaluated).toBe(0);
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
