import { quantityNumber } from '@interlock/api/quantities';
import { objectAt, objectsAt, textAt, valueAt, type KubeObject } from '../../object.js';
import { checkLabel, checkPathSegment } from '../../registry/names.js';
import { forbidden, invalid, notSupported, required } from '../../schema/field-error.js';
import { isObject } from '../../schema/json.js';
import type { Cause, Json, JsonObject } from '../../schema/types.js';
import { metricFields } from './schema.js';
import { nonNegative } from '../workload.js';

const maxPeriodSeconds = 1800;
const maxWindowSeconds = 3600;
const selectPolicies = ['Disabled', 'Max', 'Min'];
const policyTypes = ['Percent', 'Pods'];

const sourceFields = ['object', 'external', 'pods', 'resource', 'containerResource'];

/** Returns the problems with a HorizontalPodAutoscaler. Source: pkg/apis/autoscaling/validation. */
export function validateAutoscaler(o: KubeObject): Cause[] {
  const { minReplicas, maxReplicas = 0, ...spec } = objectAt(o, 'spec');
  const [min, max] = [minReplicas, maxReplicas].map(Number) as [number, number];
  return [
    ...(minReplicas !== undefined && min < 1
      ? [invalid('spec.minReplicas', min, 'must be greater than or equal to 1')]
      : []),
    ...(max < 1 ? [invalid('spec.maxReplicas', max, 'must be greater than 0')] : []),
    ...(minReplicas !== undefined && max < min
      ? [invalid('spec.maxReplicas', max, 'must be greater than or equal to `minReplicas`')]
      : []),
    ...validateReference(objectAt(spec, 'scaleTargetRef'), 'spec.scaleTargetRef'),
    ...objectsAt(spec, 'metrics').flatMap((metric, index) =>
      validateMetric(metric, `spec.metrics[${String(index)}]`),
    ),
    ...['scaleUp', 'scaleDown'].flatMap((direction) =>
      validateRules(valueAt(spec, 'behavior', direction), `spec.behavior.${direction}`),
    ),
    ...nonNegative(objectAt(o, 'status'), 'status', ['currentReplicas', 'desiredReplicas']),
  ];
}

function validateReference(reference: JsonObject, path: string): Cause[] {
  return ['kind', 'name'].flatMap((field) => validateSegment(textAt(reference, field), `${path}.${field}`));
}

function validateSegment(text: string, field: string, detail = ''): Cause[] {
  if (text === '') return [required(field, detail)];
  const wrong = checkPathSegment(text);
  return wrong === undefined ? [] : [invalid(field, text, wrong)];
}

function validateRules(rules: Json | undefined, path: string): Cause[] {
  if (!isObject(rules)) return [];
  const { stabilizationWindowSeconds: window, selectPolicy } = rules;
  const causes: Cause[] = [];
  const field = `${path}.stabilizationWindowSeconds`;
  if (typeof window === 'number' && window < 0) {
    causes.push(invalid(field, window, 'must be greater than or equal to zero'));
  }
  if (typeof window === 'number' && window > maxWindowSeconds) {
    causes.push(invalid(field, window, `must be less than or equal to ${String(maxWindowSeconds)}`));
  }
  if (typeof selectPolicy === 'string' && !selectPolicies.includes(selectPolicy)) {
    causes.push(notSupported(`${path}.selectPolicy`, selectPolicy, selectPolicies));
  }
  const policies = objectsAt(rules, 'policies');
  if (policies.length === 0) causes.push(required(`${path}.policies`, 'must specify at least one Policy'));
  return [
    ...causes,
    ...policies.flatMap((policy, index) => validatePolicy(policy, `${path}.policies[${String(index)}]`)),
  ];
}

function validatePolicy({ type, value, periodSeconds }: JsonObject, path: string): Cause[] {
  const [amount, period] = [value ?? 0, periodSeconds ?? 0].map(Number) as [number, number];
  return [
    ...(typeof type === 'string' && policyTypes.includes(type)
      ? []
      : [notSupported(`${path}.type`, type ?? '', policyTypes)]),
    ...(amount <= 0 ? [invalid(`${path}.value`, amount, 'must be greater than zero')] : []),
    ...(period <= 0 ? [invalid(`${path}.periodSeconds`, period, 'must be greater than zero')] : []),
    ...(period > maxPeriodSeconds
      ? [
          invalid(
            `${path}.periodSeconds`,
            period,
            `must be less than or equal to ${String(maxPeriodSeconds)}`,
          ),
        ]
      : []),
  ];
}

function validateMetric(metric: JsonObject, path: string): Cause[] {
  const type = textAt(metric, 'type');
  const expected = metricFields[type];
  const unsupported = notSupported(`${path}.type`, type, Object.keys(metricFields));
  const present = sourceFields.filter((field) => isObject(metric[field]));
  const [first] = present;
  return [
    ...(type === '' ? [required(`${path}.type`, 'must specify a metric source type')] : []),
    ...(expected === undefined ? [unsupported] : []),
    ...(first === undefined ? [] : validateSource(objectAt(metric, first), first, `${path}.${first}`)),
    ...(expected === undefined ? [unsupported] : []),
    ...(expected !== undefined && !present.includes(expected)
      ? [required(`${path}.${expected}`, 'must populate information for the given metric source')]
      : []),
    ...(present.length === 1 ? [] : present)
      .filter((field) => field !== expected)
      .map((field) => forbidden(`${path}.${field}`, 'must populate the given metric source only')),
  ];
}

function validateSource(source: JsonObject, kind: string, path: string): Cause[] {
  const target = objectAt(source, 'target');
  const missing = (field: string, detail: string): Cause[] => [required(`${path}.target.${field}`, detail)];
  const head = validateTarget(target, `${path}.target`);
  const metric = (): Cause[] =>
    validateSegment(textAt(source, 'metric', 'name'), `${path}.metric.name`, 'must specify a metric name');
  const has = (field: string): boolean => target[field] !== undefined;
  switch (kind) {
    case 'object':
      return [
        ...validateReference(objectAt(source, 'describedObject'), `${path}.describedObject`),
        ...metric(),
        ...head,
        ...(has('value') || has('averageValue')
          ? []
          : missing('averageValue', 'must set either a target value or averageValue')),
      ];
    case 'external':
      return [
        ...metric(),
        ...head,
        ...(has('value') || has('averageValue')
          ? []
          : missing('averageValue', 'must set either a target value for metric or a per-pod target')),
        ...(has('value') && has('averageValue')
          ? [
              forbidden(
                `${path}.target.value`,
                'may not set both a target value for metric and a per-pod target',
              ),
            ]
          : []),
      ];
    case 'pods':
      return [
        ...metric(),
        ...head,
        ...(has('averageValue')
          ? []
          : missing('averageValue', 'must specify a positive target averageValue')),
      ];
    default:
      return [...validateResourceName(source, kind, path), ...head, ...validateUtilization(target, path)];
  }
}

function validateResourceName(source: JsonObject, kind: string, path: string): Cause[] {
  const container = textAt(source, 'container');
  const wrong = checkLabel(container);
  return [
    ...(textAt(source, 'name') === '' ? [required(`${path}.name`, 'must specify a resource name')] : []),
    ...(kind !== 'containerResource'
      ? []
      : container === ''
        ? [required(`${path}.container`, 'must specify a container')]
        : wrong === undefined
          ? []
          : [invalid(`${path}.container`, container, wrong)]),
  ];
}

function validateUtilization({ averageUtilization, averageValue }: JsonObject, path: string): Cause[] {
  if (averageUtilization === undefined && averageValue === undefined) {
    const detail = 'must set either a target raw value or a target utilization';
    return [required(`${path}.target.averageUtilization`, detail)];
  }
  if (averageUtilization === undefined || averageValue === undefined) return [];
  return [
    forbidden(`${path}.target.averageValue`, 'may not set both a target raw value and a target utilization'),
  ];
}

function validateTarget(
  { type = '', value, averageValue, averageUtilization }: JsonObject,
  path: string,
): Cause[] {
  const isKnown = typeof type === 'string' && ['Utilization', 'Value', 'AverageValue'].includes(type);
  const positive = (field: string, quantity: Json | undefined): Cause[] =>
    quantity === undefined || quantityNumber(quantity) > 0
      ? []
      : [invalid(`${path}.${field}`, quantity, 'must be positive')];
  return [
    ...(type === '' ? [required(`${path}.type`, 'must specify a metric target type')] : []),
    ...(isKnown ? [] : [invalid(`${path}.type`, type, 'must be either Utilization, Value, or AverageValue')]),
    ...positive('value', value),
    ...positive('averageValue', averageValue),
    ...(typeof averageUtilization === 'number' && averageUtilization < 1
      ? [invalid(`${path}.averageUtilization`, averageUtilization, 'must be greater than 0')]
      : []),
  ];
}
