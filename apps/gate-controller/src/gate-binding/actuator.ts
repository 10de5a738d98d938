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
import type { ConditionInput, StepContext } from '@interlock/kube';
import type { Holding } from './finalizer.js';

export type BindingMode = GateBinding['spec']['mode'];

/** Something that is bound, as records name it. Of mode CommitStatus these are ProposedCommits and RevertCommits. */
export interface BoundTarget {
  kind: string;
  namespace: string;
  name: string;
  /** The revision that it has taken last; absent: not known. */
  revision?: string;
  /** Other names of that revision, such as the dry commit that it was made from. */
  aliases?: readonly string[];
  /** What overrides name to mean it, where that is not itself: the PromotionStrategy. */
  subject?: { kind: string; name: string };
}

/** Whether something may go on, and why. */
export interface Verdict {
  state: GateState;
  /** For people: who decides, why, and when it opens next. */
  message: string;
  next?: NextChange;
}

/** What the gates of a binding say together. */
export interface BindingVerdict extends Verdict {
  gates: NonNullable<GateBindingStatus['gates']>;
  /** False until every gate has been evaluated after the start: what is held then stays held, whatever `state` says. */
  mayRelease: boolean;
  /** What the gates say to one target. */
  of(subject: Subject): Verdict;
  /** Revisions that overrides let through for a target although it is closed. */
  approvedRevisions(target: Pick<Subject, 'kind' | 'name'>): readonly string[];
}

/** What an actuator did, for the status of the binding. Whatever it could not do is thrown, or in a hold's message. */
export interface ActuatorReport {
  /** What is held, or would be, in a stable order; at most 256 are kept in the status. */
  holds: readonly GateHold[];
  /** How many objects are bound. */
  targetCount: number;
  /** Of all that are held, also beyond the kept ones. */
  heldCount: number;
  /** Besides Ready and Open: Conflict, GateSkew, SelfLockout. Absent ones are removed. */
  conditions?: readonly ConditionInput[];
  /** Why the binding is not Ready, naming the field or the missing permission and the fix. */
  problem?: Problem;
  /** What else to know, for the message of Ready; it makes nothing unready. */
  notice?: string;
  /** Milliseconds until it wants to act again without any event. */
  requeueAfterMs?: number;
}

/** Holds what bindings of some modes bind. One instance serves all bindings; every call is idempotent. */
export interface Actuator {
  readonly modes: readonly BindingMode[];
  /** Returns what would stay held if the binding went away without `release`. Reads caches only. */
  holding(binding: GateBinding): Holding;
  /** The binding has the finalizer: what is held for it is released before it goes. */
  guard(binding: GateBinding): void;
  /** The binding is about to lose the finalizer: nothing more may be held for it. */
  unguard(binding: GateBinding): void;
  /** Called once before the manager runs: `wake` is to be called for a binding whose targets changed. */
  subscribe(wake: (binding: ObjectKey) => void): void;
  /** Returns what is bound now, in a stable order. Reads caches only. */
  targets(binding: GateBinding): readonly BoundTarget[];
  /** Holds and releases as the verdict says. */
  act(binding: GateBinding, verdict: BindingVerdict, context: StepContext): Promise<ActuatorReport>;
  /** Lets go of all that only this binding holds: it is being deleted, or has another mode now. */
  release(binding: GateBinding, context: StepContext): Promise<void>;
}

/** Returns the actuator of the mode of a binding; undefined: there is none. */
export function actuatorOf(actuators: readonly Actuator[], { spec }: GateBinding): Actuator | undefined {
  return actuators.find(({ modes }) => modes.includes(spec.mode));
}

/** Judges by gates, for whoever acts beside the controller of GateBindings: the annotations of a source stand for a binding. */
export interface Judge {
  /** Returns what the gates of a binding say. `now` in milliseconds since the epoch. */
  judge(binding: GateBinding, now: number): BindingVerdict;
  /** Whether every gate has been evaluated after the start, so that what nobody holds any more may be released. */
  readonly settled: boolean;
  /** Called before the manager runs: `handler` is told of a gate about which something changed, and when `settled` does. */
  subscribe(handler: (gate: ObjectKey | 'all') => void): void;
}
