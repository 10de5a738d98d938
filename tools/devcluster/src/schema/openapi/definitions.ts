import {
  anyObject,
  boolean,
  dateTime,
  int32,
  int64,
  list,
  listMap,
  map,
  object,
  setList,
  string,
} from '../dsl.js';
import type { Schema } from '../types.js';

const meta = 'io.k8s.apimachinery.pkg.apis.meta.v1';

export const objectMetaName = `${meta}.ObjectMeta`;
export const listMetaName = `${meta}.ListMeta`;
export const deleteOptionsName = `${meta}.DeleteOptions`;
export const statusName = `${meta}.Status`;
export const patch = `${meta}.Patch`;

export const apiVersion = string(
  'The group and version of the schema of this object. Servers convert known schemas to the latest internal value, and may refuse values that they do not know.',
);
export const kindSchema = string(
  'The type of this object, in CamelCase. Servers infer it from the path to which a request is sent. It cannot be changed.',
);

const ownerReference = object(
  {
    apiVersion: string('The API version of the owner.'),
    kind: string('The kind of the owner.'),
    name: string('The name of the owner.'),
    uid: string('The UID of the owner.'),
    controller: boolean('Whether the owner is the controller that manages the object; at most one is.'),
    blockOwnerDeletion: boolean(
      'Whether the owner cannot be deleted in the foreground before this object is gone.',
    ),
  },
  {
    description: 'An object that owns this one, in the same namespace or of the cluster.',
    required: ['apiVersion', 'kind', 'name', 'uid'],
    'x-kubernetes-map-type': 'atomic',
  },
);

const managedFieldsEntry = object(
  {
    apiVersion: string('The API version to which the set of fields applies.'),
    fieldsType: string('The format of fieldsV1; always FieldsV1.'),
    fieldsV1: anyObject('The set of fields, as a tree.'),
    manager: string('The workflow that manages the fields.'),
    operation: string('The operation that led to this entry: Apply or Update.'),
    subresource: string('The subresource that was used, empty for the resource itself.'),
    time: dateTime('When the entry was added or last changed.'),
  },
  'Which fields a workflow manages.',
);

const objectMeta = object(
  {
    name: string('The name, unique in the namespace. It cannot be changed.'),
    generateName: string('A prefix from which the server makes a unique name when no name is given.'),
    namespace: string('The namespace in which the name is unique. It cannot be changed.'),
    selfLink: string('Not used any more.'),
    uid: string('A value unique in time and space, set by the server on creation.'),
    resourceVersion: string(
      'An opaque value that changes with every change of the object; for optimistic locking and watches.',
    ),
    generation: int64('A number that grows with every change of the desired state. Set by the server.'),
    creationTimestamp: dateTime('When the object was created. Set by the server.'),
    deletionTimestamp: dateTime(
      'When the object is to be gone; set by the server when a graceful deletion begins.',
    ),
    deletionGracePeriodSeconds: int64('Seconds that the object is given to end gracefully.'),
    labels: map(string(), 'Keys and values by which objects are organised and selected.'),
    annotations: map(string(), 'Keys and values in which tools keep what they need; not for selection.'),
    ownerReferences: listMap(
      ownerReference,
      ['uid'],
      'The objects that own this one. When all of them are gone, it is collected as garbage.',
    ),
    finalizers: setList(
      string(),
      'Each must be removed by the component that it names before the object goes from the registry.',
    ),
    managedFields: list(managedFieldsEntry, 'Which workflow manages which fields, for server-side apply.'),
  },
  'Metadata that every persisted object has.',
);

const listMeta = object(
  {
    continue: string('A token for the next page; empty on the last one.'),
    remainingItemCount: int64('How many items come after this page, if it is known.'),
    resourceVersion: string('The version of the collection when it was read.'),
    selfLink: string('Not used any more.'),
  },
  'Metadata of a list.',
);

const deleteOptions = object(
  {
    apiVersion: apiVersion,
    kind: kindSchema,
    dryRun: list(string(), 'All: do everything but persist.'),
    gracePeriodSeconds: int64('Seconds before the object is deleted; 0 means now.'),
    ignoreStoreReadErrorWithClusterBreakingPotential: boolean(
      'Deletes an object that cannot be read from storage.',
    ),
    orphanDependents: boolean('Superseded by propagationPolicy.'),
    preconditions: object({
      resourceVersion: string('The version that the object must have.'),
      uid: string('The UID that the object must have.'),
    }),
    propagationPolicy: string('What happens to dependents: Orphan, Background or Foreground.'),
  },
  'How an object is deleted.',
);

const status = object(
  {
    apiVersion: apiVersion,
    kind: kindSchema,
    metadata: listMeta,
    status: string('Success or Failure.'),
    message: string('What happened, for people.'),
    reason: string('Why the operation failed, for programs.'),
    code: int32('The suggested HTTP status code.'),
    details: object(
      {
        name: string('The name of the object concerned.'),
        group: string('The group of the object concerned.'),
        kind: string('The kind of the object concerned.'),
        uid: string('The UID of the object concerned.'),
        causes: list(
          object({
            reason: string('Why, for programs.'),
            message: string('Why, for people.'),
            field: string('The field that caused the error, such as items[0].name.'),
          }),
          'The causes of the failure.',
        ),
        retryAfterSeconds: int32('When to try again.'),
      },
      'More about the failure, by its reason.',
    ),
  },
  'The outcome of a call that does not return another object.',
);

/** The schemas that every document has. */
export const metaDefinitions: Readonly<Record<string, Schema>> = {
  [objectMetaName]: objectMeta,
  [listMetaName]: listMeta,
  [deleteOptionsName]: deleteOptions,
  [statusName]: status,
  [patch]: { type: 'object', description: 'A patch, in the format of its content type.' },
};
