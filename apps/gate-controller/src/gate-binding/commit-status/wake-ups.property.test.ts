import { expect, it } from '@jest/globals';
import {
  CommitStatus,
  GateBinding,
  keyOf,
  keyString,
  labels,
  PromotionStrategy,
  ProposedCommit,
  RevertCommit,
  typeMeta,
  type Kind,
  type KubeObject,
  type ObjectKey,
} from '@interlock/api';
import { semanticEqual } from '@interlock/base';
import { FakeClock } from '@interlock/base/testing';
import { promotionsOf } from '@interlock/gating';
import type { Applier, ApplyConfiguration, Manager, ReconcileContext } from '@interlock/kube';
import { MemoryCache } from '@interlock/kube/testing';
import fc from 'fast-check';
import type { ActuatorReport } from '../actuator.js';
import { binding, verdict } from '../holds/testing/builders.js';
import { CommitStatusActuator } from './actuator.js';
import { desiredCommitStatuses, type BoundKey } from './desired.js';

const namespace = 'apps';
const context = { now: 0 } as ReconcileContext;
const closed = verdict('Closed');
const name = fc.constantFrom('a', 'b');
const key = fc.constantFrom('gate', 'gate', 'constructor');
const sha = fc.constantFrom('1', '2');
const app = fc.constantFrom({}, { app: 'shop' }, { app: 'shop', tier: 'web' });
const selector = fc.constantFrom(
  {},
  { matchLabels: { app: 'shop', tier: 'web' } },
  { matchExpressions: [{ key: 'app', operator: 'Exists' as const }] },
);
const target = fc.oneof(fc.constant({}), fc.record({ name }), fc.record({ selector }));
const environment = fc.record({ repoRef: fc.record({ name }), activeBranch: fc.constant('prod') });
const keyed = (label: string) => fc.option(key, { nil: undefined }).map((one) => one && { [label]: one });

interface State {
  labels?: Record<string, string> | undefined;
  ownerReferences?: unknown;
  spec?: unknown;
  status?: unknown;
}

/** The states that an object of each kind may have. */
const states = {
  GateBinding: fc
    .record({
      mode: fc.constantFrom('CommitStatus', 'CommitStatus', 'CommitStatus', 'Suspend'),
      key,
      targets: fc.option(
        fc.array(
          target.map((one) => ({ kind: 'PromotionStrategy', ...one })),
          { maxLength: 2 },
        ),
      ),
    })
    .map(({ mode, key: one, targets }) => ({
      spec: {
        ...binding().spec,
        mode,
        targets: mode === 'Suspend' ? binding().spec.targets : (targets ?? undefined),
        ...(mode === 'CommitStatus' && { commitStatus: { key: one } }),
      },
    })),
  PromotionStrategy: app.map((own) => ({ labels: own, spec: {} })),
  ProposedCommit: fc
    .record({
      of: name,
      keys: fc.constantFrom([], ['gate'], ['constructor', 'gate']),
      environment,
      sha,
    })
    .map(({ of, keys, environment: own, sha: hydratedSHA }) => ({
      labels: { [labels.promotionStrategy]: of },
      spec: { ...own, commitStatuses: { proposed: keys.map((one) => ({ key: one })) } },
      status: { proposed: { hydratedSHA } },
    })),
  RevertCommit: fc
    .record({
      environment,
      state: fc.constantFrom('Open', 'Merged'),
      sha,
    })
    .map(({ environment: own, state, sha: revertSHA }) => ({ spec: own, status: { state, revertSHA } })),
  CommitStatus: fc
    .record({
      labels: keyed(labels.commitStatusKey),
      sha,
      owner: fc.option(name),
    })
    .map(({ labels: own, sha: of, owner }) => ({
      labels: own,
      ownerReferences: owner === null ? [] : [{ ...typeMeta(GateBinding), name: owner, uid: `uid-${owner}` }],
      spec: { sha: of },
    })),
};
const change = fc.oneof(
  ...Object.entries<fc.Arbitrary<State>>(states).map(([kind, state]) =>
    fc.record({ kind: fc.constant(kind), name, state: fc.option(state, { freq: 3 }) }),
  ),
);
type Change = typeof change extends fc.Arbitrary<infer T> ? T : never;

/** The bindings of a namespace, of which only those are reconciled that the actuator wakes. */
class Namespace {
  readonly bindings = new MemoryCache<GateBinding>(GateBinding);
  readonly strategies = new MemoryCache<PromotionStrategy>(PromotionStrategy);
  readonly proposedCommits = new MemoryCache<ProposedCommit>(ProposedCommit);
  readonly revertCommits = new MemoryCache<RevertCommit>(RevertCommit);
  readonly statuses = new MemoryCache<CommitStatus>(CommitStatus);
  readonly reports = new Map<string, ActuatorReport>();
  readonly actuator: CommitStatusActuator;
  readonly #due = new Map<string, ObjectKey>();
  #generation = 0;

  constructor() {
    const client = { delete: async (_kind: Kind, own: ObjectKey) => this.statuses.remove(own) };
    const apply = async (_kind: Kind, _cache: unknown, configuration: ApplyConfiguration) => {
      const { metadata, spec } = configuration as unknown as CommitStatus;
      const { name: of, labels: own, ownerReferences } = metadata;
      this.#store(CommitStatus.kind, of, { labels: own, ownerReferences, spec });
    };
    this.actuator = new CommitStatusActuator({
      manager: {
        client,
        cache: ({ kind }: Kind) => this.#cacheOf(kind),
        clock: new FakeClock(),
      } as unknown as Manager,
      applier: { apply } as unknown as Applier,
      bindings: this.bindings,
      judge: { judge: () => closed },
    });
    const wake = (own: ObjectKey) => void this.#due.set(keyString(own), own);
    this.actuator.subscribe(wake);
    /* A changed binding is reconciled anyway. */
    this.bindings.subscribe(({ object }) => wake(keyOf(object)));
  }

  #cacheOf(kind: string): MemoryCache<KubeObject> {
    const { bindings, strategies, proposedCommits, revertCommits, statuses } = this;
    const all = [bindings, strategies, proposedCommits, revertCommits, statuses];
    return all.find((cache) => cache.kind.kind === kind) as unknown as MemoryCache<KubeObject>;
  }

  #store(kind: string, of: string, { labels: own, ownerReferences, ...rest }: State): void {
    const cache = this.#cacheOf(kind);
    const before: (KubeObject & State) | undefined = cache.get({ namespace, name: of });
    /* A change of the owners alone, which only a user makes, wakes no binding. */
    const isSame = semanticEqual(
      [before?.spec, before?.metadata.ownerReferences],
      [rest.spec, ownerReferences],
    );
    const generation = isSame ? before?.metadata.generation : ++this.#generation;
    const metadata = { name: of, namespace, uid: `uid-${of}`, generation, labels: own, ownerReferences };
    const object = { ...typeMeta(cache.kind), metadata, ...rest } as KubeObject;
    /* The API server reports no change if there is none. */
    if (!semanticEqual(before, object)) cache.set(object);
  }

  async change({ kind, name: of, state }: Change): Promise<void> {
    if (state === null) this.#cacheOf(kind).remove({ namespace, name: of });
    else this.#store(kind, of, state);
    await this.#rest();
    this.#collect();
    await this.#rest();
  }

  async #rest(): Promise<void> {
    for (let next; (next = [...this.#due][0]) !== undefined;) {
      this.#due.delete(next[0]);
      await this.reconcile(next[1]);
    }
  }

  /** Removes the CommitStatuses whose owners are all deleted, like the garbage collector. */
  #collect(): void {
    for (const { metadata } of this.statuses.list()) {
      const owners = metadata.ownerReferences ?? [];
      if (
        owners.length > 0 &&
        owners.every((owner) => this.bindings.get({ namespace, name: owner.name }) === undefined)
      )
        this.statuses.remove(keyOf({ metadata }));
    }
  }

  async reconcile(own: ObjectKey): Promise<void> {
    const of = this.bindings.get(own);
    this.reports.delete(own.name);
    if (of === undefined) return;
    if (of.spec.mode !== 'CommitStatus') return this.actuator.release(of);
    this.reports.set(own.name, await this.actuator.act(of, closed, context));
  }

  /** Returns the promotions of all bindings, from all objects. */
  scan() {
    const resources = {
      strategies: this.strategies.list(),
      proposedCommits: this.proposedCommits.list(),
      revertCommits: this.revertCommits.list(),
    };
    return this.bindings
      .list()
      .filter(({ spec }) => spec.mode === 'CommitStatus')
      .map((of) => ({ binding: of, promotions: promotionsOf(of, resources), verdict: closed }));
  }

  /** Returns the CommitStatuses that bindings own, except those that no reconcile of a binding considers, and their owners. */
  written(bound: readonly GateBinding[]) {
    const keys = new Set(bound.map(keyOfBinding));
    const names = new Set(bound.map(({ metadata }) => metadata.name));
    return this.statuses
      .list()
      .map(({ metadata }) => ({
        name: metadata.name,
        of: metadata.labels?.[labels.commitStatusKey],
        owners: (metadata.ownerReferences ?? []).map((owner) => owner.name),
      }))
      .filter(
        ({ of, owners }) =>
          of !== undefined && owners.length > 0 && (keys.has(of) || owners.some((one) => names.has(one))),
      )
      .map(({ name: own, owners }) => [own, owners])
      .sort();
  }
}

function keyOfBinding({ spec }: GateBinding): string {
  return spec.commitStatus?.key ?? '';
}

/** Returns the names and owners of the CommitStatuses that bindings require. */
function wantedBy(bound: readonly BoundKey[]) {
  return [...new Set(bound.map(({ binding: of }) => keyOfBinding(of)))]
    .flatMap((one) =>
      desiredCommitStatuses(
        one,
        bound.filter(({ binding: of }) => keyOfBinding(of) === one),
      ),
    )
    .map(({ name: own, configuration: { metadata } }) => {
      const owners = metadata['ownerReferences'] as { name: string }[];
      return [own, owners.map((owner) => owner.name)];
    })
    .sort();
}

it('reconciles all bindings whose promotions, CommitStatuses or conflicts a change of any object changes', async () => {
  const changes = fc.array(change, { minLength: 40, maxLength: 60 });
  const property = fc.asyncProperty(changes, async (all) => {
    const own = new Namespace();
    for (const one of all) {
      await own.change(one);
      const bound = own.scan();
      for (const { binding: of, promotions } of bound) {
        const targets = own.actuator.targets(of).map(({ kind, name: target }) => [kind, target]);
        expect(targets).toEqual(promotions.map(({ kind, name: target }) => [kind, target]));
      }
      expect(own.written(bound.map(({ binding: of }) => of))).toEqual(wantedBy(bound));
      const reports = new Map(own.reports);
      for (const { binding: of } of bound) await own.reconcile(keyOf(of));
      expect(reports).toEqual(own.reports);
    }
  });
  await fc.assert(property, { numRuns: 30, seed: 1 });
});
