import type {
  GateContribution,
  GateKeeper,
  GateOverride,
  GateOverrideStatus,
  GateState,
  KubeObject,
} from '@interlock/api';
import type { OrProblem } from '@interlock/base';
import type { CalendarEvents } from './calendar/events.js';
import type { CompiledKeeper } from './keeper/compile.js';
import type { ObjectProblem } from './object-problem.js';

/** A GateKeeper with the readings of the objects that it refers to. */
export interface KeeperInput {
  keeper: GateKeeper;
  /**
   * The events for type calendar; absent if they have not been read yet. A problem that is not transient means that
   * the text is not acceptable.
   */
  calendar?: OrProblem<CalendarEvents>;
  /** The object for type expression; absent if it has not been read yet. */
  over?: OrProblem<KubeObject>;
}

/** The object for which a gate is evaluated, and the revision that it would take. */
export interface Subject {
  kind: string;
  name: string;
  revision?: string | undefined;
}

/**
 * How far the actor and requested-at annotations of overrides are trusted. `required`: admission writes them, and an
 * override without them is rejected. `ignored`: they are not authenticated. `optional`: it is not known whether
 * admission writes them; they are used if they agree with the creation of the object.
 */
export type Stamps = 'required' | 'ignored' | 'optional';

export interface DecideOptions {
  /** How long, in ms, a state is valid if nothing changes earlier. Default: one hour. */
  stateTtlMs?: number;
  /** Default: `optional`. */
  stamps?: Stamps;
  /**
   * When the recorded state was last decided, if that is known; ms since the epoch. Derived from the status by default.
   */
  recordedAt?: number | undefined;
  /** Returns the compiled form of a keeper; by default, it is compiled anew. See `keeperCache`. */
  compile?: (keeper: GateKeeper) => CompiledKeeper;
}

export interface NextDecision {
  at: number;
  state: GateState;
  cause: string;
}

/** Like {@link GateContribution}, with times in ms since the epoch. */
export interface Contribution {
  source: string;
  effect: GateContribution['effect'];
  message: string;
  next?: number | undefined;
}

/** All times are ms since the epoch. */
export interface GateDecision {
  state: GateState;
  /** `Default`, `Invalid`, `FailurePolicy`, `GateKeeper/<name>` or `GateOverride/<name>`. */
  cause: string;
  /** A human-readable sentence. */
  message: string;
  /** Since when the gate has this state. */
  since: number;
  /** The next change of the state; absent if there is none within ten years. */
  next?: NextDecision | undefined;
  /** Time until which the state is valid. */
  validUntil: number;
  contributions: Contribution[];
  /** Problems of the gate and its keepers. If there are any, the gate is closed because of them. */
  problems: ObjectProblem[];
}

export type OverridePhase = NonNullable<GateOverrideStatus['phase']>;

/** The state of an override. Times are in ms since the epoch. */
export interface OverrideState {
  override: GateOverride;
  phase: OverridePhase;
  /** The user who created the override; `unverified` if the user was not authenticated. */
  actor: string;
  /** When the override was requested. */
  requestedAt: number;
  /** When the override expires; absent if it never expires (a Close without an end). */
  expiresAt?: number | undefined;
  /**
   * The time from which the override has no effect: its expiry, or the Close that ended it; absent if that is not
   * known yet.
   */
  endsAt?: number | undefined;
  /** Why the override ended or is not in force; empty while it is in force. */
  message: string;
  /** Why the override is Rejected. */
  problems: ObjectProblem[];
}
