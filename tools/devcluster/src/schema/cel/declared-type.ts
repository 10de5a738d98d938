import type { Schema } from '../types.js';
import {
  boolType,
  bytesType,
  doubleType,
  durationType,
  dynType,
  intType,
  listOf,
  mapOf,
  stringType,
  structType,
  timestampType,
} from './check/type.js';
import type { CelType } from './check/type.js';
import { escapeName } from './names.js';

/** The bytes of the largest request that the API server reads; it bounds every size that a schema does not limit. */
export const maxRequestBytes = 3 * 1024 * 1024;

const bytesPerCharacter = 4;

/**
 * What rules know about the values of a schema, as k8s.io/apiserver derives it (pkg/cel/common/schemas.go): their type,
 * and the sizes from which costs are estimated.
 */
export interface DeclaredType {
  readonly schema: Schema;
  /** The largest number of elements: bytes of a string, items of a list, entries of a map; 0 for anything else. */
  readonly maxElements: number;
  /** The fewest bytes that a value takes in a JSON request. */
  readonly minBytes: number;
  /** The items of a list or the values of a map. */
  readonly elements?: DeclaredType | undefined;
  /** The keys of a map. */
  readonly keys?: DeclaredType | undefined;
  /** The fields of an object by their escaped names. */
  readonly fields?: ReadonlyMap<string, DeclaredType> | undefined;
  /** Returns the CEL type; objects are named by their path below `name`. */
  typeNamed(name: string): CelType;
}

const typeMeta: Record<string, Schema> = {
  apiVersion: { type: 'string' },
  kind: { type: 'string' },
  metadata: { type: 'object', properties: { name: { type: 'string' }, generateName: { type: 'string' } } },
};

/** Derives and caches what rules know about schemas. */
export class DeclaredTypes {
  readonly #known = new Map<Schema, DeclaredType | undefined>();

  /**
   * Returns what rules know of a schema; undefined when they cannot see its values, as their type is not known.
   *
   * @param isResource whether the schema describes a whole resource, whose type and name rules always see.
   */
  of(
    schema: Schema,
    isResource = schema['x-kubernetes-embedded-resource'] === true,
  ): DeclaredType | undefined {
    if (!this.#known.has(schema)) this.#known.set(schema, this.#declare(schema, isResource));
    return this.#known.get(schema);
  }

  #declare(schema: Schema, isResource: boolean): DeclaredType | undefined {
    if (schema['x-kubernetes-int-or-string'] === true) {
      const { maxLength } = schema;
      const maxElements = maxLength === undefined ? maxRequestBytes - 2 : maxLength * bytesPerCharacter;
      return scalar(schema, dynType, 1, maxElements);
    }
    switch (schema.type) {
      case 'array':
        return this.#list(schema);
      case 'object':
        return typeof schema.additionalProperties === 'object'
          ? this.#map(schema, schema.additionalProperties)
          : this.#object(schema, isResource);
      case 'string':
        return stringOf(schema);
      case 'boolean':
        return scalar(schema, boolType, 4);
      case 'number':
        return scalar(schema, doubleType, 1);
      case 'integer':
        return scalar(schema, intType, 1);
      default:
        return undefined;
    }
  }

  #list(schema: Schema): DeclaredType | undefined {
    const elements = schema.items === undefined ? undefined : this.of(schema.items);
    if (elements === undefined) return undefined;
    const { maxItems } = schema;
    return {
      schema,
      elements,
      minBytes: 2,
      maxElements: maxItems ?? Math.floor((maxRequestBytes - 2) / (elements.minBytes + 1)),
      typeNamed: (name) => listOf(elements.typeNamed(`${name}.@idx`)),
    };
  }

  #map(schema: Schema, values: Schema): DeclaredType | undefined {
    const elements = this.of(values);
    if (elements === undefined) return undefined;
    const { maxProperties } = schema;
    return {
      schema,
      elements,
      keys: scalar({ type: 'string' }, stringType, 2),
      minBytes: 2,
      maxElements: maxProperties ?? Math.floor((maxRequestBytes - 2) / (elements.minBytes + 6)),
      typeNamed: (name) => mapOf(stringType, elements.typeNamed(`${name}.@elem`)),
    };
  }

  #object(schema: Schema, isResource: boolean): DeclaredType {
    const { properties = {}, required = [] } = schema;
    const fields = new Map<string, DeclaredType>();
    let minBytes = 2;
    for (const [name, property] of Object.entries(isResource ? { ...properties, ...typeMeta } : properties)) {
      const field = this.of(property);
      if (field === undefined) continue;
      const escaped = escapeName(name);
      if (escaped !== undefined) fields.set(escaped, field);
      if (required.includes(name) && property.default === undefined) {
        minBytes += Buffer.byteLength(name) + field.minBytes + 4;
      }
    }
    return {
      schema,
      fields,
      minBytes,
      maxElements: 0,
      typeNamed: (name) => structType(name, (field) => fields.get(field)?.typeNamed(`${name}.${field}`)),
    };
  }
}

function scalar(schema: Schema, type: CelType, minBytes: number, maxElements = 0): DeclaredType {
  return { schema, minBytes, maxElements, typeNamed: () => type };
}

function stringOf(schema: Schema): DeclaredType {
  const { maxLength } = schema;
  switch (schema.format) {
    case 'byte':
      return scalar(schema, bytesType, 2, maxLength ?? maxRequestBytes - 2);
    case 'duration':
      return scalar(schema, durationType, 3, 32);
    case 'date':
      return scalar(schema, timestampType, 12, 12);
    case 'date-time':
      return scalar(schema, timestampType, 21, 32);
    default:
      break;
  }
  if (maxLength !== undefined) return scalar(schema, stringType, 2, maxLength * bytesPerCharacter);
  const values = schema.enum ?? [];
  if (values.length === 0) return scalar(schema, stringType, 2, maxRequestBytes - 2);
  const lengths = values.map((value) => (typeof value === 'string' ? Buffer.byteLength(value) : 0));
  return scalar(schema, stringType, 2, Math.max(...lengths));
}
