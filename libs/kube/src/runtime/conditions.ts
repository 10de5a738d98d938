import { conditions as conditionTypes, timestampOf, type Condition } from '@interlock/api';
import { truncate, type Problem } from '@interlock/base';

/** The input of a controller; the other fields of a condition are derived from it. */
export interface ConditionInput {
  type: string;
  status: Condition['status'];
  /** Machine-readable reason in CamelCase. */
  reason: string;
  /** Human-readable sentence. */
  message: string;
}

/** The API server accepts 32,768 characters; longer messages are not helpful, and etcd stores every byte. */
const maxMessageLength = 2_048;

/**
 * Returns a new list with one condition set; the others and their order do not change. `lastTransitionTime` changes
 * only with the status (Kubernetes API conventions, "Typical status properties"); a message beyond 2,048 characters is
 * cut.
 *
 * @param generation the `metadata.generation` that was observed; absent for kinds without one
 * @param now milliseconds since the epoch
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

/** Why a condition has its status. It may be an error or a problem, of which only these fields are used. */
export type ConditionReason = Pick<ConditionInput, 'reason' | 'message'>;

/**
 * Returns the conditions of an object after it is marked for a reason. `generation` and `now` are as in {@link
 * setCondition}.
 */
export type Mark = (
  conditions: readonly Condition[] | undefined,
  because: ConditionReason,
  generation: number | undefined,
  now: number,
) => Condition[];

const { ready, reconciling, stalled } = conditionTypes;

/** Marks the object as ready: it is as its spec requires. Reconciling and Stalled are removed (kstatus: `Current`). */
export const markReady: Mark = (conditions, { reason, message }, generation, now) => {
  const rest = removeCondition(removeCondition(conditions, reconciling), stalled);
  return setCondition(rest, { type: ready, status: 'True', reason, message }, generation, now);
};

/**
 * Marks the object as reconciling: work is in progress or awaited, and Ready is not true for that reason (kstatus:
 * `InProgress`).
 */
export const markReconciling = notReady(reconciling, stalled);

/**
 * Marks the object as stalled: only a change can resolve the problem, and Ready is not true for that reason (kstatus:
 * `Failed`).
 */
export const markStalled = notReady(stalled, reconciling);

/** Marks the object as reconciling for a transient problem, otherwise as stalled. */
export function markProblem(
  conditions: readonly Condition[] | undefined,
  problem: Problem,
  generation: number | undefined,
  now: number,
): Condition[] {
  const mark = problem.transient ? markReconciling : markStalled;
  return mark(conditions, problem, generation, now);
}

/** Returns the mark of an object that is not ready: with a condition of `type`, and without a condition of `other`. */
function notReady(type: string, other: string): Mark {
  return (conditions, { reason, message }, generation, now) => {
    const rest = removeCondition(conditions, other);
    const marked = setCondition(rest, { type: ready, status: 'False', reason, message }, generation, now);
    return setCondition(marked, { type, status: 'True', reason, message }, generation, now);
  };
}

/** Sets a condition to True while there is a reason for it, and removes it otherwise. */
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

/**
 * Returns the conditions of `after` whose status or reason differs from the condition in `before`; each is worth an
 * event.
 */
export function changedConditions(
  before: readonly Condition[] | undefined,
  after: readonly Condition[] | undefined,
): Condition[] {
  return (after ?? []).filter((condition) => {
    const old = getCondition(before, condition.type);
    return old?.status !== condition.status || old.reason !== condition.reason;
  });
}
