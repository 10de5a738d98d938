import { parse as parseYaml } from 'yaml';
import { goDecode, DecodeError } from '../registry/go-decode.js';
import { objectMetaName } from '../registry/object-meta.js';
import { apiVersionOf, type Resource } from '../registry/resource.js';
import { invalid as invalidValue } from '../schema/field-error.js';
import { isObject } from '../schema/json.js';
import { prune } from '../schema/prune.js';
import type { Json, JsonObject } from '../schema/types.js';
import type { KubeObject, ObjectMeta } from '../object.js';
import { badRequest, invalid, unsupportedMediaType, type ApiError } from './api-error.js';
import type { RepeatedField } from './repeated-fields.js';

export type FieldValidation = 'Ignore' | 'Warn' | 'Strict';

const jsonType = 'application/json';
const yamlType = 'application/yaml';

/** Parses a body of the given media type. Throws a 400 or 415. */
export function parseBody(text: string, mediaType: string, expectedKind: string): Json {
  if (mediaType === '' || mediaType === jsonType) return parseJson(text, expectedKind);
  if (mediaType !== yamlType && mediaType !== 'application/apply-patch+yaml') {
    throw unsupportedMediaType([jsonType, yamlType, 'application/vnd.kubernetes.protobuf']);
  }
  return parseYamlBody(text);
}

function parseJson(text: string, expectedKind: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch {
    throw badRequest(
      `the object provided is unrecognized (must be of type ${expectedKind}): couldn't get version/kind; json parse error: ${goJsonError(text)} (${text.slice(0, 100)})`,
    );
  }
}

/** Returns the text of Go's syntax error, if it can be determined. */
function goJsonError(text: string): string {
  const first = text.trimStart().charAt(0);
  if (first !== '' && !'{["-0123456789tfn'.includes(first)) {
    return `invalid character '${first}' looking for beginning of value`;
  }
  return 'unexpected end of JSON input';
}

/** Returns the format of a body that {@link parseBody} accepts. */
export function formatOf(mediaType: string): 'json' | 'yaml' {
  return mediaType === '' || mediaType === jsonType ? 'json' : 'yaml';
}

/**
 * Parses YAML with the booleans of version 1.1, as kubectl does. The last value of a repeated key takes effect. Throws
 * a 400.
 */
export function parseYamlBody(text: string): Json {
  const json = asJson(text);
  if (json !== undefined) return json;
  try {
    return (parseYaml(text, { version: '1.1', maxAliasCount: 100, uniqueKeys: false }) ?? null) as Json;
  } catch (error) {
    throw badRequest(
      `error converting YAML to JSON: yaml: ${String((error as { message?: unknown }).message)}`,
    );
  }
}

/** Returns the value of YAML text that is JSON, because controllers apply JSON. Returns undefined for other text. */
function asJson(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}

/** A decoded object and the findings of strict decoding: unknown fields, which are dropped, and repeated fields. */
interface Decoded {
  object: KubeObject;
  warnings: string[];
}

/**
 * Converts a parsed body to an object of the resource: checks its kind and version, drops unknown fields and sets
 * defaults. Throws a 400 for another kind, for values of a wrong type and, with `Strict`, for unknown and repeated
 * fields.
 */
export function decodeObject(
  body: Json,
  resource: Resource,
  validation: FieldValidation,
  repeated: readonly RepeatedField[] = [],
): Decoded {
  try {
    return decode(body, resource, validation, repeated);
  } catch (error) {
    if (error instanceof DecodeError)
      throw cannotHandle(resource, resource.kind, resource.version, error.message);
    throw error;
  }
}

/** Converts a parsed body like {@link decodeObject}, but throws a DecodeError unchanged. */
export function decode(
  body: Json,
  resource: Resource,
  validation: FieldValidation,
  repeated: readonly RepeatedField[] = [],
): Decoded {
  const removesManagers = !resource.custom && hasNoManagers(body);
  const typed = checkKind(body, resource);
  const unknown = dropUnknown(typed, resource);
  if (!resource.custom) goDecode(typed, resource.schema, resource.kind);
  if (removesManagers) typed.metadata.managedFields = [];
  const problems = [
    ...repeated.filter((field) => resource.custom || !isWithin(field, unknown)).map(({ message }) => message),
    ...unknown.map((path) => `unknown field "${path}"`),
  ];
  if (problems.length > 0 && validation === 'Strict') {
    throw new DecodeError(`strict decoding error: ${problems.join(', ')}`);
  }
  resource.compiled.applyDefaults(typed);
  resource.strategy.defaults?.(typed);
  return { object: typed, warnings: validation === 'Warn' ? problems : [] };
}

/**
 * Returns whether a body has an empty list of managers, which requests to remove all managers of an object of a built-in
 * kind. For custom objects, an empty list is the same as none (apimachinery, unstructured.go).
 */
function hasNoManagers(body: Json): boolean {
  const metadata = isObject(body) ? body['metadata'] : undefined;
  if (metadata === undefined || !isObject(metadata)) return false;
  const { managedFields } = metadata;
  return Array.isArray(managedFields) && managedFields.length === 0;
}

/** Returns whether a repeated field is within an unknown field, which the decoder of built-in kinds skips. */
function isWithin({ path }: RepeatedField, unknown: readonly string[]): boolean {
  return (
    path !== undefined &&
    unknown.some((field) => path === field || path.startsWith(`${field}.`) || path.startsWith(`${field}[`))
  );
}

function checkKind(body: Json, resource: Resource): KubeObject {
  const expected = apiVersionOf(resource);
  if (!isObject(body)) throw badRequest(`couldn't get version/kind; json parse error: not an object`);
  const { kind = '', apiVersion = '' } = body;
  if (resource.custom && (kind === '' || apiVersion === '')) {
    const field = kind === '' ? 'Kind' : 'apiVersion';
    throw badRequest(`Object '${field}' is missing in '${JSON.stringify(body).slice(0, 200)}'`);
  }
  if (apiVersion !== '' && apiVersion !== expected && apiVersion !== null) {
    throw badRequest(
      `the API version in the data (${String(apiVersion)}) does not match the expected API version (${expected})`,
    );
  }
  if (kind !== '' && kind !== resource.kind) {
    const actual = String(kind);
    if (resource.custom) throw otherKind(body, actual, resource);
    const group = resource.group === '' ? 'core' : (resource.group.split('.')[0] ?? '');
    throw cannotHandle(
      resource,
      actual,
      resource.version,
      `converting (${resource.version}.${actual}) to (${group}.${resource.kind}): unknown conversion`,
    );
  }
  const metadata = decodeMetadata(body['metadata'] ?? {}, resource);
  return Object.assign(body, { kind: resource.kind, apiVersion: expected, metadata });
}

/** Returns the error for a custom object of another kind, which is decoded first and then refused by its validation. */
function otherKind({ metadata }: JsonObject, kind: string, resource: Resource): ApiError {
  const name = isObject(metadata ?? null) ? String((metadata as JsonObject)['name'] ?? '') : '';
  return invalid({ group: resource.group, kind, name }, [
    invalidValue('kind', kind, `must be ${resource.kind}`),
  ]);
}

function decodeMetadata(value: Json, resource: Resource): ObjectMeta {
  if (!isObject(value))
    throw new DecodeError(
      `json: cannot unmarshal ${typeof value} into Go struct field ${resource.kind}.metadata of type v1.ObjectMeta`,
    );
  goDecode(value, objectMetaName, 'ObjectMeta.metadata');
  return Object.assign(value, { name: typeof value['name'] === 'string' ? value['name'] : '' });
}

/** Removes fields that neither the schema nor ObjectMeta contains. Returns their paths. */
function dropUnknown(object: KubeObject, resource: Resource): string[] {
  const inMetadata = unknownMetadata(object.metadata);
  return [...inMetadata, ...resource.compiled.prune(object)].sort();
}

function unknownMetadata(metadata: JsonObject): string[] {
  const holder: JsonObject = { holder: metadata };
  const schema = { type: 'object' as const, properties: { holder: objectMetaName } };
  return prune(holder, schema).map((path) => path.replace(/^holder/, 'metadata'));
}

function cannotHandle(resource: Resource, kind: string, version: string, why: string): ApiError {
  return badRequest(`${kind} in version "${version}" cannot be handled as a ${resource.kind}: ${why}`);
}
