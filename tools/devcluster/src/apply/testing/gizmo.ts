import type { JsonObject, Schema } from '../../schema/types.js';
import { applyServerSide, type ApplyRequest, type ApplyResult } from '../server-side-apply.js';
import { trackUpdate, type UpdateRequest } from '../track-update.js';

const text: Schema = { type: 'string' };

/** A kind with one field of every merge behavior. */
export const gizmoSchema: Schema = {
  type: 'object',
  properties: {
    spec: {
      type: 'object',
      properties: {
        size: text,
        count: { type: 'integer' },
        on: { type: 'boolean' },
        percent: { 'x-kubernetes-int-or-string': true },
        labels: { type: 'object', additionalProperties: text },
        tags: { type: 'array', items: text, 'x-kubernetes-list-type': 'set' },
        args: { type: 'array', items: text },
        ports: {
          type: 'array',
          'x-kubernetes-list-type': 'map',
          'x-kubernetes-list-map-keys': ['port', 'protocol'],
          items: {
            type: 'object',
            properties: {
              port: { type: 'integer' },
              protocol: { type: 'string', default: 'TCP' },
              name: text,
              env: { type: 'object', additionalProperties: text },
            },
          },
        },
        selector: { type: 'object', 'x-kubernetes-map-type': 'atomic', additionalProperties: text },
        blob: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
        nested: { type: 'object', properties: { a: text, b: text } },
      },
    },
    status: { type: 'object', properties: { phase: text, seen: { type: 'integer' } } },
  },
};

export const apiVersion = 'demo.test/v1';
export const noon = new Date('2030-01-01T12:00:00.750Z');
export const later = new Date('2030-01-01T12:05:00.000Z');

/** Returns a Gizmo with a spec. */
export function gizmo(spec?: JsonObject, metadata: JsonObject = {}): JsonObject {
  return {
    apiVersion: apiVersion,
    kind: 'Gizmo',
    metadata: { name: 'g', ...metadata },
    ...(spec === undefined ? {} : { spec }),
  };
}

/** Returns an apply of a Gizmo by `manager`. */
export function apply(
  live: JsonObject | undefined,
  config: JsonObject,
  manager: string,
  options: Partial<ApplyRequest> = {},
): ApplyResult {
  return applyServerSide({
    live,
    config,
    manager,
    apiVersion: apiVersion,
    kind: 'Gizmo',
    schema: gizmoSchema,
    now: noon,
    ...options,
  });
}

/** Returns the object that `apply` returns. @throws Error on conflicts */
export function applied(...request: Parameters<typeof apply>): JsonObject {
  const result = apply(...request);
  if ('object' in result) return result.object;
  throw new Error(`conflicts: ${JSON.stringify(result.conflicts)}`);
}

/** Returns a write of a Gizmo that is not an apply. */
export function updated(
  before: JsonObject | undefined,
  after: JsonObject,
  manager: string,
  options: Partial<UpdateRequest> = {},
): JsonObject {
  return trackUpdate({
    before,
    after,
    manager,
    apiVersion: apiVersion,
    schema: gizmoSchema,
    now: noon,
    ...options,
  });
}

/** Returns the fields of a manager as FieldsV1, by `manager` or `manager/subresource`. */
export function owners(object: JsonObject): Record<string, unknown> {
  const { managedFields = [] } = object['metadata'] as {
    managedFields?: { manager: string; operation: string; subresource?: string; fieldsV1: unknown }[];
  };
  return Object.fromEntries(
    managedFields.map(({ manager, operation, subresource, fieldsV1 }) => [
      [manager, operation, ...(subresource === undefined ? [] : [subresource])].join(' '),
      fieldsV1,
    ]),
  );
}

/** Returns the object without managedFields. */
export function bare(object: JsonObject): JsonObject {
  const { managedFields: _, ...metadata } = object['metadata'] as JsonObject;
  return { ...object, metadata };
}
