import {
  boolType,
  dynType,
  intType,
  listOf,
  mapOf,
  stringType,
  structType,
  timestampType,
} from '../../schema/cel/check/type.js';
import type { CelType } from '../../schema/cel/check/type.js';

function struct(name: string, fields: Readonly<Record<string, CelType>>): CelType {
  const known = new Map(Object.entries(fields));
  return structType(`kubernetes.${name}`, (field) => known.get(field));
}

const strings = listOf(stringType);
const texts = mapOf(stringType, stringType);
const kind = struct('GroupVersionKind', { group: stringType, version: stringType, kind: stringType });
const resource = struct('GroupVersionResource', {
  group: stringType,
  version: stringType,
  resource: stringType,
});

/** The type of `request`: an AdmissionRequest without its objects, which are separate variables. */
export const requestType = struct('AdmissionRequest', {
  kind,
  resource,
  subResource: stringType,
  requestKind: kind,
  requestResource: resource,
  requestSubResource: stringType,
  name: stringType,
  namespace: stringType,
  operation: stringType,
  userInfo: struct('UserInfo', {
    username: stringType,
    uid: stringType,
    groups: strings,
    extra: mapOf(stringType, strings),
  }),
  dryRun: boolType,
  options: dynType,
});

/** The type of `namespaceObject`: a Namespace without managed fields and owners. */
export const namespaceType = struct('Namespace', {
  metadata: struct('NamespaceMetadata', {
    name: stringType,
    generateName: stringType,
    namespace: stringType,
    labels: texts,
    annotations: texts,
    UID: stringType,
    creationTimestamp: timestampType,
    deletionGracePeriodSeconds: intType,
    deletionTimestamp: timestampType,
    generation: intType,
    resourceVersion: stringType,
    finalizers: strings,
  }),
  spec: struct('NamespaceSpec', { finalizers: strings }),
  status: struct('NamespaceStatus', {
    phase: stringType,
    conditions: listOf(
      struct('NamespaceCondition', {
        status: stringType,
        type: stringType,
        lastTransitionTime: timestampType,
        message: stringType,
        reason: stringType,
      }),
    ),
  }),
});

export const authorizerType = structType('kubernetes.authorization.Authorizer');
export const resourceCheckType = structType('kubernetes.authorization.ResourceCheck');

/**
 * Returns the type of a policy variable for other expressions: the type of its value, with unknown types for objects.
 */
export function variableType(type: CelType): CelType {
  const [first = dynType, second = dynType] = type.params;
  switch (type.kind) {
    case 'list':
      return listOf(variableType(first));
    case 'map':
      return mapOf(variableType(first), variableType(second));
    case 'opaque':
    case 'param':
    case 'struct':
    case 'type':
      return dynType;
    default:
      return type;
  }
}

const longNames: Readonly<Record<string, string>> = {
  duration: 'google.protobuf.Duration',
  null: 'null_type',
  timestamp: 'google.protobuf.Timestamp',
};

/** Returns a type as messages about the value of an expression name it, for example `map(string, dyn)`. */
export function describeType({ name, params }: CelType): string {
  const own = longNames[name] ?? name;
  return params.length === 0 ? own : `${own}(${params.map(describeType).join(', ')})`;
}
