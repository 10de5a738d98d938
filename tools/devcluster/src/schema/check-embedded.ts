import { checkLabel1035, checkPathSegment, validateMetadata } from '../registry/names.js';
import { invalid, required } from './field-error.js';
import { isObject, own } from './json.js';
import { at, child, key } from './path.js';
import type { Cause, Json, JsonObject, Schema } from './types.js';

/**
 * Checks the type and the metadata of every embedded resource below a value. The root of a resource is not checked.
 * Source: apiextensions-apiserver pkg/apiserver/schema/objectmeta/validation.go.
 */
export function checkEmbeddedResources(value: Json, schema: Schema, path = ''): Cause[] {
  if (Array.isArray(value)) {
    const { items } = schema;
    return items === undefined
      ? []
      : value.flatMap((item, i) => checkEmbeddedResources(item, items, at(path, i)));
  }
  if (!isObject(value)) return [];
  const isEmbedded = path !== '' && schema['x-kubernetes-embedded-resource'] === true;
  const causes = isEmbedded ? checkResource(value, path) : [];
  const { additionalProperties, properties } = schema;
  for (const [name, field] of Object.entries(value)) {
    const property = own(properties, name);
    if (property !== undefined) causes.push(...checkEmbeddedResources(field, property, child(path, name)));
    else if (typeof additionalProperties === 'object') {
      causes.push(...checkEmbeddedResources(field, additionalProperties, key(path, name)));
    }
  }
  return causes;
}

function checkResource(resource: JsonObject, path: string): Cause[] {
  return [
    ...checkText(resource, 'apiVersion', path, checkGroupVersion),
    ...checkText(resource, 'kind', path, checkKind),
    ...checkMetadata(resource, path),
  ];
}

function checkText(
  resource: JsonObject,
  name: string,
  path: string,
  check: (text: string) => string | undefined,
): Cause[] {
  const field = child(path, name);
  const text = own(resource, name);
  if (text === undefined) return [required(field)];
  const problem = text === '' ? 'must not be empty' : check(String(text));
  return problem === undefined ? [] : [invalid(field, text, problem)];
}

function checkGroupVersion(text: string): string | undefined {
  return text.split('/').length > 2 ? `unexpected GroupVersion string: ${text}` : undefined;
}

function checkKind(text: string): string | undefined {
  const problem = checkLabel1035(text.toLowerCase());
  return problem && `may have mixed case, but should otherwise match: ${problem}`;
}

/**
 * Returns the causes of the metadata of an embedded resource, which does not need a name, and can be in a namespace or
 * not.
 */
function checkMetadata(resource: JsonObject, path: string): Cause[] {
  const metadata = own(resource, 'metadata');
  if (!isObject(metadata)) return [];
  const { name } = metadata;
  const object = {
    apiVersion: '',
    kind: '',
    metadata: { ...metadata, name: typeof name === 'string' && name !== '' ? name : 'unnamed' },
  };
  return validateMetadata(object, true, checkPathSegment).map((cause) => ({
    ...cause,
    field: child(path, cause.field),
  }));
}
