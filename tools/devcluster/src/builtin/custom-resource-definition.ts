import { objectAt, textAt, type KubeObject } from '../object.js';
import {
  anyObject,
  boolean,
  dateTime,
  int32,
  int64,
  list,
  listMap,
  object,
  oneOf,
  string,
} from '../schema/dsl.js';
import { defaultCustomResourceDefinition } from '../schema/crd/default.js';
import { validateCustomResourceDefinition } from '../schema/crd/validate.js';
import type { Json, JsonObject } from '../schema/types.js';
import { column, defineKind, nameColumn } from './define.js';

const names = object(
  {
    plural: string('Plural name, as in paths; all lower case.'),
    singular: string('Singular name; default: the kind in lower case.'),
    shortNames: list(string(), 'Short names for kubectl.'),
    kind: string('Kind of the objects, in CamelCase.'),
    listKind: string('Kind of lists; default: the kind with "List".'),
    categories: list(string(), 'Groups of resources for kubectl, such as all.'),
  },
  { required: ['plural', 'kind'], description: 'Names of the resource.', default: {} },
);

const printerColumn = object(
  {
    name: string('Heading.'),
    type: string('OpenAPI type of the value.'),
    format: string('OpenAPI format of the value.'),
    description: string('What the column shows.'),
    priority: int32('0 is always shown, above only with -o wide.'),
    jsonPath: string('Where the value is, as a simple JSONPath.'),
  },
  { required: ['name', 'type', 'jsonPath'] },
);

const version = object(
  {
    name: string('Name of the version, such as v1alpha1.'),
    served: boolean('Whether the version can be used.'),
    storage: boolean('Whether objects are stored in this version; true for exactly one.'),
    deprecated: boolean('Whether clients are warned off the version.'),
    deprecationWarning: string('The warning.'),
    schema: object({ openAPIV3Schema: anyObject('Structural schema of the objects.') }),
    subresources: object({
      status: anyObject('Status is written through /status only.'),
      scale: object(
        {
          specReplicasPath: string('JSONPath of the desired number.'),
          statusReplicasPath: string('JSONPath of the observed number.'),
          labelSelectorPath: string('JSONPath of the label selector.'),
        },
        { required: ['specReplicasPath', 'statusReplicasPath'] },
      ),
    }),
    additionalPrinterColumns: list(printerColumn, 'Columns of kubectl get.'),
    selectableFields: list(
      object({ jsonPath: string() }, { required: ['jsonPath'] }),
      'Fields for field selectors.',
    ),
  },
  { required: ['name', 'served', 'storage'] },
);

const spec = object(
  {
    group: string('API group of the resource.'),
    names,
    scope: oneOf(['Cluster', 'Namespaced'], 'Whether objects live in namespaces.'),
    versions: list(version, 'All versions.'),
    conversion: object({
      strategy: string('None (only apiVersion changes) or Webhook.'),
      webhook: anyObject('How the webhook is called.'),
    }),
    preserveUnknownFields: boolean('Not supported: must be false.'),
  },
  { required: ['group', 'names', 'scope', 'versions'], default: {} },
);

const status = object(
  {
    conditions: listMap(
      object(
        {
          type: string('NamesAccepted, Established, Terminating, …'),
          status: string('True, False or Unknown.'),
          lastTransitionTime: dateTime('When the status last changed.'),
          reason: string('Machine-readable reason.'),
          message: string('Text that explains the reason.'),
          observedGeneration: int64('Generation that the condition is about.'),
        },
        { required: ['type', 'status'] },
      ),
      ['type'],
      'State of the definition.',
    ),
    acceptedNames: { ...names, description: 'Names in use.' },
    storedVersions: list(string(), 'Versions in which objects were ever stored.'),
    observedGeneration: int64('Generation that the status is about.'),
  },
  { default: {} },
);

function storageVersion(o: KubeObject): Json[] {
  const given = o['spec'];
  if (typeof given !== 'object' || given === null || Array.isArray(given)) return [];
  const versions = Array.isArray(given['versions']) ? given['versions'] : [];
  return versions.flatMap((item) =>
    typeof item === 'object' && item !== null && !Array.isArray(item) && item['storage'] === true
      ? [textAt(item, 'name')]
      : [],
  );
}

/** Returns the status in which the stored versions include the storage version. */
function withStorageVersion(status: JsonObject, o: KubeObject): JsonObject {
  const stored = Array.isArray(status['storedVersions']) ? status['storedVersions'] : [];
  const added = storageVersion(o).filter((name) => !stored.includes(name));
  return { ...status, storedVersions: [...stored, ...added] };
}

/** Keeps a definition until all its objects are deleted. */
export const crdCleanup = 'customresourcecleanup.apiextensions.k8s.io';

/** apiextensions.k8s.io/v1 CustomResourceDefinition. */
export const customResourceDefinition = defineKind({
  group: 'apiextensions.k8s.io',
  kind: 'CustomResourceDefinition',
  plural: 'customresourcedefinitions',
  namespaced: false,
  shortNames: ['crd', 'crds'],
  categories: ['api-extensions'],
  schema: object({ spec, status }, 'Defines a kind of objects that the API serves.'),
  columns: [
    nameColumn,
    column(
      'Created At',
      'When the definition was created.',
      ({ metadata }) => metadata.creationTimestamp ?? '',
      'date',
    ),
  ],
  strategy: {
    generation: true,
    status: true,
    statusKeepsMetadata: true,
    unconditionalUpdate: false,
    finalizersOnDelete: [crdCleanup],
    defaults: (o) => {
      defaultCustomResourceDefinition(o);
    },
    validate: ({ status: given, ...o }, old) =>
      validateCustomResourceDefinition(
        old === undefined || given === undefined ? o : { ...o, status: given },
        old,
      ),
    prepareUpdate: (o, old) => {
      o['status'] = withStorageVersion(objectAt(old, 'status'), o);
    },
    prepareCreate: (o) => {
      o['status'] = {
        conditions: null,
        acceptedNames: { plural: '', kind: '' },
        storedVersions: storageVersion(o),
      };
    },
  },
});
