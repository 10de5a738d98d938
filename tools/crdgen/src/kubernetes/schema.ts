import type { EmbeddedType } from '@interlock/api';
import type { StructuralSchema } from '../structural.js';
import {
  atomicMaps,
  keyDefaults,
  listKeys,
  omitted,
  quantities,
  setLists,
  templateMetadata,
} from './facts.js';
import { modelFields, type ModelField } from './models.js';

const intOrString: StructuralSchema = { 'x-kubernetes-int-or-string': true };
/** Source: k8s.io/apimachinery/pkg/api/resource, the serialization format of a Quantity. */
const quantity: StructuralSchema = {
  ...intOrString,
  pattern: '^[+-]?([0-9]+([.][0-9]*)?|[.][0-9]+)([KMGTPE]i|[numkMGTPE]|[eE][+-]?[0-9]+)?$',
};
const textMap = '{ [key: string]: string; }';

/** Returns the structural schema of a Kubernetes type, without descriptions. */
export function kubernetesSchema(type: EmbeddedType): StructuralSchema {
  return modelSchema(`V1${type}`);
}

function modelSchema(model: string): StructuralSchema {
  if (model === 'V1ObjectMeta') return templateMetadata;
  const fields = modelFields(model).filter(({ name }) => !omitted.has(`${model}.${name}`));
  const required = fields.filter((field) => field.required).map(({ name }) => name);
  return {
    type: 'object',
    properties: Object.fromEntries(fields.map((field) => [field.name, fieldSchema(model, field)])),
    ...(required.length > 0 && { required }),
    ...(atomicMaps.has(model) && { 'x-kubernetes-map-type': 'atomic' }),
  };
}

function fieldSchema(model: string, field: ModelField): StructuralSchema {
  const path = `${model}.${field.name}`;
  const fallback = keyDefaults[path];
  return { ...typeSchema(path, field), ...(fallback !== undefined && { default: fallback }) };
}

function typeSchema(path: string, { type, format }: ModelField): StructuralSchema {
  const items = /^Array<(\w+)>$/.exec(type)?.[1];
  if (items !== undefined) {
    return { type: 'array', items: typeSchema(path, asField(items, format)), ...listType(path) };
  }
  if (type === textMap) {
    const additionalProperties = quantities.has(path) ? quantity : { type: 'string' };
    const isAtomic = atomicMaps.has(path);
    return { type: 'object', additionalProperties, ...(isAtomic && { 'x-kubernetes-map-type': 'atomic' }) };
  }
  if (quantities.has(path)) return quantity;
  return scalarSchema(type, format) ?? modelSchema(type);
}

function asField(type: string, format: string): ModelField {
  return { name: '', type, format, required: false };
}

function scalarSchema(type: string, format: string): StructuralSchema | undefined {
  switch (type) {
    case 'string':
    case 'boolean':
      return { type };
    case 'number':
      return { type: 'integer', ...(format !== '' && { format }) };
    case 'IntOrString':
      return intOrString;
    default:
      return undefined;
  }
}

function listType(path: string): StructuralSchema {
  const keys = listKeys[path];
  if (keys !== undefined) return { 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': keys };
  return { 'x-kubernetes-list-type': setLists.has(path) ? 'set' : 'atomic' };
}
