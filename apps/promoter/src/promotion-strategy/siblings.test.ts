import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import {
  ClusterScmProvider,
  GitRepository,
  keyOf,
  keyString,
  PromotionStrategy,
  ScmProvider,
  typeMeta,
  type Kind,
  type KubeObject,
  type ObjectKey,
} from '@interlock/api';
import { builtInPlugins, createScmRegistry, type ScmRegistry } from '@interlock/scm';
import { MemoryCache } from '@interlock/kube/testing';
import fc from 'fast-check';
import { createCaches, type Caches } from '../caches.js';
import { rememberRemotes } from '../repository/duplicates.js';
import { gitRepository, promotionStrategy } from '../testing/objects.js';
import { siblingsOf, strategiesBeside, strategiesBesideUsers } from './siblings.js';

const namespaces = ['team', 'other'];

type Changed = GitRepository | ScmProvider | ClusterScmProvider;

function repository(
  name: string,
  namespace: string,
  kind: 'ScmProvider' | 'ClusterScmProvider',
  provider: string,
  repo: string,
): Changed {
  return gitRepository({
    metadata: { name, namespace },
    spec: { scmProviderRef: { kind, name: provider }, github: { owner: 'acme', name: repo } },
  });
}

/** @param namespace absent for an account of the cluster */
function account(name: string, namespace: string | undefined, domain: string): Changed {
  return namespace === undefined
    ? { ...typeMeta(ClusterScmProvider), metadata: { name }, spec: { github: { domain } } }
    : { ...typeMeta(ScmProvider), metadata: { name, namespace }, spec: { github: { domain } } };
}

/** GitRepositories of the same remote, except one. */
const initial: readonly Changed[] = namespaces.flatMap((namespace) => [
  account('p1', undefined, 'a.example.com'),
  account('p1', namespace, 'a.example.com'),
  account('p2', namespace, 'b.example.com'),
  repository('r1', namespace, 'ScmProvider', 'p1', 'web'),
  repository('r2', namespace, 'ClusterScmProvider', 'p1', 'web'),
  repository('r3', namespace, 'ScmProvider', 'p2', 'web'),
]);

/** Yields GitRepositories and accounts in any state, several of which name the same remote. */
const repositories = fc
  .tuple(
    fc.constantFrom('r1', 'r2', 'r3'),
    fc.constantFrom(...namespaces),
    fc.constantFrom('ScmProvider' as const, 'ClusterScmProvider' as const),
    fc.constantFrom('p1', 'p2'),
    fc.constantFrom('web', 'web', 'api'),
  )
  .map((drawn) => repository(...drawn));
const accounts = fc
  .tuple(
    fc.constantFrom('p1', 'p2'),
    fc.constantFrom(...namespaces, undefined),
    fc.constantFrom('a.example.com', 'b.example.com', 'not a host'),
  )
  .map((drawn) => account(...drawn));
const changes = fc.record({
  object: fc.oneof(repositories, accounts),
  isRemoved: fc.constantFrom(false, false, true),
});

let open: ScmRegistry;
let registry: Pick<ScmRegistry, 'remoteOf'>;
beforeAll(() => {
  open = createScmRegistry({ plugins: builtInPlugins() });
});
afterAll(() => open.close());
beforeEach(() => {
  registry = rememberRemotes(open);
});

const strategies = namespaces.flatMap((namespace) =>
  ['r1', 'r2', 'r3'].map((name) =>
    promotionStrategy({ metadata: { name, namespace }, spec: { repoRef: { name } } }),
  ),
);

class Fixture {
  readonly #stores = new Map<string, MemoryCache<KubeObject>>();
  readonly caches: Caches;

  constructor() {
    this.caches = createCaches({ cache: (kind) => this.#store(kind) as never });
    for (const strategy of strategies) this.#store(PromotionStrategy).set(strategy);
  }

  /** Applies a change, and returns the keys of the strategies that it wakes. */
  apply({ object, isRemoved }: { object: Changed; isRemoved: boolean }): string[] {
    const store = this.#store(object);
    const old = store.get(keyOf(object)) as Changed | undefined;
    if (isRemoved) store.remove(keyOf(object));
    else store.set(object);
    const states = [...(old === undefined ? [] : [old]), ...(isRemoved ? [] : [object])];
    return states.flatMap((state) => this.#woken(state)).map(keyString);
  }

  /** Returns the siblings of each strategy. */
  siblings(): Map<string, string> {
    const text = (strategy: PromotionStrategy) =>
      siblingsOf({ caches: this.caches, registry }, strategy)
        .map((one) => keyString(keyOf(one)))
        .sort()
        .join();
    return new Map(strategies.map((one) => [keyString(keyOf(one)), text(one)]));
  }

  #woken(state: Changed): ObjectKey[] {
    const sources = { caches: this.caches, registry };
    return state.kind === GitRepository.kind
      ? strategiesBeside(sources, state as GitRepository)
      : strategiesBesideUsers(sources, state as ScmProvider | ClusterScmProvider);
  }

  #store({ kind }: Pick<Kind, 'kind'>): MemoryCache<KubeObject> {
    const store = this.#stores.get(kind) ?? new MemoryCache<KubeObject>({ kind } as Kind<KubeObject>);
    this.#stores.set(kind, store);
    return store;
  }
}

describe('a change of a GitRepository or of an account', () => {
  it('wakes all strategies whose siblings it changes', () => {
    let count = 0;
    const check = (all: { object: Changed; isRemoved: boolean }[]): void => {
      const fixture = new Fixture();
      for (const object of initial) fixture.apply({ object, isRemoved: false });
      let before = fixture.siblings();
      for (const change of all) {
        const woken = fixture.apply(change);
        const after = fixture.siblings();
        const concerned = [...after.keys()].filter((key) => before.get(key) !== after.get(key));
        count += concerned.length;
        expect(woken).toEqual(expect.arrayContaining(concerned));
        before = after;
      }
    };
    fc.assert(fc.property(fc.array(changes, { minLength: 5, maxLength: 10 }), check), { numRuns: 40 });
    expect(count).toBeGreaterThan(100);
  });

  it('wakes no strategy if no other GitRepository names its remote', () => {
    const fixture = new Fixture();
    const [one, two] = ['r1', 'r2'].map((name) => repository(name, 'team', 'ScmProvider', 'p1', name));
    const woken = [
      one!,
      two!,
      account('p1', 'team', 'a.example.com'),
      account('p1', 'team', 'b.example.com'),
    ].map((object) => fixture.apply({ object, isRemoved: false }));
    expect(woken).toEqual([[], [], [], []]);
    const sameAsTwo = repository('r1', 'team', 'ScmProvider', 'p1', 'r2');
    expect(fixture.apply({ object: sameAsTwo, isRemoved: false }).sort()).toEqual(['team/r1', 'team/r2']);
  });
});
