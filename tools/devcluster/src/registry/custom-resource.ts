import { objectAt, objectsAt, textAt, textsAt, type KubeObject } from '../object.js';
import { defaultStrategy, nameColumn } from '../builtin/define.js';
import { compileSchema, type CompiledSchema } from '../schema/compile.js';
import { isObject, jsonEqual } from '../schema/json.js';
import { JsonMemo } from '../schema/json-memo.js';
import type { Json, JsonObject, Schema } from '../schema/types.js';
import { age } from '../table/age.js';
import type { Column } from '../table/column.js';
import { compileJsonPath } from '../table/jsonpath.js';
import { customVerbs, type Conversion, type Resource, type ScalePaths } from './resource.js';
import { checkScaled } from './scaled.js';
import { byPriority } from './version-priority.js';

const compiledSchemas = new JsonMemo<CompiledSchema>();

/** Returns the resources that a CustomResourceDefinition defines: one for each served version. */
export function customResources(definition: KubeObject): Resource[] {
  const spec = objectAt(definition, 'spec');
  return objectsAt(spec, 'versions')
    .filter((version) => version['served'] === true)
    .map((version) => customResource(definition, spec, version));
}

/** Returns the resource of the version in which the objects of a CustomResourceDefinition are stored, served or not. */
export function storedCustomResource(definition: KubeObject): Resource | undefined {
  const spec = objectAt(definition, 'spec');
  const version = objectsAt(spec, 'versions').find(({ storage }) => storage === true);
  return version && customResource(definition, spec, version);
}

function customResource(definition: KubeObject, spec: JsonObject, version: JsonObject): Resource {
  const names = objectAt(definition, 'status', 'acceptedNames');
  const group = textAt(spec, 'group');
  const plural = textAt(names, 'plural');
  const kind = textAt(names, 'kind');
  const name = textAt(version, 'name');
  const subresources = objectAt(version, 'subresources');
  const schemaJson = objectAt(version, 'schema', 'openAPIV3Schema');
  const schema: Schema = schemaJson;
  const scale = scalePaths(objectAt(subresources, 'scale'));
  const compiled = compiledSchemas.of(schemaJson, () => compileSchema(schema));
  return {
    group,
    version: name,
    plural,
    singular: textAt(names, 'singular'),
    kind,
    listKind: textAt(names, 'listKind'),
    namespaced: textAt(spec, 'scope') === 'Namespaced',
    shortNames: textsAt(names, 'shortNames'),
    categories: textsAt(names, 'categories'),
    verbs: customVerbs,
    collection: `${plural}.${group}`,
    custom: true,
    schema,
    compiled,
    empty: undefined,
    scale,
    strategy: {
      ...defaultStrategy,
      generation: true,
      status: isObject(subresources['status']),
      unconditionalUpdate: false,
      statusKeepsMetadata: true,
      ...(scale === undefined ? {} : { validate: (object: KubeObject) => checkScaled(object, scale) }),
    },
    columns: columnsOf(version),
    fields: selectableFields(version),
    conversion: { toStorage: (object) => object, fromStorage: readerOf(`${group}/${name}`, compiled) },
    subresources: {},
    terminating: definition.metadata.deletionTimestamp !== undefined,
    ...(version['deprecated'] === true
      ? { deprecationWarning: textAt(version, 'deprecationWarning') || deprecation(spec, name, kind) }
      : {}),
  };
}

/** Returns the default warning of a deprecated version: it names the newest served version that is not deprecated. */
function deprecation(spec: JsonObject, name: string, kind: string): string {
  const group = textAt(spec, 'group');
  const warning = `${group}/${name} ${kind} is deprecated`;
  const [newest] = objectsAt(spec, 'versions')
    .filter((version) => version['served'] === true && version['deprecated'] !== true)
    .map((version) => textAt(version, 'name'))
    .sort(byPriority);
  if (newest === undefined || byPriority(newest, name) >= 0) return warning;
  return `${warning}; use ${group}/${newest} ${kind}`;
}

/**
 * Returns the function that reads stored objects in one version: pruned and defaulted by its schema, which may have
 * changed since the object was written. Stored objects do not change, so each is read once.
 */
function readerOf(apiVersion: string, compiled: CompiledSchema): Conversion['fromStorage'] {
  const known = new WeakMap<KubeObject, KubeObject>();
  return (stored) => {
    let object = known.get(stored);
    if (object === undefined) {
      object = structuredClone({ ...stored, apiVersion });
      compiled.prune(object);
      compiled.applyDefaults(object);
      if (jsonEqual(object, stored)) object = stored;
      known.set(stored, object);
    }
    return object;
  };
}

function scalePaths(scale: JsonObject): ScalePaths | undefined {
  const specReplicasPath = textAt(scale, 'specReplicasPath');
  if (specReplicasPath === '') return undefined;
  const labelSelectorPath = textAt(scale, 'labelSelectorPath');
  return {
    specReplicasPath,
    statusReplicasPath: textAt(scale, 'statusReplicasPath'),
    ...(labelSelectorPath === '' ? {} : { labelSelectorPath }),
  };
}

function selectableFields(version: JsonObject): Record<string, (object: KubeObject) => string> {
  return Object.fromEntries(
    objectsAt(version, 'selectableFields').map((field) => {
      const path = textAt(field, 'jsonPath');
      const read = compileJsonPath(path);
      return [path.replace(/^\./, ''), (object: KubeObject) => scalarText(read?.(object)[0])];
    }),
  );
}

function scalarText(value: Json | undefined): string {
  return value === undefined || value === null || typeof value === 'object' ? '' : String(value);
}

/**
 * The column of definitions that do not declare columns. Source: apiextensions-apiserver
 * pkg/registry/customresource/tableconvertor.
 */
const ageColumn: JsonObject = { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' };

function columnsOf(version: JsonObject): Column[] {
  const declared = objectsAt(version, 'additionalPrinterColumns').map(printerColumn);
  return [nameColumn, ...(declared.length === 0 ? [printerColumn(ageColumn)] : declared)];
}

function printerColumn(definition: JsonObject): Column {
  const path = textAt(definition, 'jsonPath');
  const type = textAt(definition, 'type') as Column['type'];
  const description = textAt(definition, 'description');
  const read = compileJsonPath(path);
  const { priority } = definition;
  return {
    name: textAt(definition, 'name'),
    type,
    format: textAt(definition, 'format'),
    description: description || `Custom resource definition column (in JSONPath format): ${path}`,
    priority: typeof priority === 'number' ? priority : 0,
    cell: (object, now) => cellOf(read?.(object) ?? [], type, now),
  };
}

/**
 * Returns the cell for values. A value whose type does not match the column is omitted (apiextensions
 * tableconvertor).
 */
function cellOf(values: Json[], type: Column['type'], now: Date): Json {
  const [value] = values;
  if (value === undefined) return null;
  switch (type) {
    case 'string':
      return values.map((item) => (typeof item === 'string' ? item : JSON.stringify(item))).join(' ');
    case 'integer':
      return typeof value === 'number' ? Math.trunc(value) : null;
    case 'number':
      return typeof value === 'number' ? value : null;
    case 'boolean':
      return typeof value === 'boolean' ? value : null;
    case 'date':
      return typeof value === 'string' ? age(value, now) : null;
  }
}
