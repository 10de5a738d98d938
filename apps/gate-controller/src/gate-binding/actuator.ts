import type {
  GateBinding,
  GateBindingStatus,
  GateHold,
  GateState,
  NextChange,
  ObjectKey,
} from '@interlock/api';
import type { Problem } from '@interlock/base';
import type { Subject } from '@interlock/gating';
import type { ConditionInput, ReconcileContext } from '@interlock/kube';
import type { Holding } from './finalizer.js';

export type BindingMode = GateBinding['spec']['mode'];

/**
 * A bound object, as records name it. In mode CommitStatus, the bound objects are ProposedCommits and RevertCommits.
 */
export interface BoundTarget {
  kind: string;
  namespace: string;
  name: string;
  /** The revision that it last took; absent if it is not known. */
  revision?: string | undefined;
  /** Other names of that revision, such as the dry commit that it was hydrated from. */
  aliases?: readonly string[] | undefined;
  /** The object by which overrides refer to it, if that is another object: the PromotionStrategy. */
  subject?: { kind: string; name: string };
}

/** Whether an object may proceed, and why. */
export interface Verdict {
  state: GateState;
  /** Human-readable explanation: what decides, why, and when it opens next. */
  message: string;
  next?: NextChange | undefined;
}

/** The combined verdict of the gates of a binding. */
export interface BindingVerdict extends Verdict {
  gates: NonNullable<GateBindingStatus['gates']>;
  /**
   * False until every gate has been evaluated after the start: until then held objects stay held, whatever `state` is.
   */
  mayRelease: boolean;
  /** Returns the verdict for one target. */
  of(subject: Subject): Verdict;
  /** Returns revisions that overrides let through for a target although the gates are closed for it. */
  approvedRevisions(target: Pick<Subject, 'kind' | 'name'>): readonly string[];
}

/** What an actuator did, for the status of the binding. Failures are thrown, or recorded in the message of a hold. */
export interface ActuatorReport {
  /** The objects that are held, or would be, in a stable order; the status keeps at most 256. */
  holds: readonly GateHold[];
  /** Number of bound objects. */
  targetCount: number;
  /** Number of held objects, including those beyond the limit. */
  heldCount: number;
  /** Conditions in addition to Ready and Open: Conflict, GateSkew, SelfLockout. Absent ones are removed. */
  conditions?: readonly ConditionInput[];
  /** Why the binding is not Ready; names the field or the missing permission, and the fix. */
  problem?: Problem | undefined;
  /** Additional information for the message of Ready, which does not affect its status. */
  notice?: string | undefined;
  /** Milliseconds until the actuator must act again without an event. */
  requeueAfterMs?: number;
}

/** Holds the objects of the bindings with certain modes. One instance serves all bindings; every call is idempotent. */
export interface Actuator {
  readonly modes: readonly BindingMode[];
  /** Returns what would stay held if the binding were deleted without `release`. Reads caches only. */
  holding(binding: GateBinding): Holding;
  /** Records that the binding has the finalizer, so that held objects are released before it is deleted. */
  guard(binding: GateBinding): void;
  /** Records that the binding is about to lose the finalizer, so that nothing more may be held for it. */
  unguard(binding: GateBinding): void;
  /**
   * Subscribes to changes; called once before the manager runs. `wake` must be called for a binding whose targets
   * changed.
   */
  subscribe(wake: (binding: ObjectKey) => void): void;
  /** Returns the bound objects, in a stable order. Reads caches only. */
  targets(binding: GateBinding): readonly BoundTarget[];
  /** Holds and releases objects according to the verdict. */
  act(binding: GateBinding, verdict: BindingVerdict, context: ReconcileContext): Promise<ActuatorReport>;
  /** Releases everything that only this binding holds: it is being deleted, or its mode has changed. */
  release(binding: GateBinding, context: ReconcileContext): Promise<void>;
}

/** Returns the actuator for the mode of a binding; undefined if there is none. */
export function actuatorOf(actuators: readonly Actuator[], { spec }: GateBinding): Actuator | undefined {
  return actuators.find(({ modes }) => modes.includes(spec.mode));
}

/**
 * Judges bindings by their gates outside of the controller of GateBindings, where the annotations of a source count as a
 * binding.
 */
export interface Judge {
  /** Returns the verdict of the gates of a binding. `now` in milliseconds since the epoch. */
  judge(binding: GateBinding, now: number): BindingVerdict;
  /** Returns whether every gate has been evaluated after the start, so that objects without a claim may be released. */
  readonly settled: boolean;
  /**
   * Subscribes to changes; called before the manager runs. `handler` is called with a gate that has changed, and when
   * `settled` changes.
   */
  subscribe(handler: (gate: ObjectKey | 'all') => void): void;
}
