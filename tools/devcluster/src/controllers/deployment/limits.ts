import { objectAt, textAt, valueAt, type KubeObject } from '../../object.js';
import type { Json } from '../../schema/types.js';
import { numberAt } from '../pod-state.js';

/** The limits for the number of pods of a Deployment. */
export interface RolloutLimits {
  replicas: number;
  /** Number of pods above `replicas`; 0 for Recreate. */
  maxSurge: number;
  /** Number of pods of `replicas` that may be unavailable; 0 for Recreate. */
  maxUnavailable: number;
}

/**
 * Returns the limits of a Deployment. A percentage is rounded up for the surge, and rounded down for unavailable pods;
 * when both are 0, one pod may be unavailable. Source: Kubernetes pkg/controller/deployment/util, ResolveFenceposts.
 */
export function limitsOf(deployment: KubeObject): RolloutLimits {
  const replicas = numberAt(deployment, ['spec', 'replicas'], 1);
  if (!isRolling(deployment)) return { replicas, maxSurge: 0, maxUnavailable: 0 };
  const rolling = objectAt(deployment, 'spec', 'strategy', 'rollingUpdate');
  const maxSurge = resolve(rolling['maxSurge'], replicas, Math.ceil);
  const unavailable = resolve(rolling['maxUnavailable'], replicas, Math.floor);
  const maxUnavailable = maxSurge === 0 && unavailable === 0 ? 1 : unavailable;
  return { replicas, maxSurge, maxUnavailable: Math.min(maxUnavailable, replicas) };
}

/** Returns whether pods are replaced step by step. */
export function isRolling(deployment: KubeObject): boolean {
  return textAt(deployment, 'spec', 'strategy', 'type') !== 'Recreate';
}

/** Returns the progress deadline in seconds; undefined: the rollout may take any time. */
export function progressDeadlineOf(deployment: KubeObject): number | undefined {
  const seconds = valueAt(deployment, 'spec', 'progressDeadlineSeconds');
  return typeof seconds === 'number' && seconds !== 2 ** 31 - 1 ? seconds : undefined;
}

function resolve(amount: Json | undefined, replicas: number, round: (value: number) => number): number {
  if (typeof amount === 'string') return round((parseInt(amount, 10) * replicas) / 100);
  return typeof amount === 'number' ? amount : 0;
}
