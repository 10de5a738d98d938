import {
  CommitStatus,
  conditions,
  isTyped,
  keyOf,
  PromotionStrategy,
  ProposedCommit,
  RevertCommit,
  timestampOf,
  type GateBinding,
  type GateHold,
  type ObjectKey,
} from '@interlock/api';
import { KeyedLock, prefixOf } from '@interlock/base';
import {
  generationChanged,
  labelsChanged,
  specOrLabelsChanged,
  type Applier,
  type Cache,
  type CacheEvent,
  type ConditionInput,
  type Manager,
  type ReconcileContext,
} from '@interlock/kube';
import { verdictOfPromotion, type Promotion } from '@interlock/gating';
import type { Actuator, ActuatorReport, BindingVerdict, BoundTarget, Judge } from '../actuator.js';
import { eachOf } from '../each.js';
import { nothingHeld, type Holding } from '../finalizer.js';
import {
  desiredCommitStatuses,
  obsoleteOf,
  rivalsOf,
  type BoundKey,
  type DesiredCommitStatus,
} from './desired.js';
import { PromotionIndex } from './promotion-index.js';

interface CommitStatusActuatorOptions {
  manager: Manager;
  applier: Applier;
  bindings: Cache<GateBinding>;
  judge: Pick<Judge, 'judge'>;
}

const maxHolds = 256;
/** Maximum number of concurrent writes. */
const concurrency = 8;

/** Holds promotions by the CommitStatus of their commit, which the promoter requires. */
export class CommitStatusActuator implements Actuator {
  readonly modes = ['CommitStatus'] as const;
  readonly #index: PromotionIndex;
  readonly #strategies: Cache<PromotionStrategy>;
  readonly #proposedCommits: Cache<ProposedCommit>;
  readonly #revertCommits: Cache<RevertCommit>;
  readonly #commitStatuses: Cache<CommitStatus>;
  /** The bindings of a key are reconciled concurrently and share the CommitStatuses. */
  readonly #lock = new KeyedLock();

  readonly #options: CommitStatusActuatorOptions;

  constructor(options: CommitStatusActuatorOptions) {
    this.#options = options;

    const { manager } = options;
    this.#strategies = manager.cache(PromotionStrategy);
    this.#proposedCommits = manager.cache(ProposedCommit);
    this.#revertCommits = manager.cache(RevertCommit);
    this.#commitStatuses = manager.cache(CommitStatus);
    this.#index = new PromotionIndex({
      bindings: options.bindings,
      strategies: this.#strategies,
      proposedCommits: this.#proposedCommits,
      revertCommits: this.#revertCommits,
      commitStatuses: this.#commitStatuses,
    });
  }

  subscribe(wake: (binding: ObjectKey) => void): void {
    const { bindings } = this.#options;
    const index = this.#index;
    const wakeAll = (concerned: readonly GateBinding[]): void => {
      for (const binding of new Set(concerned)) wake(keyOf(binding));
    };
    this.#proposedCommits.subscribe((event) =>
      wakeAll(statesOf(event).flatMap((commit) => index.bindingsOfCommit(commit))),
    );
    this.#revertCommits.subscribe((event) =>
      wakeAll(statesOf(event).flatMap((revert) => index.bindingsOfRevert(revert))),
    );
    this.#strategies.subscribe((event) => {
      if (!labelsChanged()(event)) return;
      wakeAll(statesOf(event).flatMap((strategy) => index.bindingsOfStrategy(strategy)));
    });
    this.#commitStatuses.subscribe((event) => {
      if (!specOrLabelsChanged(event)) return;
      wakeAll(statesOf(event).flatMap((status) => index.bindingsOfStatus(status)));
    });
    bindings.subscribe((event) => {
      if (!generationChanged(event)) return;
      wakeAll(statesOf(event).flatMap((binding) => index.bindingsOfSameKey(binding)));
    });
  }

  /** Returns an empty holding, because the garbage collector deletes the CommitStatuses with their owner. */
  holding(): Holding {
    return nothingHeld;
  }

  guard(): void {
    /* No CommitStatus waits for a finalizer. */
  }

  unguard(): void {
    /* See above. */
  }

  targets(binding: GateBinding): BoundTarget[] {
    return this.#index.promotionsOf(binding).map(({ kind, namespace, name, strategy, active }) => {
      const aliases = [active?.drySHA, active?.proposedSHA].filter((sha) => sha !== undefined);
      const subject = { kind: PromotionStrategy.kind, name: strategy };
      return {
        kind,
        namespace,
        name,
        subject,
        revision: active?.sha,
        aliases: active && aliases,
      };
    });
  }

  async act(
    binding: GateBinding,
    verdict: BindingVerdict,
    { now }: ReconcileContext,
  ): Promise<ActuatorReport> {
    const key = binding.spec.commitStatus?.key ?? '';
    /* The key may have changed: what was written for the previous key would not follow the gates any more. */
    for (const one of new Set([key, ...this.#index.writtenKeys(binding)]))
      await this.#write(binding.metadata.namespace, one);
    const promotions = this.#index.promotionsOf(binding);
    const held = promotions.filter((one) => one.waits && verdictOn(one, verdict).state === 'Closed');
    return {
      holds: held.slice(0, maxHolds).map((one) => holdOf(one, binding, verdict, now)),
      targetCount: promotions.length,
      heldCount: held.length,
      conditions: this.#conflicts(key, promotions),
    };
  }

  /**
   * Removes the CommitStatuses that only this binding requires. A strategy that requires the key then waits, because its
   * commits have no CommitStatus any more.
   */
  async release(binding: GateBinding): Promise<void> {
    for (const key of new Set(this.#index.writtenKeys(binding)))
      await this.#write(binding.metadata.namespace, key);
  }

  /** Updates the CommitStatuses of a key to the current verdicts of its bindings. */
  #write(namespace: string | undefined, key: string): Promise<void> {
    const { manager, judge } = this.#options;
    return this.#lock.run(`${namespace ?? ''}/${key}`, async () => {
      const now = manager.clock.now();
      const bound = this.#index
        .bindingsOf(namespace, key)
        .filter(({ metadata }) => metadata.deletionTimestamp === undefined)
        .map((binding): BoundKey => ({
          binding,
          promotions: this.#index.promotionsOf(binding),
          verdict: judge.judge(binding, now),
        }));
      const desired = desiredCommitStatuses(key, bound);
      await eachOf(desired, concurrency, (one) => this.#apply(one));
      const obsolete = obsoleteOf(key, desired, this.#index.ownStatuses(namespace, key));
      await eachOf(obsolete, concurrency, (status) => this.#remove(status));
    });
  }

  async #apply({ configuration, mayNotOpen }: DesiredCommitStatus): Promise<void> {
    if (mayNotOpen) return;
    await this.#options.applier.apply(CommitStatus, this.#commitStatuses, configuration);
  }

  async #remove(status: CommitStatus): Promise<void> {
    const { uid } = status.metadata;
    try {
      await this.#options.manager.client.delete(CommitStatus, keyOf(status), {
        uid,
        propagationPolicy: 'Background',
      });
    } catch (error) {
      if (!isTyped(error, 'NotFound', 'Conflict')) throw error;
    }
  }

  #conflicts(key: string, promotions: readonly Promotion[]): ConditionInput[] {
    const names = promotions.flatMap((promotion) =>
      rivalsOf(key, promotion.sha, this.#index.statusesFor(promotion)).map(({ metadata }) => metadata.name),
    );
    if (names.length === 0) return [];
    const message = `CommitStatus ${[...new Set(names)].join(', ')} of another owner has the key ${key} for the same commit, so the promoter ignores both; remove it, or set another key in the binding`;
    return [{ type: conditions.conflict, status: 'True', reason: 'SameKey', message }];
  }
}

function statesOf<T>(event: CacheEvent<T>): T[] {
  return event.type === 'updated' ? [event.old, event.object] : [event.object];
}

function verdictOn(promotion: Promotion, verdict: BindingVerdict) {
  return verdictOfPromotion((subject) => verdict.of(subject), promotion);
}

function holdOf(promotion: Promotion, binding: GateBinding, verdict: BindingVerdict, now: number): GateHold {
  const { strategy: name, branch, sha, active } = promotion;
  const known = binding.status?.holds?.find(
    (hold) => hold.name === name && hold.environment === branch && hold.pending === sha,
  );
  return {
    kind: 'PromotionStrategy',
    name,
    environment: branch,
    since: known?.since ?? timestampOf(now),
    ...(active !== undefined && { revision: active.sha }),
    pending: sha,
    confirmed: true,
    message: prefixOf(verdictOn(promotion, verdict).message, 1024),
  };
}
