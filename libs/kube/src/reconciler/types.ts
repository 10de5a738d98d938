import type { Condition, KubeObject, ObjectKey, TypedError } from '@interlock/api';
import type { OrProblem } from '@interlock/base';
import type { EventInput } from '../runtime/event-object.js';
import type { ControllerOptions, ReconcileContext } from '../runtime/types.js';

/** The fields of any status that the runtime uses. */
export interface CommonStatus {
  observedGeneration?: number | undefined;
  conditions?: Condition[] | undefined;
}

export type StatusOf<T> = T extends { status?: infer S } ? NonNullable<S> : CommonStatus;

/** An observation after which there is nothing to decide now: the object stays unchanged. */
export class Later {
  /**
   * @param afterMs milliseconds after which it is reconciled again at the latest. Absent if a watched object will
   *   change.
   */
  constructor(readonly afterMs?: number) {}
}

/** An act that failed with a typed error, from which the status is concluded. */
export class Failure {
  /**
   * @param lasts false if the failure may pass by itself and the acts of the object have failed for less than a
   *   minute; most statuses do not report such a failure
   */
  constructor(
    readonly error: TypedError,
    readonly lasts: boolean,
  ) {}
}

/**
 * The result of an observation.
 *
 * For a problem, the runtime sets a condition and nothing is decided: `Reconciling` for a transient problem, otherwise
 * `Stalled`. A problem whose cause is a `TypedError` is reported when it lasts, like the failure of an act, and the
 * error is retried according to its type.
 */
export type Observation<Observed> = OrProblem<Observed> | Later;

export interface ObserveContext extends ReconcileContext {
  /**
   * Whether caches are not sufficient: the decision must be based on the current answers of the servers. See
   * {@link Reconciler.needsFresh}.
   */
  readonly isFresh: boolean;
}

export interface ActContext<T> extends ReconcileContext {
  /** The object as it is stored now: with its finalizer, and with the status that {@link record} wrote. */
  readonly object: T;
  /**
   * Stores a status during an act, which must be recorded before the next call. If another client wrote the status
   * meanwhile, it is read, and `next` is computed from it. Returns the object as it is stored.
   *
   * @throws ApiError `NotFound` when it is gone, or another object has its name
   */
  readonly record: (next: (current: T) => StatusOf<T>) => Promise<T>;
  /**
   * Stores a status during an act, according to {@link StatusMode}: unless the mode is `merge`, only on top of
   * {@link object}. Returns the object as it is stored.
   *
   * @throws ApiError `Conflict` when it was changed meanwhile: the reconcile is repeated
   */
  readonly write: (status: StatusOf<T>) => Promise<T>;
}

/** The result of a reconcile. */
export interface Conclusion<T> {
  /** The complete status; absent if it is unchanged. */
  status?: StatusOf<T> | undefined;
  /** Milliseconds. Absent if nothing falls due, or if a failure is retried according to its type. */
  requeueAfterMs?: number | undefined;
  /** Events to record once. */
  happened?: readonly EventInput[] | undefined;
  /** Whether the finalizer is removed, after the status was written. */
  releases?: boolean | undefined;
}

/**
 * A conclusion, or a function that computes it from the object as it is stored after the act. Such a function is pure.
 * It is called again when the object was written meanwhile, so that the act need not be repeated because of writes by
 * others.
 */
export type Concluding<T> = Conclusion<T> | ((current: T) => Conclusion<T>);

/** A status that was written. */
interface Written<T> {
  /** The object before the write. */
  object: T;
  before: StatusOf<T> | undefined;
  after: StatusOf<T>;
}

/** The argument of {@link Reconciler.concluded}. */
export interface Concluded<T, Observed, Decision, Outcome> {
  /** The object as it was observed. */
  object: T;
  /** The object as it is stored now. */
  stored: T;
  observed: Observed;
  decision: Decision;
  outcome: Outcome | Failure;
  /** Milliseconds since the epoch. */
  now: number;
}

/** Keeps an object that is being deleted until its resources are cleaned up. */
interface FinalizerOptions<Observed, Decision> {
  name: string;
  /** Returns whether the finalizer must be stored before the act. Pure. */
  isNeeded(decision: Decision, observed: Observed): boolean;
}

/**
 * How a status is written, only when it has changed:
 * - `merge`: on top of the current object, whatever has changed.
 * - `record`: only on top of the version that was observed, so that no transition is lost or written twice; otherwise
 *   the reconcile is repeated.
 * - `replace`: like `record`, and fields that others have written are removed if the new status omits them.
 */
export type StatusMode = 'merge' | 'record' | 'replace';

/**
 * A controller divided into observe, decide, act and conclude. Only `observe` and `act` perform I/O; `decide` and
 * `conclude` are pure, so that tables can test them.
 */
export interface Reconciler<T extends KubeObject, Observed, Decision, Outcome> extends Omit<
  ControllerOptions<T>,
  'reconcile'
> {
  /** Default: `merge`. */
  statusMode?: StatusMode;
  /** The events for changed conditions. */
  transitions?: {
    /** One CamelCase word. Default: `Reconcile`. */
    action?: string;
    /** The types of conditions. Default: all. */
    of?: readonly string[];
  };
  /** With a finalizer, objects that are being deleted are reconciled as well; without a finalizer, they are ignored. */
  finalizer?: FinalizerOptions<Observed, Decision>;
  /**
   * Whether other objects use this one until it is gone: it is then reconciled while it is being deleted, even without
   * a finalizer.
   */
  isUsedUntilGone?: boolean;
  /** Reads caches, git and the SCM into one plain value, without policy. */
  observe(object: T, context: ObserveContext): Observation<Observed> | Promise<Observation<Observed>>;
  /**
   * Decides what to do. Pure.
   *
   * @param now milliseconds since the epoch
   */
  decide(observed: Observed, now: number): Decision;
  /**
   * Returns whether a decision must not be based on data that may be outdated: it is then made again, from a fresh
   * observation. Pure.
   */
  needsFresh?(decision: Decision, observed: Observed): boolean;
  /** Applies a decision; every call can be repeated. Absent if there is only a status. */
  act?(decision: Decision, observed: Observed, context: ActContext<T>): Promise<Outcome>;
  /**
   * Returns the conclusion.
   *
   * @param outcome the outcome of the act, or its failure
   * @param now milliseconds since the epoch, after the act
   */
  conclude(observed: Observed, decision: Decision, outcome: Outcome | Failure, now: number): Concluding<T>;
  /** Receives each written status, also during an act, for metrics that count transitions. It must not fail. */
  written?(written: Written<T>): void;
  /**
   * Receives the conclusion after its status was written, and before the finalizer is removed, which may fail. It is
   * used for metrics, and to wake dependent objects. It must not fail or wait.
   */
  concluded?(conclusion: Concluded<T, Observed, Decision, Outcome>): void;
  /** Releases the data about an object that is gone, or is ignored while it is being deleted. */
  forgotten?(key: ObjectKey): void | Promise<void>;
}
