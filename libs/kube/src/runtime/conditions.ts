import { conditions as conditionTypes, timestampOf, type Condition } from '@interlock/api';
import { truncate, type Problem } from '@interlock/base';

/** What a controller says; the rest of a condition follows from it. */
export interface ConditionInput {
  type: string;
  status: Condition['status'];
  /** CamelCase, for machines. */
  reason: string;
  /** A sentence for people. */
  message: string;
}

/** The API server takes 32,768 characters; nobody reads so much and etcd keeps every byte. */
const maxMessageLength = 2_048;

/**
 * Sets one condition and leaves the others and their order as they are. `lastTransitionTime` changes with the status
 * only (Kubernetes API conventions, "Typical status properties"); a message beyond 2,048 characters is cut.
 *
 * @param generation the `metadata.generation` that was looked at; absent for kinds without one
 * @param now milliseconds since the epoch
 * @returns a new list
 */
export function setCondition(
  conditions: readonly Condition[] | undefined,
  input: ConditionInput,
  generation: number | undefined,
  now: number,
): Condition[] {
  const list = [...(conditions ?? [])];
  const index = list.findIndex(({ type }) => type === input.type);
  const before = list[index];
  const after: Condition = {
    type: input.type,
    status: input.status,
    ...(generation === undefined ? {} : { observedGeneration: generation }),
    lastTransitionTime: before?.status === input.status ? before.lastTransitionTime : timestampOf(now),
    reason: input.reason,
    message: truncate(input.message, maxMessageLength),
  };
  if (index < 0) list.push(after);
  else list[index] = after;
  return list;
}

/** Returns the list without the condition of that type. */
export function removeCondition(conditions: readonly Condition[] | undefined, type: string): Condition[] {
  return (conditions ?? []).filter((condition) => condition.type !== type);
}

export function getCondition(
  conditions: readonly Condition[] | undefined,
  type: string,
): Condition | undefined {
  return conditions?.find((condition) => condition.type === type);
}

export function isTrue(conditions: readonly Condition[] | undefined, type: string): boolean {
  return getCondition(conditions, type)?.status === 'True';
}

/** Why a condition has its status. May be an error or a problem, of which a condition shows no more than this. */
export type ConditionReason = Pick<ConditionInput, 'reason' | 'message'>;

/** Marks an object for a reason: returns its conditions after that. `generation` and `now` are those of {@link setCondition}. */
export type Mark = (
  conditions: readonly Condition[] | undefined,
  because: ConditionReason,
  generation: number | undefined,
  now: number,
) => Condition[];

const { ready, reconciling, stalled } = conditionTypes;

/** Ready: the object is as its spec says. Reconciling and Stalled go (kstatus: `Current`). */
export const markReady: Mark = (conditions, { reason, message }, generation, now) => {
  const rest = removeCondition(removeCondition(conditions, reconciling), stalled);
  return setCondition(rest, { type: ready, status: 'True', reason, message }, generation, now);
};

/** Reconciling: work is under way or awaited, and Ready is not true for that reason (kstatus: `InProgress`). */
export const markReconciling = notReady(reconciling, stalled);

/** Stalled: nothing goes on until somebody changes something, and Ready is not true for that reason (kstatus: `Failed`). */
export const markStalled = notReady(stalled, reconciling);

/** Reconciling for a transient problem, else Stalled. */
export function markProblem(
  conditions: readonly Condition[] | undefined,
  problem: Problem,
  generation: number | undefined,
  now: number,
): Condition[] {
  const mark = problem.transient ? markReconciling : markStalled;
  return mark(conditions, problem, generation, now);
}

/** Returns how an object is marked that is not ready: with a condition of `type`, and without one of `other`. */
function notReady(type: string, other: string): Mark {
  return (conditions, { reason, message }, generation, now) => {
    const rest = removeCondition(conditions, other);
    const marked = setCondition(rest, { type: ready, status: 'False', reason, message }, generation, now);
    return setCondition(marked, { type, status: 'True', reason, message }, generation, now);
  };
}

/** Sets a condition to True for as long as there is a reason for it; without one it goes. */
export function markWhile(
  conditions: readonly Condition[] | undefined,
  condition: { type: string; because: ConditionReason | undefined },
  generation: number | undefined,
  now: number,
): Condition[] {
  const { type, because } = condition;
  if (because === undefined) return removeCondition(conditions, type);
  const { reason, message } = because;
  return setCondition(conditions, { type, status: 'True', reason, message }, generation, now);
}

/** Returns whether both say the same, in whatever order. */
export function conditionsEqual(
  a: readonly Condition[] | undefined,
  b: readonly Condition[] | undefined,
): boolean {
  return (
    (a?.length ?? 0) === (b?.length ?? 0) && (a ?? []).every((one) => same(one, getCondition(b, one.type)))
  );
}

/** Returns the conditions of `after` whose status or reason is not that of `before`: the edges worth an event. */
export function changedConditions(
  before: readonly Condition[] | undefined,
  after: readonly Condition[] | undefined,
): Condition[] {
  return (after ?? []).filter((condition) => {
    const old = getCondition(before, condition.type);
    return old?.status !== condition.status || old.reason !== condition.reason;
  });
}

function same(a: Condition, b: Condition | undefined): boolean {
  return (
    b !== undefined &&
    a.status === b.status &&
    a.reason === b.reason &&
    a.message === b.message &&
    a.observedGeneration === b.observedGeneration &&
    a.lastTransitionTime === b.lastTransitionTime
  );
}
