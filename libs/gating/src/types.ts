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

/** A GateKeeper with what it refers to. */
export interface KeeperInput {
  keeper: GateKeeper;
  /** Of type calendar; absent counts as not read. A problem that is not transient: its text is not acceptable. */
  calendar?: OrProblem<CalendarEvents>;
  /** Of type expression; absent counts as not read. */
  over?: OrProblem<KubeObject>;
}

/** Who asks: a bound object, and the revision that it would take. */
export interface Subject {
  kind: string;
  name: string;
  revision?: string;
}

/**
 * What the actor and requested-at annotations of overrides are worth. `required`: admission writes them, and one
 * without is rejected. `ignored`: nobody vouches for them. `optional`: not known; they are believed where they agree
 * with the creation of the object.
 */
export type Stamps = 'required' | 'ignored' | 'optional';

export interface DecideOptions {
  /** How long, in ms, a state may be believed when nothing changes before. Default one hour. */
  stateTtlMs?: number;
  /** Default `optional`. */
  stamps?: Stamps;
  /** When the state on record was decided last, where that is known; ms since the epoch. Default: by its status. */
  recordedAt?: number | undefined;
  /** Gives the compiled form of a keeper; default: compiles it. See `keeperCache`. */
  compile?: (keeper: GateKeeper) => CompiledKeeper;
}

export interface NextDecision {
  at: number;
  state: GateState;
  cause: string;
}

/** As {@link GateContribution}, with times in ms since the epoch. */
export interface Contribution {
  source: string;
  effect: GateContribution['effect'];
  message: string;
  next?: number;
}

/** All times are ms since the epoch. */
export interface GateDecision {
  state: GateState;
  /** `Default`, `Invalid`, `FailurePolicy`, `GateKeeper/<name>` or `GateOverride/<name>`. */
  cause: string;
  /** A sentence for people. */
  message: string;
  /** Since when the gate has this state. */
  since: number;
  /** The next change of the state; absent: none within ten years. */
  next?: NextDecision;
  /** Until when the state may be believed. */
  validUntil: number;
  contributions: Contribution[];
  /** What is wrong with the gate and its keepers. Not empty: the gate is closed because of it. */
  problems: ObjectProblem[];
}

export type OverridePhase = NonNullable<GateOverrideStatus['phase']>;

/** What has become of an override. Times in ms since the epoch. */
export interface OverrideState {
  override: GateOverride;
  phase: OverridePhase;
  /** Who made it; `unverified` when nobody vouches for it. */
  actor: string;
  /** When it was asked for. */
  requestedAt: number;
  /** When its time is over; absent: never (a Close without end). */
  expiresAt?: number;
  /** From when on it has no influence: expiry, or the Close that ended it; absent: not known yet. */
  endsAt?: number;
  /** Why it ended or is not in force; empty while it is. */
  message: string;
  /** Why it is Rejected. */
  problems: ObjectProblem[];
}
