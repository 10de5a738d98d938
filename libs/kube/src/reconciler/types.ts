import type { Condition, KubeObject, ObjectKey, TypedError } from '@interlock/api';
import type { OrProblem } from '@interlock/base';
import type { EventInput } from '../runtime/event-object.js';
import type { ControllerOptions, Logger } from '../runtime/types.js';

/** What the runtime knows of any status. */
export interface CommonStatus {
  observedGeneration?: number | undefined;
  conditions?: Condition[] | undefined;
}

export type StatusOf<T> = T extends { status?: infer S } ? NonNullable<S> : CommonStatus;

/** There is nothing to decide now: the object stays as it is. */
export class Later {
  /** @param afterMs milliseconds until it is looked at again, at the latest. Absent: something that is watched changes. */
  constructor(readonly afterMs?: number) {}
}

/** An act that failed with a typed error, so that the status after it is true. */
export class Failure {
  /**
   * @param lasts false when it may pass by itself, and the acts of the object have failed for less than a minute: most
   *   statuses do not speak of that
   */
  constructor(
    readonly error: TypedError,
    readonly lasts: boolean,
  ) {}
}

/**
 * What an observation comes to. The runtime shows a problem as a condition, and nothing is decided: `Reconciling` for a transient
 * one, else `Stalled`. One whose cause is a `TypedError` is shown when it lasts, as the failure of an act, and the error is retried
 * as its type says.
 */
export type Observation<Observed> = OrProblem<Observed> | Later;

export interface StepContext {
  readonly signal: AbortSignal;
  readonly log: Logger;
  /** Milliseconds since the epoch, at the start of this reconcile. */
  readonly now: number;
}

export interface ObserveContext extends StepContext {
  /** Caches do not do: the decision has to be made from what the servers say now. See {@link Reconciler.needsFresh}. */
  readonly isFresh: boolean;
}

export interface ActContext<T> extends StepContext {
  /** The object as it is stored now: with its finalizer, and with what {@link record} wrote. */
  readonly object: T;
  /**
   * Stores a status in the middle of an act: what has to be on record before the next call. A status that somebody else wrote
   * meanwhile is read, and `next` follows from that one.
   *
   * @returns the object as it is stored
   * @throws ApiError `NotFound` when it is gone, or another has its name
   */
  readonly record: (next: (current: T) => StatusOf<T>) => Promise<T>;
  /**
   * Stores a status in the middle of an act, as {@link StatusMode} says: unless the mode is `merge`, only on top of {@link object}.
   *
   * @returns the object as it is stored
   * @throws ApiError `Conflict` when it was changed meanwhile: the reconcile is repeated
   */
  readonly write: (status: StatusOf<T>) => Promise<T>;
}

/** What a reconcile ends with. */
export interface Conclusion<T> {
  /** All of the status; absent: unchanged. */
  status?: StatusOf<T> | undefined;
  /** Milliseconds. Absent: nothing falls due, and a failure is retried as its type says. */
  requeueAfterMs?: number | undefined;
  /** What happened, once each. */
  happened?: readonly EventInput[] | undefined;
  /** Removes the finalizer, after the status was written. */
  releases?: boolean | undefined;
}

/**
 * A conclusion, or how it follows from the object as it is stored after the act. Such a function is pure, and is called again
 * when the object was written meanwhile, so that what others wrote counts and the act need not be repeated.
 */
export type Concluding<T> = Conclusion<T> | ((current: T) => Conclusion<T>);

/** A status that was written. */
interface Written<T> {
  /** As it was before. */
  object: T;
  before: StatusOf<T> | undefined;
  after: StatusOf<T>;
}

/** What {@link Reconciler.concluded} is told. */
export interface Concluded<T, Observed, Decision, Outcome> {
  /** As it was observed. */
  object: T;
  /** As it is stored now. */
  stored: T;
  observed: Observed;
  decision: Decision;
  outcome: Outcome | Failure;
  /** Milliseconds since the epoch. */
  now: number;
}

/** Keeps an object that is deleted until what it stands for is cleaned up. */
interface FinalizerOptions<Observed, Decision> {
  name: string;
  /** Whether it has to be stored before the act. Pure. */
  isNeeded(decision: Decision, observed: Observed): boolean;
}

/**
 * How a status is written, each time only when it changed:
 * - `merge`: on top of whatever the object has become meanwhile.
 * - `record`: only on top of the version that was observed, so that no transition is lost or written twice; else the reconcile
 *   is repeated.
 * - `replace`: as `record`, and what others have written into it is removed if the new status leaves it out.
 */
export type StatusMode = 'merge' | 'record' | 'replace';

/**
 * A controller as observe, decide, act and conclude. I/O is in `observe` and `act` only; `decide` and `conclude` are pure, so
 * that tables can test them.
 */
export interface Reconciler<T extends KubeObject, Observed, Decision, Outcome> extends Omit<
  ControllerOptions<T>,
  'reconcile'
> {
  /** Owns the status. */
  fieldManager: string;
  /** Default `merge`. */
  statusMode?: StatusMode;
  /** The events for conditions that changed. Absent: there are none. */
  transitions?: {
    /** One CamelCase word. */
    action: string;
    /** The types of conditions. Absent: all. */
    of?: readonly string[];
  };
  /** With one, objects that are being deleted are reconciled as well. Without one they are left alone. */
  finalizer?: FinalizerOptions<Observed, Decision>;
  /** Other objects use this one until it is gone: it is reconciled while it is being deleted, without a finalizer too. */
  isUsedUntilGone?: boolean;
  /** Reads caches, git and the SCM into one plain value, without policy. */
  observe(object: T, context: ObserveContext): Observation<Observed> | Promise<Observation<Observed>>;
  /** @param now milliseconds since the epoch */
  decide(observed: Observed, now: number): Decision;
  /** Whether a decision must not rest on what may be out of date: it is made once more, from a fresh observation. Pure. */
  needsFresh?(decision: Decision, observed: Observed): boolean;
  /** Applies a decision; every call can be repeated. Absent: there is nothing but a status. */
  act?(decision: Decision, observed: Observed, context: ActContext<T>): Promise<Outcome>;
  /**
   * @param outcome of the act, or how it failed
   * @param now milliseconds since the epoch, after the act
   */
  conclude(observed: Observed, decision: Decision, outcome: Outcome | Failure, now: number): Concluding<T>;
  /** Receives each status that was written, in the middle of an act too: for metrics that count transitions. Must not fail. */
  written?(written: Written<T>): void;
  /**
   * Receives what was concluded, when its status was written and before the finalizer is removed, which may fail: for metrics,
   * and to wake what depends on it. Must not fail, or wait.
   */
  concluded?(conclusion: Concluded<T, Observed, Decision, Outcome>): void;
  /** Gives back what is remembered of an object that is gone, or is left alone while it is being deleted. */
  forgotten?(key: ObjectKey): void | Promise<void>;
}
