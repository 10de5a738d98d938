import { isObject, own } from '../schema/json.js';
import type { Json, Schema } from '../schema/types.js';

/** The type of a scalar; `untyped` accepts any scalar. */
export type Scalar = 'string' | 'numeric' | 'boolean' | 'untyped';

/** A list: atomic, or owned item by item (by value or by keys). */
export interface ListType {
  relationship: 'atomic' | 'set' | 'map';
  keys: readonly string[];
  /** Returns the default of a key field, for items that omit it. */
  keyDefault: (key: string) => Json | undefined;
  element: () => Type;
}

/** A map or struct: atomic, or owned field by field. */
export interface MapType {
  atomic: boolean;
  /** The type of a declared field. */
  field: (name: string) => Type | undefined;
  /** Returns the type of every other key; undefined if other keys are not allowed. */
  element: () => Type | undefined;
}

/** The merge behavior of a value, with several alternatives if it depends on the value. */
export interface Type {
  scalar?: Scalar;
  list?: ListType;
  map?: MapType;
}

function anyType(atomic: boolean): Type {
  const self: Type = {
    scalar: 'untyped',
    list: { relationship: 'atomic', keys: [], keyDefault: () => undefined, element: () => atomicType },
    map: { atomic, field: () => undefined, element: () => self },
  };
  return self;
}
/** An undeclared value inside an atomic value. */
const atomicType = anyType(true);
/** An undeclared value: maps are owned key by key, lists as a whole. */
const deduced = anyType(false);

const text: Schema = { type: 'string' };
const texts: Schema = { type: 'object', additionalProperties: text };
const time: Schema = { type: 'string', format: 'date-time' };
const whole: Schema = { type: 'integer' };
/** Merge behavior of ObjectMeta (k8s.io/apimachinery meta/v1), the same for every kind. */
export const objectMetaName: Schema = {
  type: 'object',
  properties: {
    name: text,
    generateName: text,
    namespace: text,
    selfLink: text,
    uid: text,
    resourceVersion: text,
    generation: whole,
    creationTimestamp: time,
    deletionTimestamp: time,
    deletionGracePeriodSeconds: whole,
    labels: texts,
    annotations: texts,
    finalizers: {
      type: 'array',
      items: text,
      'x-kubernetes-list-type': 'set',
      'x-kubernetes-patch-strategy': 'merge',
    },
    ownerReferences: {
      type: 'array',
      items: { type: 'object', 'x-kubernetes-map-type': 'atomic' },
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['uid'],
      'x-kubernetes-patch-strategy': 'merge',
      'x-kubernetes-patch-merge-key': 'uid',
    },
    managedFields: { type: 'array', items: { type: 'object' }, 'x-kubernetes-list-type': 'atomic' },
  },
};
const resourceFields: Record<string, Schema> = { apiVersion: text, kind: text, metadata: objectMetaName };

const rootTypes = new WeakMap<Schema, Type>();

/** Returns the type of whole objects of a kind; without a schema everything is deduced from the values. */
export function objectType(schema: Schema | undefined): Type {
  if (schema === undefined) return deduced;
  let type = rootTypes.get(schema);
  if (type === undefined) {
    type = schemaType({ ...schema, type: 'object', 'x-kubernetes-embedded-resource': true }, false);
    rootTypes.set(schema, type);
  }
  return type;
}

/**
 * Returns the type of a schema. Preserving unknown fields extends to descendants. Source: k8s.io/kube-openapi
 * pkg/schemaconv.
 */
function schemaType(schema: Schema, inherited: boolean): Type {
  const preserve = inherited || schema['x-kubernetes-preserve-unknown-fields'] === true;
  if (schema['x-kubernetes-int-or-string'] === true) return { scalar: 'untyped' };
  switch (schema.type ?? (schema.properties && 'object')) {
    case 'object':
      return { map: mapType(schema, preserve) };
    case 'array':
      return { list: listType(schema, preserve) };
    case 'string':
      return { scalar: [undefined, '', 'byte'].includes(schema.format) ? 'string' : 'untyped' };
    case 'integer':
    case 'number':
      return { scalar: 'numeric' };
    case 'boolean':
      return { scalar: 'boolean' };
    default:
      return preserve ? deduced : atomicType;
  }
}

function mapType(schema: Schema, preserve: boolean): MapType {
  const declared: Record<string, Schema> = {
    ...schema.properties,
    ...(schema['x-kubernetes-embedded-resource'] === true ? resourceFields : {}),
  };
  const fields = new Map<string, Type>();
  const field = (name: string): Type | undefined => {
    const child = own(declared, name);
    if (child === undefined) return undefined;
    const type = fields.get(name) ?? schemaType(child, preserve);
    fields.set(name, type);
    return type;
  };
  const others = schema.additionalProperties;
  const element = (): Type | undefined => {
    if (typeof others === 'object') return schemaType(others, preserve);
    const free = others ?? (preserve || Object.keys(schema.properties ?? {}).length === 0);
    return free === true ? deduced : undefined;
  };
  return { atomic: schema['x-kubernetes-map-type'] === 'atomic', field, element: once(element) };
}

function listType(schema: Schema, preserve: boolean): ListType {
  const items = schema.items;
  return {
    ...listRelationship(schema),
    keyDefault: (key) => items?.properties?.[key]?.default as Json | undefined,
    element: once(() => (items === undefined ? deduced : schemaType(items, preserve))),
  };
}

function listRelationship(schema: Schema): Pick<ListType, 'relationship' | 'keys'> {
  const declared = schema['x-kubernetes-list-type'];
  if (declared === 'map') return { relationship: 'map', keys: schema['x-kubernetes-list-map-keys'] ?? [] };
  if (declared !== undefined) return { relationship: declared, keys: [] };
  if (schema['x-kubernetes-patch-strategy']?.split(',').includes('merge') !== true) {
    return { relationship: 'atomic', keys: [] };
  }
  const mergeKey = schema['x-kubernetes-patch-merge-key'];
  return mergeKey === undefined
    ? { relationship: 'set', keys: [] }
    : { relationship: 'map', keys: [mergeKey] };
}

function once<T>(make: () => T): () => T {
  let made: { value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}

/** Returns the type of a key of a map; the type of a key that the schema does not know is deduced. */
export function memberType(map: MapType, key: string): Type {
  return map.field(key) ?? map.element() ?? deduced;
}

/** One alternative of a type. */
export type Alternative =
  { kind: 'scalar'; scalar: Scalar } | { kind: 'list'; list: ListType } | { kind: 'map'; map: MapType };

/** Returns the alternative of `type` that fits the value; if none fits or the value is null or absent, the first. */
export function alternative(type: Type, value: Json | undefined): Alternative {
  const { scalar, list, map } = type;
  if (Array.isArray(value) && list) return { kind: 'list', list };
  if (isObject(value) && map) return { kind: 'map', map };
  if (value !== null && value !== undefined && typeof value !== 'object' && scalar)
    return { kind: 'scalar', scalar };
  if (map) return { kind: 'map', map };
  if (scalar) return { kind: 'scalar', scalar };
  if (list) return { kind: 'list', list };
  return { kind: 'scalar', scalar: 'untyped' };
}
