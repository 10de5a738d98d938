import { badRequest } from '../api/api-error.js';
import type { KubeObject } from '../object.js';
import type { Resource } from '../registry/resource.js';
import { invalid } from '../schema/field-error.js';
import type { Json, JsonObject } from '../schema/types.js';

/** Checks the `includeObject` of a table: `None`, `Metadata` or `Object`; null and empty mean `Metadata`. Throws a 400. */
export function checkIncludeObject(include: string | null): void {
  if (['None', 'Metadata', 'Object', '', null].includes(include)) return;
  const cause = invalid('includeObject', include, "must be 'Metadata', 'Object', 'None', or empty");
  throw badRequest(
    `Unable to convert to Table as requested: ${String(cause.field)}: ${String(cause.message)}`,
  );
}

/** Returns a `meta.k8s.io/v1` Table. */
export function tableOf(
  resource: Resource,
  objects: readonly KubeObject[],
  metadata: JsonObject,
  options: { now: Date; includeObject: string | null; headers?: boolean },
): JsonObject {
  const columnDefinitions = resource.columns.map(({ name, type, format, description, priority }) => ({
    name,
    type,
    format,
    description,
    priority,
  }));
  const rows = objects.map((object) => ({
    cells: resource.columns.map((column): Json => column.cell(object, options.now)),
    ...included(object, options.includeObject),
  }));
  return {
    kind: 'Table',
    apiVersion: 'meta.k8s.io/v1',
    metadata,
    columnDefinitions: options.headers === false ? null : columnDefinitions,
    rows,
  };
}

function included(object: KubeObject, include: string | null): JsonObject {
  if (include === 'None') return {};
  if (include === 'Object') return { object };
  const { metadata } = object;
  return { object: { kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1', metadata } };
}
