import { expect } from 'expect';
import type { Answer } from '../../suite/api.js';
import type { Body } from '../../suite/body.js';
import type { Scope } from '../../suite/scope.js';
import { define, objectOf, text, whole, type Fields, type Widgets } from './definition.js';

const ports = {
  type: 'array',
  'x-kubernetes-list-type': 'map',
  'x-kubernetes-list-map-keys': ['name'],
  items: objectOf({ name: text, port: whole, protocol: { ...text, default: 'TCP' } }, { required: ['name'] }),
};
const spec = objectOf({
  size: text,
  colour: { ...text, default: 'red' },
  replicas: whole,
  ports,
  tags: { type: 'array', 'x-kubernetes-list-type': 'set', items: text },
  plain: { type: 'array', items: text },
  limits: { type: 'object', additionalProperties: text },
  atom: objectOf({ a: text, b: text }, { 'x-kubernetes-map-type': 'atomic' }),
});
const status = objectOf({ phase: text });
export const force = { query: { force: true } };

/** Defines widgets with fields of all merge types. */
export function widgetsOf(scope: Scope): Promise<Widgets> {
  return define(scope, { spec, status, version: { subresources: { status: {} } } });
}

/** Returns the fields that a manager owns. */
export function owned({ metadata }: Body, manager: string, subresource?: string): Fields | undefined {
  const entry = metadata.managedFields?.find(
    (one) => one.manager === manager && one.subresource === subresource,
  );
  return entry?.fieldsV1;
}

/** Returns the reason, the field and the message (up to the manager) of each cause of a conflict. */
export function conflictOf({ status: code, body }: Answer): unknown[] {
  expect({ code, reason: body.reason }).toEqual({ code: 409, reason: 'Conflict' });
  return (body.details?.causes ?? []).map(({ reason, field, message }) => [
    reason,
    field,
    message?.replace(/ using .*/, ''),
  ]);
}

/** Returns the result of {@link conflictOf} for a field that a manager owns. */
export const conflict = (field: string, manager: string): unknown[] => [
  'FieldManagerConflict',
  field,
  `conflict with "${manager}"`,
];
