import { scalingDefaults } from '../../builtin/horizontal-pod-autoscaler/kinds.js';
import { objectAt, objectsAt, textAt, valueAt, type KubeObject } from '../../object.js';
import { isObject } from '../../schema/json.js';
import type { JsonObject } from '../../schema/types.js';
import type { NewCondition } from '../conditions.js';

/** Default stabilization window, in seconds. */
const defaultWindowSeconds = 300;

/** The history of an autoscaler between two decisions. */
export interface Memory {
  /** When each number of replicas was last recommended, in milliseconds. */
  recommendations: ReadonlyMap<number, number>;
  /** Changes of the target: by how much and when. */
  changes: readonly { by: number; at: number }[];
}

interface Limited {
  replicas: number;
  conditions: NewCondition[];
  memory: Memory;
  /** Whether the recommendation was delayed or limited, and may take effect later. */
  isHeld: boolean;
}

interface Context {
  autoscaler: KubeObject;
  current: number;
  now: number;
}

/** Applies the stabilization windows, the policies and the range of an autoscaler. Source: podautoscaler/horizontal.go. */
export function limit(desired: number, memory: Memory, context: Context): Limited {
  const { now } = context;
  const behavior = valueAt(context.autoscaler, 'spec', 'behavior');
  const recommendations = new Map([...memory.recommendations, [desired, now]]);
  const windows = windowsOf(behavior);
  const oldest = now - Math.max(windows.up, windows.down);
  for (const [replicas, at] of recommendations) if (at < oldest) recommendations.delete(replicas);
  const recent = (window: number): number[] =>
    [...recommendations].filter(([, at]) => at > now - window || at === now).map(([replicas]) => replicas);
  const stabilized = isObject(behavior)
    ? between(context.current, Math.min(...recent(windows.up)), Math.max(...recent(windows.down)))
    : Math.max(...recent(windows.down));
  const ranged = isObject(behavior)
    ? limitByPolicies(stabilized, behavior, memory, context)
    : limitByDefault(stabilized, context);
  return {
    replicas: ranged.replicas,
    conditions: [stabilityCondition(desired, stabilized, context.current), ranged.condition],
    memory: { ...memory, recommendations },
    isHeld: stabilized !== desired || ranged.isRate,
  };
}

/** Records a change of the target, and removes changes that are no longer counted by a policy. */
export function withChange(memory: Memory, by: number, now: number): Memory {
  const longestPeriodMs = 1800 * 1000;
  const changes = [...memory.changes, { by, at: now }].filter(({ at }) => at > now - longestPeriodMs);
  return { ...memory, changes };
}

/** Returns the windows in milliseconds. */
function windowsOf(behavior: unknown): { up: number; down: number } {
  const seconds = (direction: string, standard: number): number => {
    const value = isObject(behavior) ? valueAt(behavior, direction, 'stabilizationWindowSeconds') : undefined;
    return (typeof value === 'number' ? value : standard) * 1000;
  };
  return { up: seconds('scaleUp', 0), down: seconds('scaleDown', defaultWindowSeconds) };
}

function between(current: number, least: number, greatest: number): number {
  return Math.min(Math.max(current, least), Math.max(least, greatest));
}

function stabilityCondition(desired: number, stabilized: number, current: number): NewCondition {
  const able = (reason: string, message: string): NewCondition => ({
    type: 'AbleToScale',
    status: 'True',
    reason,
    message,
  });
  if (stabilized === desired) return able('ReadyForNewScale', 'recommended size matches current size');
  return desired >= current && stabilized < desired
    ? able(
        'ScaleUpStabilized',
        'recent recommendations were lower than current one, applying the lowest recent recommendation',
      )
    : able(
        'ScaleDownStabilized',
        'recent recommendations were higher than current one, applying the highest recent recommendation',
      );
}

/** A number of replicas within its limits; `isRate`: a policy for the rate of changes limited it. */
interface Ranged {
  replicas: number;
  condition: NewCondition;
  isRate: boolean;
}

const messages = {
  ScaleUpLimit: 'the desired replica count is increasing faster than the maximum scale rate',
  ScaleDownLimit: 'the desired replica count is decreasing faster than the maximum scale rate',
  TooManyReplicas: 'the desired replica count is more than the maximum replica count',
  TooFewReplicas: 'the desired replica count is less than the minimum replica count',
} as const;

function cut(replicas: number, reason: keyof typeof messages): Ranged {
  const condition = { type: 'ScalingLimited', status: 'True', reason, message: messages[reason] } as const;
  return { replicas, condition, isRate: reason.endsWith('Limit') };
}

function within(replicas: number): Ranged {
  const message = 'the desired count is within the acceptable range';
  const condition = {
    type: 'ScalingLimited',
    status: 'False',
    reason: 'DesiredWithinRange',
    message,
  } as const;
  return { replicas, condition, isRate: false };
}

/** Returns the least and the greatest number of replicas. */
export function rangeOf(autoscaler: KubeObject): { min: number; max: number } {
  const { minReplicas = 1, maxReplicas = 1 } = objectAt(autoscaler, 'spec');
  return { min: Number(minReplicas), max: Number(maxReplicas) };
}

function limitByDefault(desired: number, { autoscaler, current }: Context): Ranged {
  const { min, max } = rangeOf(autoscaler);
  const rate = Math.max(2 * current, 4);
  if (desired < min) return cut(min, 'TooFewReplicas');
  if (desired > Math.min(max, rate)) {
    return max > rate ? cut(rate, 'ScaleUpLimit') : cut(max, 'TooManyReplicas');
  }
  return within(desired);
}

function limitByPolicies(desired: number, behavior: JsonObject, memory: Memory, context: Context): Ranged {
  const { autoscaler, current } = context;
  const { min, max } = rangeOf(autoscaler);
  if (desired > current) {
    const rate = Math.max(current, rateOf('scaleUp', behavior, memory, context));
    if (desired > Math.min(max, rate)) {
      return max > rate ? cut(rate, 'ScaleUpLimit') : cut(max, 'TooManyReplicas');
    }
  } else if (desired < current) {
    const rate = Math.min(current, rateOf('scaleDown', behavior, memory, context));
    if (desired < Math.max(min, rate)) {
      return min < rate ? cut(rate, 'ScaleDownLimit') : cut(min, 'TooFewReplicas');
    }
  }
  return within(desired);
}

/** Returns the limit for the number of replicas that the policies of a direction set. */
function rateOf(
  direction: 'scaleUp' | 'scaleDown',
  behavior: JsonObject,
  { changes }: Memory,
  { current, now }: Context,
): number {
  const rules = { ...scalingDefaults[direction], ...objectAt(behavior, direction) };
  const select = textAt(rules, 'selectPolicy');
  if (select === 'Disabled') return current;
  const rates = objectsAt(rules, 'policies').map(({ type, value, periodSeconds }) => {
    const since = now - Number(periodSeconds) * 1000;
    const start = current - changes.filter(({ at }) => at > since).reduce((total, { by }) => total + by, 0);
    const amount = Number(value);
    if (direction === 'scaleUp') {
      return type === 'Pods' ? start + amount : Math.ceil(start * (1 + amount / 100));
    }
    return type === 'Pods' ? start - amount : Math.floor(start * (1 - amount / 100));
  });
  const isFurthest = select !== 'Min';
  const picksGreatest = (direction === 'scaleUp') === isFurthest;
  return picksGreatest ? Math.max(...rates) : Math.min(...rates);
}
