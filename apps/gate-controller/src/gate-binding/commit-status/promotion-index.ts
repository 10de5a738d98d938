import {
  keyOf,
  keyString,
  labels,
  type CommitStatus,
  type GateBinding,
  type KubeObject,
  type ObjectKey,
  type PromotionStrategy,
  type ProposedCommit,
  type RevertCommit,
} from '@interlock/api';
import { bindsCommit, promotionsOf, requiredKeysOf, strategyOf, type Promotion } from '@interlock/gating';
import type { Cache } from '@interlock/kube';
import { isOurs } from './desired.js';

const keyIndex = 'commit status key';
const commitIndex = 'commit';
const environmentIndex = 'environment';
const ownerIndex = 'gate binding';
const strategyIndex = 'strategy';

type IndexedCache<T extends KubeObject> = Pick<Cache<T>, 'addIndex' | 'byIndex' | 'get'>;

interface PromotionCaches {
  bindings: IndexedCache<GateBinding>;
  strategies: IndexedCache<PromotionStrategy>;
  proposedCommits: IndexedCache<ProposedCommit>;
  revertCommits: IndexedCache<RevertCommit>;
  commitStatuses: IndexedCache<CommitStatus>;
}

/**
 * Finds promotions, their bindings and their CommitStatuses by index, so that a change of one of them does not cost time for each
 * object of the namespace.
 */
export class PromotionIndex {
  readonly #caches: PromotionCaches;

  /** Adds indexes to caches that do not run yet. */
  constructor(caches: PromotionCaches) {
    this.#caches = caches;
    const { bindings, proposedCommits, revertCommits, commitStatuses } = caches;
    bindings.addIndex(keyIndex, (binding) => keysOf(binding).map((key) => within(binding, key)));
    proposedCommits.addIndex(keyIndex, (commit) => requiredKeysOf(commit).map((key) => within(commit, key)));
    proposedCommits.addIndex(strategyIndex, (commit) => [within(commit, strategyOf(commit))]);
    proposedCommits.addIndex(environmentIndex, (commit) => [environmentOf(commit)]);
    revertCommits.addIndex(environmentIndex, (revert) => [environmentOf(revert)]);
    commitStatuses.addIndex(commitIndex, (status) => [within(status, status.spec.sha)]);
    commitStatuses.addIndex(keyIndex, (status) =>
      isOurs(status) ? [within(status, keyOfStatus(status))] : [],
    );
    commitStatuses.addIndex(ownerIndex, (status) =>
      isOurs(status) ? ownersOf(status).map(({ uid }) => uid) : [],
    );
  }

  /** Returns the promotions that a binding binds, in a stable order. */
  promotionsOf(binding: GateBinding): Promotion[] {
    const { strategies, proposedCommits, revertCommits } = this.#caches;
    const { namespace } = binding.metadata;
    const commits = keysOf(binding).flatMap((key) => proposedCommits.byIndex(keyIndex, within(binding, key)));
    const names = new Set(commits.map(strategyOf));
    const environments = new Set(commits.map(environmentOf));
    return promotionsOf(binding, {
      strategies: [...names].flatMap((name) => strategies.get({ namespace, name }) ?? []),
      proposedCommits: commits,
      revertCommits: [...environments].flatMap((one) => revertCommits.byIndex(environmentIndex, one)),
    });
  }

  /** Returns the bindings of a key. */
  bindingsOf(namespace: string | undefined, key: string): GateBinding[] {
    return this.#caches.bindings.byIndex(keyIndex, keyString({ namespace, name: key }));
  }

  /** Returns the bindings that have the key of a binding, which share its CommitStatuses. */
  bindingsOfSameKey(binding: GateBinding): GateBinding[] {
    return keysOf(binding).flatMap((key) => this.bindingsOf(binding.metadata.namespace, key));
  }

  /** Returns the bindings that bind a commit, as its strategy is now. */
  bindingsOfCommit(commit: ProposedCommit): GateBinding[] {
    const { namespace } = commit.metadata;
    return this.#bindingsOf(commit, this.#caches.strategies.get({ namespace, name: strategyOf(commit) }));
  }

  /** Returns the bindings that bind a revert. */
  bindingsOfRevert(revert: RevertCommit): GateBinding[] {
    const commits = this.#caches.proposedCommits.byIndex(environmentIndex, environmentOf(revert));
    return commits.flatMap((commit) => this.bindingsOfCommit(commit));
  }

  /** Returns the bindings that bind commits of a strategy in the given state. */
  bindingsOfStrategy(strategy: PromotionStrategy): GateBinding[] {
    const commits = this.#caches.proposedCommits.byIndex(strategyIndex, keyString(keyOf(strategy)));
    return commits.flatMap((commit) => this.#bindingsOf(commit, strategy));
  }

  /**
   * Returns the bindings that a CommitStatus concerns: its owners, which write it; if none of them has its key, the bindings of the
   * key as well, which remove it or, if others own it, report the conflict.
   */
  bindingsOfStatus(status: CommitStatus): GateBinding[] {
    const { namespace } = status.metadata;
    const key = keyOfStatus(status);
    const owners = !isOurs(status)
      ? []
      : ownersOf(status)
          .flatMap(({ name }) => this.#caches.bindings.get({ namespace, name }) ?? [])
          .filter(({ spec }) => spec.mode === 'CommitStatus');
    const isShared = owners.some((binding) => keysOf(binding).includes(key));
    return isShared ? owners : [...owners, ...this.bindingsOf(namespace, key)];
  }

  /** Returns the keys of the CommitStatuses that a binding owns. */
  writtenKeys({ metadata: { uid = '' } }: GateBinding): string[] {
    return this.#caches.commitStatuses.byIndex(ownerIndex, uid).map(keyOfStatus);
  }

  /** Returns the CommitStatuses of a key that are owned by GateBindings only. */
  ownStatuses(namespace: string | undefined, key: string): CommitStatus[] {
    return this.#caches.commitStatuses.byIndex(keyIndex, keyString({ namespace, name: key }));
  }

  /** Returns the CommitStatuses for a commit, of any owner. */
  statusesFor({ namespace, sha: name }: Promotion): CommitStatus[] {
    return this.#caches.commitStatuses.byIndex(commitIndex, keyString({ namespace, name }));
  }

  #bindingsOf(commit: ProposedCommit, strategy: PromotionStrategy | undefined): GateBinding[] {
    return requiredKeysOf(commit)
      .flatMap((key) => this.bindingsOf(commit.metadata.namespace, key))
      .filter((binding) => bindsCommit(binding, commit, strategy));
  }
}

function keysOf({ spec: { mode, commitStatus } }: GateBinding): string[] {
  return mode === 'CommitStatus' && commitStatus !== undefined ? [commitStatus.key] : [];
}

function keyOfStatus({ metadata }: CommitStatus): string {
  return metadata.labels?.[labels.commitStatusKey] ?? '';
}

function ownersOf({ metadata }: CommitStatus): { name: string; uid: string }[] {
  return metadata.ownerReferences ?? [];
}

function environmentOf(object: ProposedCommit | RevertCommit): string {
  const { repoRef, activeBranch, activePath } = object.spec;
  return within(object, JSON.stringify([repoRef.name, activeBranch, activePath]));
}

function within({ metadata: { namespace } }: KubeObject, name: string): string {
  return keyString({ namespace, name } satisfies ObjectKey);
}
