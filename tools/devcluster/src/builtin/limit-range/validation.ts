import { Quantity, resourceList } from '@interlock/api/quantities';
import { objectAt, objectsAt, textAt, type KubeObject } from '../../object.js';
import { ratioText } from '../../admission/limit-ranger/ratio.js';
import { checkQualifiedName } from '../../registry/names.js';
import { duplicate, forbidden, invalid, required } from '../../schema/field-error.js';
import type { Cause, JsonObject } from '../../schema/types.js';
import {
  isOvercommitAllowed,
  validateContainerResourceName,
  validateResourceName,
} from '../resource-names.js';

const types = ['Pod', 'Container', 'PersistentVolumeClaim'];

/** Checks a LimitRange. Source: Kubernetes pkg/apis/core/validation, ValidateLimitRange. */
export function validateLimitRange(limitRange: KubeObject): Cause[] {
  const seen = new Set<string>();
  return objectsAt(limitRange, 'spec', 'limits').flatMap((limit, index) => {
    const field = `spec.limits[${index}]`;
    const type = textAt(limit, 'type');
    const causes = validateType(type, `${field}.type`);
    if (seen.has(type)) causes.push(duplicate(`${field}.type`, type));
    seen.add(type);
    return [...causes, ...validateNames(limit, type, field), ...validateAmounts(limit, type, field)];
  });
}

function validateType(type: string, field: string): Cause[] {
  const wrong = checkQualifiedName(type);
  if (wrong !== undefined) return [invalid(field, type, wrong)];
  if (type.includes('/') || types.includes(type)) return [];
  return [invalid(field, type, 'must be a standard limit type or fully qualified')];
}

function validateNames(limit: JsonObject, type: string, field: string): Cause[] {
  const check = type === 'Pod' || type === 'Container' ? validateContainerResourceName : validateResourceName;
  const names = (part: string): Cause[] =>
    Object.keys(objectAt(limit, part)).flatMap((name) => check(name, `${field}.${part}[${name}]`));
  const defaults = ['default', 'defaultRequest'].flatMap((part) => {
    if (type !== 'Pod') return names(part);
    return part in limit ? [forbidden(`${field}.${part}`, "may not be specified when `type` is 'Pod'")] : [];
  });
  const { min, max } = { min: objectAt(limit, 'min'), max: objectAt(limit, 'max') };
  const lacksStorage =
    type === 'PersistentVolumeClaim' && !Object.hasOwn(min, 'storage') && !Object.hasOwn(max, 'storage');
  return [
    ...names('max'),
    ...names('min'),
    ...defaults,
    ...(lacksStorage
      ? [
          required(
            `${field}.limits`,
            'either minimum or maximum storage value is required, but neither was provided',
          ),
        ]
      : []),
    ...names('maxLimitRequestRatio'),
  ];
}

interface Amounts {
  min: Quantity | undefined;
  max: Quantity | undefined;
  preset: Quantity | undefined;
  presetRequest: Quantity | undefined;
  ratio: Quantity | undefined;
}

function validateAmounts(limit: JsonObject, type: string, field: string): Cause[] {
  const parts = [
    'max',
    'min',
    'maxLimitRequestRatio',
    ...(type === 'Pod' ? [] : ['default', 'defaultRequest']),
  ];
  const lists = Object.fromEntries(parts.map((part) => [part, resourceList(limit[part])]));
  const names = [...new Set(Object.values(lists).flatMap((list) => [...list.keys()]))].sort();
  return names.flatMap((name) => {
    const amounts: Amounts = {
      min: lists['min']?.get(name),
      max: lists['max']?.get(name),
      preset: lists['default']?.get(name),
      presetRequest: lists['defaultRequest']?.get(name),
      ratio: lists['maxLimitRequestRatio']?.get(name),
    };
    return [
      ...validateOrder(amounts, name, field),
      ...validateRatio(amounts, `${field}.maxLimitRequestRatio[${name}]`),
      ...validateOvercommit(amounts, name, field),
    ];
  });
}

/** Checks that min ≤ defaultRequest ≤ default ≤ max. */
function validateOrder(amounts: Amounts, name: string, field: string): Cause[] {
  const { min, max, preset, presetRequest } = amounts;
  const request = 'default request value';
  const rules: [Quantity | undefined, string, Quantity | undefined, string, string, Quantity | undefined][] =
    [
      [min, 'min value', max, 'max value', 'min', min],
      [min, 'min value', presetRequest, request, 'defaultRequest', presetRequest],
      [presetRequest, request, max, 'max value', 'defaultRequest', presetRequest],
      [presetRequest, request, preset, 'default limit value', 'defaultRequest', presetRequest],
      [min, 'min value', preset, 'default value', 'default', min],
      [preset, 'default value', max, 'max value', 'default', max],
    ];
  return rules.flatMap(([less, lessName, more, moreName, part, shown]) => {
    if (less === undefined || more === undefined || less.compareTo(more) <= 0n) return [];
    const why = `${lessName} ${less.toString()} is greater than ${moreName} ${more.toString()}`;
    return [invalid(`${field}.${part}[${name}]`, shown?.toString(), why)];
  });
}

function validateRatio({ min, max, ratio }: Amounts, field: string): Cause[] {
  if (ratio === undefined) return [];
  const text = ratio.toString();
  const causes: Cause[] = [];
  if (ratio.compareTo(Quantity.of(1)) < 0n) causes.push(invalid(field, text, `ratio ${text} is less than 1`));
  if (min !== undefined && max !== undefined && !min.isZero && max.isLessThanProduct(min, ratio)) {
    causes.push(invalid(field, text, `ratio ${text} is greater than max/min = ${ratioText(max, min)}`));
  }
  return causes;
}

function validateOvercommit({ preset, presetRequest }: Amounts, name: string, field: string): Cause[] {
  if (isOvercommitAllowed(name) || preset === undefined || presetRequest === undefined) return [];
  if (preset.compareTo(presetRequest) === 0n) return [];
  const why = `default value ${preset.toString()} must equal to defaultRequest value ${presetRequest.toString()} in ${name}`;
  return [invalid(`${field}.defaultRequest[${name}]`, presetRequest.toString(), why)];
}
