import { objectAt, textAt, valueAt } from '../../object.js';
import { forbidden, invalid, notSupported, required } from '../../schema/field-error.js';
import type { Cause, Json, JsonObject } from '../../schema/types.js';
import { validateAtMostAll, validateIntOrPercent } from '../int-or-percent.js';
import { nonNegative, numberOf } from '../workload.js';

const path = 'spec.strategy';

/** Checks how the spec of a Deployment replaces pods. Source: Kubernetes pkg/apis/apps/validation. */
export function validateRollout(spec: JsonObject): Cause[] {
  return [
    ...validateStrategy(objectAt(spec, 'strategy')),
    ...nonNegative(spec, 'spec', ['minReadySeconds', 'revisionHistoryLimit', 'progressDeadlineSeconds']),
    ...validateDeadline(spec),
  ];
}

function validateDeadline(spec: JsonObject): Cause[] {
  const deadline = spec['progressDeadlineSeconds'];
  if (typeof deadline !== 'number' || deadline > numberOf(spec, 'minReadySeconds')) return [];
  return [invalid('spec.progressDeadlineSeconds', deadline, 'must be greater than minReadySeconds')];
}

function validateStrategy(strategy: JsonObject): Cause[] {
  const type = textAt(strategy, 'type');
  const rolling = valueAt(strategy, 'rollingUpdate');
  if (type === 'Recreate') {
    const detail = "may not be specified when strategy `type` is 'Recreate'";
    return rolling === undefined ? [] : [forbidden(`${path}.rollingUpdate`, detail)];
  }
  if (type !== 'RollingUpdate') return [notSupported(`${path}.type`, type, ['Recreate', 'RollingUpdate'])];
  if (rolling === undefined) {
    return [required(`${path}.rollingUpdate`, 'this should be defaulted and never be nil')];
  }
  return validateRolling(objectAt(strategy, 'rollingUpdate'));
}

function validateRolling(rolling: JsonObject): Cause[] {
  const { maxUnavailable = 0, maxSurge = 0 } = rolling;
  const field = `${path}.rollingUpdate`;
  const causes = [
    ...validateIntOrPercent(maxUnavailable, `${field}.maxUnavailable`),
    ...validateIntOrPercent(maxSurge, `${field}.maxSurge`),
  ];
  if (isZero(maxUnavailable) && isZero(maxSurge)) {
    causes.push(invalid(`${field}.maxUnavailable`, maxUnavailable, 'may not be 0 when `maxSurge` is 0'));
  }
  return [...causes, ...validateAtMostAll(maxUnavailable, `${field}.maxUnavailable`)];
}

function isZero(amount: Json): boolean {
  return typeof amount === 'string' ? parseInt(amount, 10) === 0 : amount === 0;
}
