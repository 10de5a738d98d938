import { objectAt, objectsAt, textAt, valueAt, type KubeObject } from '../../object.js';
import type { JsonObject } from '../../schema/types.js';

/** A rule of the podFailurePolicy of a Job that matches a failed pod. */
interface PolicyMatch {
  action: 'FailJob' | 'Ignore' | 'Count';
  /** The reason in the condition of the Job. */
  message: string;
}

/**
 * Returns the first rule that matches a failed pod; undefined when none does. Source: Kubernetes
 * pkg/controller/job/pod_failure_policy.go.
 */
export function matchFailurePolicy(job: KubeObject, pod: KubeObject): PolicyMatch | undefined {
  const subject = `${pod.metadata.namespace ?? ''}/${pod.metadata.name}`;
  for (const [index, rule] of objectsAt(job, 'spec', 'podFailurePolicy', 'rules').entries()) {
    const action = textAt(rule, 'action');
    if (action !== 'FailJob' && action !== 'Ignore' && action !== 'Count') continue;
    const place = `matching ${action} rule at index ${String(index)}`;
    const status = matchingStatus(rule, pod);
    if (status !== undefined) {
      const code = String(valueAt(status, 'state', 'terminated', 'exitCode'));
      const name = textAt(status, 'name');
      return {
        action,
        message: `Container ${name} for pod ${subject} failed with exit code ${code} ${place}`,
      };
    }
    const condition = matchingCondition(rule, pod);
    if (condition !== undefined) {
      return { action, message: `Pod ${subject} has condition ${condition} ${place}` };
    }
  }
  return undefined;
}

/** Returns the status of the first container whose exit code the rule matches. */
function matchingStatus(rule: JsonObject, pod: KubeObject): JsonObject | undefined {
  if (valueAt(rule, 'onExitCodes') === undefined) return undefined;
  const { containerName, operator, values } = objectAt(rule, 'onExitCodes');
  const codes = Array.isArray(values) ? values : [];
  return ['containerStatuses', 'initContainerStatuses']
    .flatMap((list) => objectsAt(pod, 'status', list))
    .find((status) => {
      const code = valueAt(status, 'state', 'terminated', 'exitCode');
      if (typeof code !== 'number' || code === 0) return false;
      if (containerName !== undefined && containerName !== status['name']) return false;
      return codes.includes(code) === (operator === 'In');
    });
}

/** Returns the type of the first condition that the rule matches. */
function matchingCondition(rule: JsonObject, pod: KubeObject): string | undefined {
  const conditions = objectsAt(pod, 'status', 'conditions');
  const found = objectsAt(rule, 'onPodConditions').find((pattern) =>
    conditions.some(({ type, status }) => type === pattern['type'] && status === pattern['status']),
  );
  return found && textAt(found, 'type');
}
