import {
  anyObject,
  boolean,
  dateTime,
  int64,
  list,
  listMap,
  map,
  object,
  setList,
  string,
} from '../schema/dsl.js';
import type { Schema } from '../schema/types.js';

const ownerReference = object(
  {
    apiVersion: string('API version of the owner.'),
    kind: string('Kind of the owner.'),
    name: string('Name of the owner.'),
    uid: string('UID of the owner.'),
    controller: boolean('Whether this is the owner that manages the object; at most one is.'),
    blockOwnerDeletion: boolean('Whether a foreground deletion of the owner waits for this object.'),
  },
  { required: ['apiVersion', 'kind', 'name', 'uid'], 'x-kubernetes-map-type': 'atomic' },
);

const managedFieldsEntry = object({
  manager: string('Who wrote the fields.'),
  operation: string('Apply or Update.'),
  apiVersion: string('The version that the fields are named in.'),
  time: dateTime('When the fields were last written.'),
  fieldsType: string('FieldsV1.'),
  fieldsV1: anyObject('The set of fields.'),
  subresource: string('The subresource through which the fields were written.'),
});

/** `metav1.ObjectMeta`, which every object carries. */
export const objectMetaName: Schema = object(
  {
    name: string('Unique within a namespace (or the cluster); cannot be changed.'),
    generateName: string('Prefix of a name that the server completes, used when there is no name.'),
    namespace: string('The space within which the name is unique; cannot be changed.'),
    selfLink: string('No longer filled in.'),
    uid: string('Unique in time and space; given by the server.'),
    resourceVersion: string('Opaque version of the stored object, for optimistic locking and watches.'),
    generation: int64('Grows by one with each change of the desired state.'),
    creationTimestamp: dateTime('When the object was created, in UTC.'),
    deletionTimestamp: dateTime('When the object was asked to go; set by the server.'),
    deletionGracePeriodSeconds: int64('Seconds until the object goes, once deletion was asked for.'),
    labels: map(string(), 'Keys and values that selectors can ask for.'),
    annotations: map(string(), 'Keys and values for tools, not for selectors.'),
    ownerReferences: listMap(ownerReference, ['uid'], 'Objects without which this one is garbage.'),
    finalizers: setList(string(), 'Must be empty before the object is removed.'),
    managedFields: list(managedFieldsEntry, 'Which manager owns which fields.'),
  },
  'Standard metadata of the object.',
);
