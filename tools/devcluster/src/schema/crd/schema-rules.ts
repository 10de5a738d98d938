import { normalizeFieldPath } from '../cel/field-path.js';
import { forbidden, invalid, notSupported, required } from '../field-error.js';
import { at, child, key } from '../path.js';
import type { Cause, Schema, ValidationRule } from '../types.js';
import type { RuleAdmission } from './cel-rules.js';
import { checkListAndMapTypes } from './list-rules.js';
import { keyword } from './model.js';

const types = ['array', 'boolean', 'integer', 'number', 'object', 'string'];
const metaFields = new Set(['metadata', 'kind', 'apiVersion']);
const unsupported = ['id', 'additionalItems', 'patternProperties', 'definitions', 'dependencies', '$ref'];
const reasons = ['FieldValueDuplicate', 'FieldValueForbidden', 'FieldValueInvalid', 'FieldValueRequired'];

/** The position of a check in the schema. */
interface Place {
  path: string;
  isRoot: boolean;
  /** The reason why defaults are forbidden here, if any. */
  noDefaults?: string;
  insideMeta: boolean;
  /** The list in which old and new values cannot be matched, if the schema is inside one. */
  uncorrelatable?: string;
  /** Maximum number of values of the schema in one object; undefined when it is unbounded. */
  cardinality: number | undefined;
  /** Undefined inside junctors, and in schemas that are not structural. */
  rules: RuleAdmission | undefined;
}

/**
 * Checks the use of OpenAPI and of Kubernetes' extensions in a schema.
 *
 * @param rules checks the rules; undefined when the schema is not structural.
 * @returns the causes of the schema, then the causes of its rules.
 */
export function checkSchemaRules(schema: Schema, path: string, rules: RuleAdmission | undefined): Cause[] {
  const found: Found = { schema: [], rules: [] };
  visit(schema, { path, isRoot: true, insideMeta: false, cardinality: 1, rules }, found);
  return [...found.schema, ...found.rules];
}

interface Found {
  schema: Cause[];
  rules: Cause[];
}

function visit(schema: Schema, place: Place, found: Found): void {
  const own: Found = { schema: checkKeywords(schema, place), rules: [] };
  visitBelow(schema, place, own);
  own.schema.push(...checkListAndMapTypes(schema, place.path), ...checkRuleFields(schema, place.path));
  if (own.schema.length === 0 && place.rules !== undefined) {
    own.rules.push(...place.rules.check(schema, place.path, place.cardinality, place.uncorrelatable));
  }
  found.schema.push(...own.schema);
  found.rules.push(...own.rules);
}

function visitBelow(schema: Schema, place: Place, found: Found): void {
  const { path } = place;
  const { additionalProperties, properties = {}, items } = schema;
  if (typeof additionalProperties === 'object') {
    visit(
      additionalProperties,
      {
        ...place,
        ...(place.insideMeta
          ? { noDefaults: 'inside additionalProperties applying to object metadata' }
          : {}),
        isRoot: false,
        path: child(path, 'additionalProperties'),
        cardinality: times(place.cardinality, schema.maxProperties),
      },
      found,
    );
  }
  for (const [name, property] of Object.entries(properties)) {
    visit(property, placeOfProperty(schema, name, place), found);
  }
  const junctors: [string, Schema][] = schema.not === undefined ? [] : [[child(path, 'not'), schema.not]];
  for (const name of ['allOf', 'oneOf', 'anyOf'] as const) {
    junctors.push(
      ...(schema[name] ?? []).map((inner, i): [string, Schema] => [at(child(path, name), i), inner]),
    );
  }
  for (const [inner, nested] of junctors) {
    visit(nested, { ...place, isRoot: false, path: inner, rules: undefined }, found);
  }
  if (items === undefined || Array.isArray(items)) return;
  const matched = schema['x-kubernetes-list-type'] === 'map';
  visit(
    items,
    {
      ...(matched ? place : within(place)),
      isRoot: false,
      path: child(path, 'items'),
      cardinality: times(place.cardinality, schema.maxItems),
    },
    found,
  );
}

function placeOfProperty(schema: Schema, name: string, place: Place): Place {
  const isMeta = (place.isRoot || schema['x-kubernetes-embedded-resource'] === true) && metaFields.has(name);
  return {
    ...place,
    ...(isMeta && place.isRoot ? { noDefaults: `in top-level ${name}` } : {}),
    insideMeta: place.insideMeta || isMeta,
    isRoot: false,
    cardinality:
      schema.additionalProperties === undefined
        ? place.cardinality
        : times(place.cardinality, schema.maxProperties),
    path: key(child(place.path, 'properties'), name),
  };
}

function within(place: Place): Place {
  return { ...place, uncorrelatable: place.uncorrelatable ?? place.path };
}

function times(cardinality: number | undefined, limit: number | undefined): number | undefined {
  return cardinality === undefined || limit === undefined ? undefined : cardinality * Math.max(0, limit);
}

function checkKeywords(schema: Schema, { path, noDefaults, insideMeta }: Place): Cause[] {
  const type: string | undefined = schema.type;
  const causes: Cause[] = [];
  if (type !== undefined && !types.includes(type))
    causes.push(notSupported(child(path, 'type'), type, types));
  if (schema.default !== undefined && noDefaults !== undefined) {
    causes.push(forbidden(child(path, 'default'), `must not be set ${noDefaults}`));
  }
  for (const name of unsupported) {
    if (keyword(schema, name) !== undefined)
      causes.push(forbidden(child(path, name), `${name} is not supported`));
  }
  if (type === 'null') {
    causes.push(forbidden(child(path, 'type'), 'type cannot be set to null, use nullable as an alternative'));
  }
  if (Array.isArray(schema.items)) {
    causes.push(forbidden(child(path, 'items'), 'items must be a schema object and not an array'));
  }
  if (insideMeta && schema['x-kubernetes-embedded-resource'] === true) {
    causes.push(
      forbidden(child(path, 'x-kubernetes-embedded-resource'), 'must not be used inside of resource meta'),
    );
  }
  if (schema.uniqueItems === true) {
    const detail = 'uniqueItems cannot be set to true since the runtime complexity becomes quadratic';
    causes.push(forbidden(child(path, 'uniqueItems'), detail));
  }
  const { additionalProperties, properties = {} } = schema;
  if (
    additionalProperties !== undefined &&
    additionalProperties !== true &&
    Object.keys(properties).length > 0
  ) {
    const detail = 'additionalProperties and properties are mutual exclusive';
    causes.push(forbidden(child(path, 'additionalProperties'), detail));
  }
  if (schema['x-kubernetes-preserve-unknown-fields'] === false) {
    causes.push(
      invalid(child(path, 'x-kubernetes-preserve-unknown-fields'), false, 'must be true or undefined'),
    );
  }
  return causes;
}

function checkRuleFields(schema: Schema, path: string): Cause[] {
  const field = child(path, 'x-kubernetes-validations');
  return (schema['x-kubernetes-validations'] ?? []).flatMap((rule, i) =>
    checkRule(rule, schema, at(field, i)),
  );
}

function checkRule(rule: ValidationRule, schema: Schema, path: string): Cause[] {
  const { rule: source = '', message = '', messageExpression = '', fieldPath = '' } = rule;
  const reason: string | undefined = rule.reason;
  const causes: Cause[] = [];
  if (source.trim() === '') {
    causes.push(required(child(path, 'rule'), 'rule is not specified'));
  } else if (message !== '' && message.trim() === '') {
    causes.push(invalid(child(path, 'message'), message, 'must be non-empty if specified'));
  } else if (hasLineBreak(message.trim())) {
    causes.push(invalid(child(path, 'message'), message, 'must not contain line breaks'));
  } else if (hasLineBreak(source.trim()) && message.trim() === '') {
    causes.push(required(child(path, 'message'), 'message must be specified if rule contains line breaks'));
  }
  if (messageExpression !== '' && messageExpression.trim() === '') {
    causes.push(
      required(child(path, 'messageExpression'), 'messageExpression must be non-empty if specified'),
    );
  }
  if (reason !== undefined && !reasons.includes(reason)) {
    causes.push(notSupported(child(path, 'reason'), reason, reasons));
  }
  const pathField = child(path, 'fieldPath');
  if (fieldPath === '') return causes;
  if (fieldPath.trim() === '') causes.push(invalid(pathField, fieldPath, 'must be non-empty if specified'));
  if (hasLineBreak(fieldPath)) causes.push(invalid(pathField, fieldPath, 'must not contain line breaks'));
  if (normalizeFieldPath(fieldPath, schema) === undefined) {
    causes.push(invalid(pathField, fieldPath, 'must be a valid path'));
  }
  return causes;
}

function hasLineBreak(text: string): boolean {
  return /[\r\n]/.test(text);
}
