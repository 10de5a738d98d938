import { objectAt, objectsAt, textAt, textsAt, type KubeObject } from '../object.js';
import { AGE, DEFAULT_STRATEGY, NAME } from '../builtin/define.js';
import { compileSchema } from '../schema/compile.js';
import { isObject } from '../schema/json.js';
import type { Json, JsonObject, Schema } from '../schema/types.js';
import { age } from '../table/age.js';
import type { Column } from '../table/column.js';
import { compileJsonPath } from '../table/jsonpath.js';
import { CUSTOM_VERBS, type Resource, type ScalePaths } from './resource.js';

/** The resources that a CustomResourceDefinition defines: one for each served version. */
export function customResources(definition: KubeObject): Resource[] {
  const spec = objectAt(definition, 'spec');
  return objectsAt(spec, 'versions')
    .filter((version) => version['served'] === true)
    .map((version) => customResource(definition, spec, version));
}

function customResource(definition: KubeObject, spec: JsonObject, version: JsonObject): Resource {
  const names = objectAt(definition, 'status', 'acceptedNames');
  const group = textAt(spec, 'group');
  const plural = textAt(names, 'plural');
  const kind = textAt(names, 'kind');
  const name = textAt(version, 'name');
  const subresources = objectAt(version, 'subresources');
  const schema: Schema = objectAt(version, 'schema', 'openAPIV3Schema');
  const apiVersion = `${group}/${name}`;
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
    verbs: CUSTOM_VERBS,
    collection: `${plural}.${group}`,
    custom: true,
    schema,
    compiled: compileSchema(schema),
    empty: undefined,
    scale: scalePaths(objectAt(subresources, 'scale')),
    strategy: {
      ...DEFAULT_STRATEGY,
      generation: true,
      status: isObject(subresources['status']),
      unconditionalUpdate: false,
      statusKeepsMetadata: true,
    },
    columns: columnsOf(version),
    fields: selectableFields(version),
    conversion: undefined,
    subresources: {},
    terminating: definition.metadata.deletionTimestamp !== undefined,
    ...(version['deprecated'] === true
      ? { deprecationWarning: textAt(version, 'deprecationWarning') || `${apiVersion} ${kind} is deprecated` }
      : {}),
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

function columnsOf(version: JsonObject): Column[] {
  const declared = objectsAt(version, 'additionalPrinterColumns').map(printerColumn);
  return [NAME, ...(declared.length === 0 ? [AGE] : declared)];
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

/** Values of another type than the column's are not shown (apiextensions tableconvertor). */
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
