import { describe, expect, it } from '@jest/globals';
import {
  CommitStatus,
  GateBinding,
  keyString,
  labels,
  PromotionStrategy,
  ProposedCommit,
  RevertCommit,
  typeMeta,
  type Kind,
} from '@interlock/api';
import { systemClock } from '@interlock/base';
import type { Applier, ApplyConfiguration, Manager, ReconcileContext } from '@interlock/kube';
import { binding, verdict } from '../holds/testing/builders.js';
import { CountedCache } from '../testing/counted-cache.js';
import { CommitStatusActuator } from './actuator.js';

const others = 100;
const namespace = 'apps';
const context = { now: Date.UTC(2026, 10, 21) } as ReconcileContext;

const named = (name: string) => ({ name, namespace, uid: `uid-${name}`, generation: 1 });

function strategy(name: string): PromotionStrategy {
  const spec = { repoRef: { name }, environments: [{ branch: 'prod' }] };
  return { ...typeMeta(PromotionStrategy), metadata: named(name), spec } as PromotionStrategy;
}

function commit(of: string, key: string, sha = `sha-${of}`): ProposedCommit {
  return {
    ...typeMeta(ProposedCommit),
    metadata: { ...named(`${of}-prod`), labels: { [labels.promotionStrategy]: of } },
    spec: {
      repoRef: { name: of },
      activeBranch: 'prod',
      proposedBranch: 'prod-next',
      commitStatuses: { proposed: [{ key }] },
      autoMerge: true,
      driftPolicy: 'Overwrite',
    },
    status: { proposed: { hydratedSHA: sha } },
  } as ProposedCommit;
}

function revert(of: string): RevertCommit {
  const spec = { repoRef: { name: of }, activeBranch: 'prod' };
  const status = { revertSHA: `revert-${of}`, state: 'Open' };
  return { ...typeMeta(RevertCommit), metadata: named(`${of}-back`), spec, status } as RevertCommit;
}

function holds(of: string, key: string): GateBinding {
  const targets = [{ kind: 'PromotionStrategy' as const, selector: { matchLabels: { app: of } } }];
  const made = binding({ mode: 'CommitStatus', commitStatus: { key }, targets }, of);
  return { ...made, metadata: { ...made.metadata, ...named(of) } };
}

/** A namespace with the strategy `shop` and many others, each of which has a commit, a revert, a CommitStatus and a binding. */
function fixture(keyOf: (of: string) => string = (of) => `gate-${of}`) {
  const all = ['shop', ...Array.from({ length: others }, (_, index) => `other-${index}`)];
  const labelled = (of: string) => {
    const made = strategy(of);
    return { ...made, metadata: { ...made.metadata, labels: { app: of } } };
  };
  const caches = {
    strategies: new CountedCache(PromotionStrategy, ...all.map(labelled)),
    commits: new CountedCache(ProposedCommit, ...all.map((of) => commit(of, keyOf(of)))),
    reverts: new CountedCache(RevertCommit, ...all.map(revert)),
    statuses: new CountedCache<CommitStatus>(CommitStatus),
    bindings: new CountedCache(GateBinding, ...all.map((of) => holds(of, keyOf(of)))),
  };
  const byKind = new Map<string, CountedCache<never>>(
    Object.values(caches).map((cache) => [cache.kind.kind, cache as unknown as CountedCache<never>]),
  );
  const apply = async (_kind: Kind, _cache: unknown, { metadata, spec }: ApplyConfiguration) => {
    const uid = `uid-${metadata.name}`;
    caches.statuses.set({ ...typeMeta(CommitStatus), metadata: { ...metadata, uid }, spec } as CommitStatus);
  };
  const actuator = new CommitStatusActuator({
    manager: { cache: ({ kind }: Kind) => byKind.get(kind), clock: systemClock } as unknown as Manager,
    applier: { apply } as unknown as Applier,
    bindings: caches.bindings,
    judge: { judge: () => verdict('Closed') },
  });
  const woken: string[] = [];
  actuator.subscribe((key) => woken.push(keyString(key)));
  const reset = () => {
    woken.length = 0;
    for (const cache of Object.values(caches)) cache.reads = 0;
  };
  const reads = () => Object.values(caches).reduce((sum, cache) => sum + cache.reads, 0);
  const act = (of: GateBinding) => actuator.act(of, verdict('Closed'), context);
  const wokenBy = (change: () => void) => {
    reset();
    change();
    return [...new Set(woken)];
  };
  reset();
  return { ...caches, actuator, act, reads, reset, wokenBy };
}

describe('CommitStatusActuator', () => {
  it('finds the promotions of a binding without reading those of others', () => {
    const { actuator, reads } = fixture();
    const found = actuator.targets(holds('shop', 'gate-shop')).map(({ name }) => name);
    expect(found).toEqual(['shop-prod', 'shop-back']);
    expect(reads()).toBe(2);
  });

  it('writes the CommitStatuses of a key without reading those of other keys', async () => {
    const { act, bindings, reads, reset, statuses } = fixture();
    for (const one of bindings.list()) await act(one);
    expect(statuses.list()).toHaveLength(2 * (others + 1));
    reset();
    const { heldCount, conditions } = await act(holds('shop', 'gate-shop'));
    expect({ heldCount, conditions }).toEqual({ heldCount: 2, conditions: [] });
    expect(reads()).toBeLessThan(20);
  });

  it.each([
    ['each with its own key', undefined],
    ['which share one key', () => 'gate'],
  ])('wakes only the binding of a changed promotion among bindings %s', async (_case, keyOf) => {
    const { commits, reverts, strategies, wokenBy } = fixture(keyOf);
    const key = keyOf?.() ?? 'gate-shop';
    const changes = [
      () => commits.set(commit('shop', key, 'next')),
      () => commits.set(commit('shop', 'none', 'next')),
      () => commits.set(commit('shop', key, 'next')),
      () => reverts.remove({ namespace, name: 'shop-back' }),
      () => reverts.set(revert('shop')),
      () => strategies.set(strategy('shop')),
    ];
    for (const change of changes) expect(wokenBy(change)).toEqual(['apps/shop']);
    expect(wokenBy(() => commits.set(commit('shop', key)))).toEqual([]);
  });

  it('wakes only the owners of a changed CommitStatus, and of another owner the bindings of its key', async () => {
    const { act, statuses, wokenBy } = fixture();
    await act(holds('shop', 'gate-shop'));
    const written = statuses.list().find(({ spec }) => spec.sha === 'sha-shop')!;
    const { name } = written.metadata;
    expect(wokenBy(() => statuses.remove({ namespace, name }))).toEqual(['apps/shop']);
    const rival = (key: string, of: string): CommitStatus => ({
      ...written,
      metadata: { name: of, namespace, labels: { [labels.commitStatusKey]: key } },
    });
    expect(wokenBy(() => statuses.set(rival('ci', 'ci')))).toEqual([]);
    expect(wokenBy(() => statuses.set(rival('gate-shop', 'rival')))).toEqual(['apps/shop']);
    const { conditions } = await act(holds('shop', 'gate-shop'));
    expect(conditions).toMatchObject([{ type: 'Conflict', message: expect.stringContaining('rival') }]);
  });

  it('wakes the bindings of the key of a CommitStatus whose owner does not write it, which remove it', async () => {
    const { act, statuses, bindings, wokenBy } = fixture();
    await act(holds('shop', 'gate-shop'));
    const written = statuses.list().find(({ spec }) => spec.sha === 'sha-shop')!;
    bindings.set({ ...binding(), metadata: named('observing') });
    const ownerReferences = [{ ...typeMeta(GateBinding), name: 'observing', uid: 'uid-observing' }];
    const copy = { ...written, metadata: { ...written.metadata, name: 'copy', ownerReferences } };
    expect(wokenBy(() => statuses.set(copy))).toEqual(['apps/shop']);
  });

  it('wakes the bindings of the same key when a binding changes', () => {
    const { bindings, wokenBy } = fixture();
    const changed = holds('shop', 'gate-other-7');
    const { metadata } = changed;
    const next = { ...changed, metadata: { ...metadata, generation: 2 } };
    expect(wokenBy(() => bindings.set(next)).sort()).toEqual(['apps/other-7', 'apps/shop']);
    expect(wokenBy(() => bindings.remove(metadata))).toEqual(['apps/other-7']);
  });
});
