import { atomic, object, string } from '../../schema/dsl.js';
import type { Schema } from '../../schema/types.js';

/** v1 ObjectReference. */
export const objectReference: Schema = object(
  {
    kind: string('Kind of the object.'),
    namespace: string('Namespace of the object.'),
    name: string('Name of the object.'),
    uid: string('UID of the object.'),
    apiVersion: string('API version of the object.'),
    resourceVersion: string('Version of the object.'),
    fieldPath: string('Part of the object.'),
  },
  { 'x-kubernetes-map-type': 'atomic' },
);

/** v1 LocalObjectReference. */
export const localReference: Schema = atomic(
  object({ name: string({ description: 'Name of the object.', default: '' }) }),
);
