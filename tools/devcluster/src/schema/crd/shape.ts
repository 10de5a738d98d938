import { checkValue } from '../check-value.js';
import { anyObject, anyValue, boolean, double, int64, list, map, object, string } from '../dsl.js';
import { isObject } from '../json.js';
import { JsonMemo } from '../json-memo.js';
import { at, child, key } from '../path.js';
import type { Cause, Json, JsonObject, Schema } from '../types.js';

const strings = list(string());
const definition = object({
  metadata: object({ name: string(), annotations: map(string()) }),
  spec: object({
    group: string(),
    scope: string(),
    preserveUnknownFields: boolean(),
    names: object({
      plural: string(),
      singular: string(),
      kind: string(),
      listKind: string(),
      shortNames: strings,
      categories: strings,
    }),
    versions: list(
      object({
        name: string(),
        served: boolean(),
        storage: boolean(),
        deprecated: boolean(),
        deprecationWarning: string(),
        schema: object({ openAPIV3Schema: anyObject() }),
        subresources: object({
          status: anyObject(),
          scale: object({
            specReplicasPath: string(),
            statusReplicasPath: string(),
            labelSelectorPath: string(),
          }),
        }),
        additionalPrinterColumns: list(
          object({ name: string(), type: string(), format: string(), jsonPath: string(), priority: int64() }),
        ),
        selectableFields: list(object({ jsonPath: string() })),
      }),
    ),
    conversion: object({
      strategy: string(),
      webhook: object({
        clientConfig: object({
          url: string(),
          service: object({ name: string(), namespace: string(), path: string(), port: int64() }),
        }),
        conversionReviewVersions: strings,
      }),
    }),
  }),
  status: object({
    storedVersions: strings,
    conditions: list(object({ type: string(), status: string() })),
  }),
});

/** The properties of a schema itself; nested schemas are checked separately. */
const schemaNode = object({
  type: string(),
  format: string(),
  title: string(),
  description: string(),
  properties: map(anyObject()),
  required: strings,
  enum: list(anyValue()),
  nullable: boolean(),
  pattern: string(),
  minLength: int64(),
  maxLength: int64(),
  minimum: double(),
  maximum: double(),
  exclusiveMinimum: boolean(),
  exclusiveMaximum: boolean(),
  multipleOf: double(),
  minItems: int64(),
  maxItems: int64(),
  uniqueItems: boolean(),
  minProperties: int64(),
  maxProperties: int64(),
  allOf: list(anyObject()),
  anyOf: list(anyObject()),
  oneOf: list(anyObject()),
  not: anyObject(),
  'x-kubernetes-preserve-unknown-fields': boolean(),
  'x-kubernetes-int-or-string': boolean(),
  'x-kubernetes-embedded-resource': boolean(),
  'x-kubernetes-list-type': string(),
  'x-kubernetes-list-map-keys': strings,
  'x-kubernetes-map-type': string(),
  'x-kubernetes-validations': list(
    object({
      rule: string(),
      message: string(),
      messageExpression: string(),
      reason: string(),
      fieldPath: string(),
      optionalOldSelf: boolean(),
    }),
  ),
});

const knownCauses = new JsonMemo<readonly Cause[]>();

/**
 * Checks that every value in a CustomResourceDefinition has the right JSON type, so that the other checks can rely on it. The API server
 * refuses such an object when it decodes it.
 */
export function checkShape(crd: JsonObject): Cause[] {
  const causes = checkValue(crd, definition, '').causes;
  if (causes.length > 0) return causes;
  const spec = isObject(crd['spec']) ? crd['spec'] : {};
  const versions = Array.isArray(spec['versions']) ? spec['versions'] : [];
  return versions.flatMap((version, index) => {
    const validation = isObject(version) ? version['schema'] : undefined;
    const schema = isObject(validation) ? validation['openAPIV3Schema'] : undefined;
    if (schema === undefined) return [];
    const path = `${at('spec.versions', index)}.schema.openAPIV3Schema`;
    return knownCauses.of([schema, path], () => checkSchema(schema, path));
  });
}

function checkSchema(value: Json, path: string): Cause[] {
  const { causes } = checkValue(value, schemaNode, path);
  return causes.length > 0 || !isObject(value)
    ? causes
    : schemasBelow(value, path).flatMap(([below, schema]) => checkSchema(schema, below));
}

function schemasBelow(schema: JsonObject, path: string): [string, Json][] {
  const { properties, items, additionalProperties, not } = schema;
  const below: [string, Json][] = [];
  if (isObject(properties)) {
    for (const [name, property] of Object.entries(properties))
      below.push([key(child(path, 'properties'), name), property]);
  }
  if (items !== undefined && !Array.isArray(items)) below.push([child(path, 'items'), items]);
  if (additionalProperties !== undefined && typeof additionalProperties !== 'boolean') {
    below.push([child(path, 'additionalProperties'), additionalProperties]);
  }
  if (not !== undefined) below.push([child(path, 'not'), not]);
  for (const name of ['allOf', 'anyOf', 'oneOf'] satisfies (keyof Schema)[]) {
    const schemas = schema[name];
    if (Array.isArray(schemas))
      schemas.forEach((item, index) => below.push([at(child(path, name), index), item]));
  }
  return below;
}
