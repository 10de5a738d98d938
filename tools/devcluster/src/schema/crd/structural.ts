import { RE2JS } from 're2js';
import { forbidden, invalid, required } from '../field-error.js';
import { goJson, jsonEqual } from '../json.js';
import { at, child, key } from '../path.js';
import type { Cause, Schema } from '../types.js';

type Level = 'root' | 'item' | 'field';

const missingType: Readonly<Record<Level, string>> = {
  root: 'must not be empty at the root',
  item: 'must not be empty for specified array items',
  field: 'must not be empty for specified object fields',
};
const intOrString = [{ type: 'integer' }, { type: 'string' }];

/** Fields that are forbidden inside `allOf`, `anyOf`, `oneOf` and `not`, in the order in which they are reported. */
const forbiddenInJunctors: readonly (readonly [keyof Schema, string])[] = [
  ['type', 'must be empty to be structural'],
  ['additionalProperties', 'must be undefined to be structural'],
  ['default', 'must be undefined to be structural'],
  ['title', 'must be empty to be structural'],
  ['description', 'must be empty to be structural'],
  ['nullable', 'must be false to be structural'],
  ['x-kubernetes-preserve-unknown-fields', 'must be false to be structural'],
  ['x-kubernetes-embedded-resource', 'must be false to be structural'],
  ['x-kubernetes-int-or-string', 'must be false to be structural'],
  ['x-kubernetes-list-map-keys', 'must be empty to be structural'],
  ['x-kubernetes-list-type', 'must be undefined to be structural'],
  ['x-kubernetes-map-type', 'must be undefined to be structural'],
  ['x-kubernetes-validations', 'must be empty to be structural'],
];

/**
 * Checks that a schema is structural.
 *
 * @returns the causes, sorted by their text.
 * @see https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#specifying-a-structural-schema
 */
export function checkStructural(schema: Schema, path: string): Cause[] {
  const causes = [...checkNode(schema, 'root', path), ...checkJunctorsComplete(schema, schema, path, path)];
  const text = (cause: Cause): string => `${cause.field}: ${cause.message}`;
  return causes.sort((a, b) => (text(a) < text(b) ? -1 : 1));
}

function checkNode(schema: Schema, level: Level, path: string): Cause[] {
  const { items, additionalProperties, properties = {}, type } = schema;
  const causes: Cause[] = [];
  if (type === 'array' && items === undefined)
    causes.push(required(child(path, 'items'), 'must be specified'));
  if (items !== undefined) causes.push(...checkNode(items, 'item', child(path, 'items')));
  for (const [name, property] of Object.entries(properties)) {
    causes.push(...checkNode(property, 'field', key(child(path, 'properties'), name)));
  }
  if (additionalProperties !== undefined) {
    const below = child(path, 'additionalProperties');
    if (level === 'root') causes.push(forbidden(below, 'must not be used at the root'));
    if (typeof additionalProperties === 'object')
      causes.push(...checkNode(additionalProperties, 'field', below));
  }
  causes.push(...checkExtensions(schema, path));
  const anyOfIsIntOrString = jsonEqual(schema.anyOf, intOrString);
  const allOfIsIntOrString = jsonEqual(schema.allOf?.[0]?.anyOf, intOrString);
  causes.push(...checkJunctors(schema, path, anyOfIsIntOrString, allOfIsIntOrString));
  causes.push(...checkType(schema, level, path), ...checkMeta(schema, level, path));
  return causes;
}

function checkExtensions(schema: Schema, path: string): Cause[] {
  if (schema['x-kubernetes-int-or-string'] !== true) return [];
  return (['x-kubernetes-preserve-unknown-fields', 'x-kubernetes-embedded-resource'] as const)
    .filter((name) => schema[name] === true)
    .map((name) => invalid(child(path, name), true, 'must be false if x-kubernetes-int-or-string is true'));
}

function checkType(schema: Schema, level: Level, path: string): Cause[] {
  const { type } = schema;
  const field = child(path, 'type');
  if (schema['x-kubernetes-embedded-resource'] === true && type !== 'object') {
    const detail = 'must be object if x-kubernetes-embedded-resource is true';
    return [type === undefined ? required(field, detail) : invalid(field, type, detail)];
  }
  if (type !== undefined) {
    return level === 'root' && type !== 'object' ? [invalid(field, type, 'must be object at the root')] : [];
  }
  const isOpen =
    schema['x-kubernetes-int-or-string'] === true || schema['x-kubernetes-preserve-unknown-fields'] === true;
  return isOpen ? [] : [required(field, missingType[level])];
}

function checkMeta(schema: Schema, level: Level, path: string): Cause[] {
  const { properties = {} } = schema;
  const embedded = schema['x-kubernetes-embedded-resource'] === true;
  const causes: Cause[] = [];
  if (embedded && schema.additionalProperties !== undefined) {
    causes.push(
      forbidden(
        child(path, 'additionalProperties'),
        'must not be used if x-kubernetes-embedded-resource is set',
      ),
    );
  }
  if (
    embedded &&
    schema['x-kubernetes-preserve-unknown-fields'] !== true &&
    Object.keys(properties).length === 0
  ) {
    const detail =
      'must not be empty if x-kubernetes-embedded-resource is true without x-kubernetes-preserve-unknown-fields';
    causes.push(required(child(path, 'properties'), detail));
  }
  if (level !== 'root' && !embedded) return causes;
  for (const [name, type] of [
    ['kind', 'string'],
    ['apiVersion', 'string'],
    ['metadata', 'object'],
  ] as const) {
    const property = properties[name];
    if (property !== undefined && property.type !== type) {
      const field = child(key(child(path, 'properties'), name), 'type');
      causes.push(invalid(field, property.type ?? '', `must be ${type}`));
    }
  }
  if (
    level === 'root' &&
    properties['metadata'] !== undefined &&
    !restrictsNamesOnly(properties['metadata'])
  ) {
    const detail =
      'must not specify anything other than name and generateName, but metadata is implicitly specified';
    causes.push(forbidden(key(child(path, 'properties'), 'metadata'), detail));
  }
  return causes;
}

function restrictsNamesOnly({ type: _, default: __, properties = {}, ...rest }: Schema): boolean {
  const names = Object.keys(properties);
  return Object.keys(rest).length === 0 && names.every((name) => name === 'name' || name === 'generateName');
}

function checkJunctors(schema: Schema, path: string, skipAnyOf: boolean, skipFirstAllOf: boolean): Cause[] {
  const { anyOf = [], allOf = [], oneOf = [], not, pattern } = schema;
  const nested = (schemas: readonly Schema[], name: string, skipFirst = false): Cause[] =>
    schemas.flatMap((inner, i) => checkNested(inner, at(child(path, name), i), skipFirst && i === 0));
  return [
    ...(skipAnyOf ? [] : nested(anyOf, 'anyOf')),
    ...nested(allOf, 'allOf', skipFirstAllOf),
    ...nested(oneOf, 'oneOf'),
    ...(not === undefined ? [] : checkNested(not, child(path, 'not'), false)),
    ...checkPattern(pattern, child(path, 'pattern')),
  ];
}

function checkPattern(pattern: string | undefined, path: string): Cause[] {
  if (pattern === undefined || pattern === '') return [];
  try {
    RE2JS.compile(pattern);
    return [];
  } catch (error) {
    const reason =
      typeof error === 'object' && error !== null && 'message' in error ? String(error.message) : '';
    return [invalid(path, pattern, `must be a valid regular expression, but isn't: ${reason}`)];
  }
}

function checkNested(schema: Schema, path: string, skipAnyOf: boolean): Cause[] {
  const { items, properties = {} } = schema;
  const causes = checkJunctors(schema, path, skipAnyOf, false);
  if (items !== undefined) causes.push(...checkNested(items, child(path, 'items'), false));
  for (const [name, property] of Object.entries(properties)) {
    causes.push(...checkNested(property, key(child(path, 'properties'), name), false));
  }
  for (const [name, detail] of forbiddenInJunctors) {
    const value = schema[name];
    if (value !== undefined && value !== false && value !== '' && goJson(value) !== '[]') {
      causes.push(forbidden(child(path, name), detail));
    }
  }
  if (properties['metadata'] !== undefined) {
    const field = key(child(path, 'properties'), 'metadata');
    causes.push(forbidden(field, 'must not be specified in a nested context'));
  }
  return causes;
}

/** Checks that every field in a junctor of the root is also specified outside of it; junctors below are not checked. */
function checkJunctorsComplete(junctor: Schema, schema: Schema, path: string, from: string): Cause[] {
  const causes = (['allOf', 'anyOf', 'oneOf'] as const).flatMap((name) =>
    (junctor[name] ?? []).flatMap((nested, i) =>
      checkNestedComplete(nested, schema, path, at(child(from, name), i)),
    ),
  );
  return junctor.not === undefined
    ? causes
    : [...checkNestedComplete(junctor.not, schema, path, child(from, 'not')), ...causes];
}

function checkNestedComplete(
  nested: Schema,
  schema: Schema | undefined,
  path: string,
  from: string,
): Cause[] {
  if (schema === undefined) return [required(path, `because it is defined in ${from}`)];
  const { items, properties = {} } = nested;
  return [
    ...checkJunctorsComplete(nested, schema, path, from),
    ...(items === undefined
      ? []
      : checkNestedComplete(items, schema.items, child(path, 'items'), child(from, 'items'))),
    ...Object.entries(properties).flatMap(([name, property]) =>
      checkNestedComplete(
        property,
        schema.properties?.[name],
        key(child(path, 'properties'), name),
        key(child(from, 'properties'), name),
      ),
    ),
  ];
}
