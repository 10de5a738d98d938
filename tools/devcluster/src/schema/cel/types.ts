import { escapeName } from './names.js';
import type { Schema } from '../types.js';

/** The value of an object in a rule: its fields by their escaped names, and the JSON value from which it was made. */
export class Struct extends Map<string, unknown> {
  constructor(
    fields: Iterable<readonly [string, unknown]>,
    readonly source: unknown,
    readonly schema: Schema,
  ) {
    super(fields);
  }
}

/** The constructor of the values of one object type; the engine distinguishes types by their constructors. */
type StructConstructor = new (
  fields: Iterable<readonly [string, unknown]>,
  source: unknown,
  schema: Schema,
) => Struct;

/** The type of the objects that one schema describes. */
export interface StructType {
  name: string;
  construct: StructConstructor;
  /** Escaped field name → property name, schema and type. */
  fields: ReadonlyMap<string, { property: string; schema: Schema; type: string }>;
}

const typeMeta: Record<string, Schema> = {
  apiVersion: { type: 'string' },
  kind: { type: 'string' },
  metadata: { type: 'object', properties: { name: { type: 'string' }, generateName: { type: 'string' } } },
};

/** The CEL types of a schema and of everything below it. */
export class CelTypes {
  readonly #structs = new Map<Schema, StructType>();
  readonly #typeNames = new Map<Schema, string | undefined>();

  /** @param isResource whether `root` describes a resource: its rules also see `apiVersion`, `kind` and the name in `metadata`. */
  constructor(
    readonly root: Schema,
    readonly isResource = true,
  ) {
    this.typeOf(root);
  }

  get structs(): readonly StructType[] {
    return [...this.#structs.values()];
  }

  structOf(schema: Schema): StructType | undefined {
    return this.#structs.get(schema);
  }

  /**
   * Returns the name of the type of a schema's values; undefined when rules cannot see them, as their type is not
   * known.
   */
  typeOf(schema: Schema): string | undefined {
    if (!this.#typeNames.has(schema)) this.#typeNames.set(schema, this.#declare(schema));
    return this.#typeNames.get(schema);
  }

  #declare(schema: Schema): string | undefined {
    if (schema['x-kubernetes-int-or-string'] === true) return 'dyn';
    switch (schema.type) {
      case 'array': {
        const items = schema.items === undefined ? undefined : this.typeOf(schema.items);
        return items === undefined ? undefined : `list<${items}>`;
      }
      case 'object':
        return this.#declareObject(schema);
      case 'string':
        return stringType(schema.format);
      case 'boolean':
        return 'bool';
      case 'number':
        return 'double';
      case 'integer':
        return 'int';
      default:
        return undefined;
    }
  }

  #declareObject(schema: Schema): string | undefined {
    if (typeof schema.additionalProperties === 'object') {
      const values = this.typeOf(schema.additionalProperties);
      return values === undefined ? undefined : `map<string, ${values}>`;
    }
    const fields = new Map<string, { property: string; schema: Schema; type: string }>();
    for (const [property, below] of Object.entries(this.#propertiesOf(schema))) {
      const escaped = escapeName(property);
      const type = this.typeOf(below);
      if (escaped !== undefined && type !== undefined) fields.set(escaped, { property, schema: below, type });
    }
    const name = `object.o${this.#structs.size}`;
    this.#structs.set(schema, { name, fields, construct: class extends Struct {} });
    return name;
  }

  /** Returns the properties that rules see: the properties of resources always include their type and name. */
  #propertiesOf(schema: Schema): Record<string, Schema> {
    const { properties = {} } = schema;
    const isResource =
      (this.isResource && schema === this.root) || schema['x-kubernetes-embedded-resource'] === true;
    return isResource ? { ...properties, ...typeMeta } : properties;
  }
}

function stringType(format: string | undefined): string {
  switch (format) {
    case 'byte':
      return 'bytes';
    case 'duration':
      return 'google.protobuf.Duration';
    case 'date':
    case 'date-time':
      return 'google.protobuf.Timestamp';
    default:
      return 'string';
  }
}
