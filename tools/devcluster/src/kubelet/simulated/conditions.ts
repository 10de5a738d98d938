import type { NewCondition } from '../../controllers/conditions.js';
import { objectsAt, type KubeObject } from '../../object.js';
import type { JsonObject } from '../../schema/types.js';
import { reportedConditions, writtenConditions, type PodProgress } from '../pod-conditions.js';

/** The inputs of the conditions of a simulated pod. */
export interface PodState extends PodProgress {
  /** The reason why the node ends the pod. */
  disruption?: string | undefined;
}

/** Returns the conditions of a pod, with the conditions that others set first. */
export function podConditions(pod: KubeObject, state: PodState, now: string): JsonObject[] {
  const own = [
    ...disruptionOf(state),
    ...reportedConditions(pod, state),
    { type: 'PodScheduled', status: 'True' } as const,
  ];
  const others = objectsAt(pod, 'status', 'conditions').filter(
    ({ type }) => !own.some((condition) => condition.type === type),
  );
  return [...others, ...writtenConditions(pod, own, now)];
}

function disruptionOf({ disruption }: PodState): NewCondition[] {
  if (disruption === undefined) return [];
  const reason = 'TerminationByKubelet';
  return [{ type: 'DisruptionTarget', status: 'True', reason, message: disruption }];
}
