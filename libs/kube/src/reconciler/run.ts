import {
  isTyped,
  keyString,
  type Kind,
  type KubeObject,
  type ObjectKey,
  type TypedError,
} from '@interlock/api';
import { isProblem, type Clock, type Problem } from '@interlock/base';
import type { Tracer } from '@opentelemetry/api';
import type { FollowedCache } from '../cache/types.js';
import { ApiError } from '../client/api-error.js';
import type { Client } from '../client/types.js';
import type { EventRecorder } from '../runtime/events.js';
import { ensureFinalizer, removeFinalizer } from '../runtime/finalizers.js';
import { LastingFailures } from '../runtime/lasting-failures.js';
import { inSpan } from '../runtime/tracing.js';
import type { Reconcile, ReconcileContext, ReconcileResult } from '../runtime/types.js';
import { problemStatus } from './problem-status.js';
import { StatusWriter } from './status-writer.js';
import {
  Failure,
  Later,
  type ActContext,
  type Concluding,
  type Conclusion,
  type Reconciler,
} from './types.js';

interface RunParts<T extends KubeObject> {
  kind: Kind<T>;
  cache: Pick<FollowedCache<T>, 'get'>;
  client: Client;
  clock: Pick<Clock, 'now'>;
  events?: Pick<EventRecorder, 'record' | 'recordTransitions'> | undefined;
  tracer?: Tracer | undefined;
}

/** Returns the reconcile function of a reconciler: its steps, and the work that all reconcilers have in common. */
export function reconcileOf<T extends KubeObject, Observed, Decision, Outcome>(
  reconciler: Reconciler<T, Observed, Decision, Outcome>,
  parts: RunParts<T>,
): Reconcile {
  const run = new Run(reconciler, parts);
  return (key, context) => run.reconcile(key, context);
}

/** An observation, and the decision that follows from it. */
interface Decided<Observed, Decision> {
  observed: Observed;
  decision: Decision;
}

class Run<T extends KubeObject, Observed, Decision, Outcome> {
  readonly #failures = new LastingFailures();
  readonly #writer: StatusWriter<T>;

  readonly #reconciler: Reconciler<T, Observed, Decision, Outcome>;
  readonly #parts: RunParts<T>;

  constructor(reconciler: Reconciler<T, Observed, Decision, Outcome>, parts: RunParts<T>) {
    this.#reconciler = reconciler;
    this.#parts = parts;

    this.#writer = new StatusWriter(reconciler, parts);
  }

  async reconcile(key: ObjectKey, context: ReconcileContext): Promise<ReconcileResult | undefined> {
    const object = this.#parts.cache.get(key);
    if (object === undefined || !this.#isConcerned(object)) {
      this.#failures.clear(keyString(key));
      await this.#reconciler.forgotten?.(key);
      return undefined;
    }
    const decided = await this.#decide(object, context, false);
    if (decided instanceof Later) return resultOf(decided.afterMs);
    if (isProblem(decided)) return this.#report(object, decided, context.now);
    return this.#apply(object, decided, context);
  }

  async #report(object: T, problem: Problem, now: number): Promise<ReconcileResult | undefined> {
    const { cause, retryAfterMs } = problem;
    const error = isTyped(cause) ? cause : undefined;
    if (error === undefined || this.#recordFailure(object, error, now))
      await this.#writer.write(object, problemStatus(object, problem, now));
    if (error !== undefined) throw error;
    return resultOf(retryAfterMs);
  }

  #isConcerned({ metadata }: T): boolean {
    const { finalizer, isUsedUntilGone = false } = this.#reconciler;
    return metadata.deletionTimestamp === undefined || finalizer !== undefined || isUsedUntilGone;
  }

  async #decide(
    object: T,
    context: ReconcileContext,
    isFresh: boolean,
  ): Promise<Decided<Observed, Decision> | Later | Problem> {
    const reconciler = this.#reconciler;
    const observed = await this.#span('observe', async () =>
      reconciler.observe(object, { ...context, isFresh }),
    );
    if (observed instanceof Later || isProblem(observed)) return observed;
    const decision = reconciler.decide(observed, context.now);
    if (!isFresh && reconciler.needsFresh?.(decision, observed) === true)
      return this.#decide(object, context, true);
    return { observed, decision };
  }

  async #apply(
    object: T,
    { observed, decision }: Decided<Observed, Decision>,
    context: ReconcileContext,
  ): Promise<ReconcileResult | undefined> {
    const reconciler = this.#reconciler;
    const parts = this.#parts;
    const guarded = await this.#guard(object, decision, observed);
    const act = new Act(guarded, context, this.#writer);
    const outcome = await this.#act(decision, observed, act);
    const now = parts.clock.now();
    const concluding = reconciler.conclude(observed, decision, outcome, now);
    const { stored, conclusion } = await this.#conclude(act.object, concluding);
    for (const event of conclusion.happened ?? []) parts.events?.record(object, event);
    reconciler.concluded?.({ object, stored, observed, decision, outcome, now });
    await this.#release(stored, conclusion);
    if (conclusion.requeueAfterMs !== undefined) return { requeueAfterMs: conclusion.requeueAfterMs };
    if (outcome instanceof Failure) throw outcome.error;
    return undefined;
  }

  async #guard(object: T, decision: Decision, observed: Observed): Promise<T> {
    const { finalizer } = this.#reconciler;
    if (finalizer?.isNeeded(decision, observed) !== true) return object;
    return ensureFinalizer(this.#parts.client, this.#parts.kind, object, finalizer.name);
  }

  async #act(decision: Decision, observed: Observed, context: Act<T>): Promise<Outcome | Failure> {
    const reconciler = this.#reconciler;
    const { object } = context;
    try {
      /* Without an act, the type of the outcome is undefined. */
      const outcome = (await this.#span('act', async () =>
        reconciler.act?.(decision, observed, context),
      )) as Outcome;
      this.#failures.clear(keyString(object.metadata));
      return outcome;
    } catch (error) {
      if (!isConcluded(error)) throw error;
      return new Failure(error, this.#recordFailure(object, error, context.now));
    }
  }

  /** Returns whether the object fails permanently, or has failed for a long time. */
  #recordFailure({ metadata }: T, error: TypedError, now: number): boolean {
    return this.#failures.record(keyString(metadata), error, now) || !passes(error);
  }

  async #conclude(object: T, concluding: Concluding<T>): Promise<{ stored: T; conclusion: Conclusion<T> }> {
    if (typeof concluding === 'function') {
      const { stored, next } = await this.#writer.record(object, concluding);
      return { stored, conclusion: next };
    }
    const { status } = concluding;
    const stored = status === undefined ? object : await this.#writer.write(object, status);
    return { stored, conclusion: concluding };
  }

  async #release(object: T, { releases }: Conclusion<T>): Promise<void> {
    const { kind, client } = this.#parts;
    const { finalizer } = this.#reconciler;
    if (releases === true && finalizer !== undefined)
      await removeFinalizer(client, kind, object, finalizer.name);
  }

  #span<R>(step: string, run: () => Promise<R>): Promise<R> {
    const name = `${step} ${this.#reconciler.name}`;
    return inSpan(this.#parts.tracer, { name, links: [], attributes: {} }, run);
  }
}

class Act<T extends KubeObject> implements ActContext<T> {
  readonly signal: AbortSignal;
  readonly log: ReconcileContext['log'];
  readonly now: number;

  readonly #writer: StatusWriter<T>;

  constructor(
    public object: T,
    { signal, log, now }: ReconcileContext,
    writer: StatusWriter<T>,
  ) {
    this.#writer = writer;

    this.signal = signal;
    this.log = log;
    this.now = now;
  }

  readonly record: ActContext<T>['record'] = async (next) => {
    const { stored } = await this.#writer.record(this.object, (current) => ({ status: next(current) }));
    this.object = stored;
    return stored;
  };

  readonly write: ActContext<T>['write'] = async (status) => {
    this.object = await this.#writer.write(this.object, status);
    return this.object;
  };
}

/* An object that was written or deleted meanwhile does not show that the act failed, and its status may be newer than the cache. */
function isConcluded(error: unknown): error is TypedError {
  return isTyped(error) && !(error instanceof ApiError && isTyped(error, 'Conflict', 'NotFound'));
}

function passes({ type }: TypedError): boolean {
  return type === 'Transient' || type === 'RateLimited';
}

function resultOf(requeueAfterMs: number | undefined): ReconcileResult | undefined {
  return requeueAfterMs === undefined ? undefined : { requeueAfterMs };
}
