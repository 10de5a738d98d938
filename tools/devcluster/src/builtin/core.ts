import { objectAt, textAt, textsAt, valueAt, type KubeObject } from '../object.js';
import { checkLabel, checkSubdomain } from '../registry/names.js';
import { ALL_VERBS, type Resource } from '../registry/resource.js';
import { forbidden, invalid, required, tooLong } from '../schema/field-error.js';
import { boolean, bytes, list, listMap, map, object, string } from '../schema/dsl.js';
import { jsonEqual } from '../schema/json.js';
import type { Cause } from '../schema/types.js';
import { AGE, column, defineKind, NAME } from './define.js';
import { condition } from './meta/condition.js';
import { localReference } from './meta/references.js';
import { finalizeNamespace } from './namespace-finalize.js';
import { validateNamespace } from './namespace-validation.js';
import { createToken } from './token.js';

const MAX_DATA_BYTES = 1024 * 1024;
const DATA_KEY = /^[-._a-zA-Z0-9]+$/;

function checkDataKeys(object: KubeObject, field: string): Cause[] {
  return Object.keys(objectAt(object, field)).flatMap((key) => {
    if (key.length > 253) return [invalid(`${field}[${key}]`, key, 'must be no more than 253 bytes')];
    if (DATA_KEY.test(key) && !/^\.\.?$|^\.\./.test(key)) return [];
    return [
      invalid(
        `${field}[${key}]`,
        key,
        `a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')`,
      ),
    ];
  });
}

function duplicateKeys(object: KubeObject): Cause[] {
  const binary = objectAt(object, 'binaryData');
  return Object.keys(objectAt(object, 'data'))
    .filter((key) => Object.hasOwn(binary, key))
    .map((key) => invalid(`data[${key}]`, key, 'duplicate of key present in binaryData'));
}

function dataSize(object: KubeObject, field: string): number {
  return Object.values(objectAt(object, field)).reduce<number>((sum, value) => sum + String(value).length, 0);
}

/** Once immutable, neither the data nor the mark may change. */
function checkImmutable(object: KubeObject, old: KubeObject, fields: readonly string[]): Cause[] {
  if (old['immutable'] !== true) return [];
  const why = 'field is immutable when `immutable` is set';
  const causes = object['immutable'] === true ? [] : [forbidden('immutable', why)];
  const changed = fields.filter((field) => !jsonEqual(objectAt(object, field), objectAt(old, field)));
  return [...causes, ...changed.map((field) => forbidden(field, why))];
}

const data = map(string(), 'Keys and text values.');

const configMap = defineKind({
  kind: 'ConfigMap',
  plural: 'configmaps',
  shortNames: ['cm'],
  schema: object(
    {
      data,
      binaryData: map(bytes(), 'Keys and base64 values; no key of data.'),
      immutable: boolean('Forbids changes of the data for good.'),
    },
    'Configuration for workloads to use.',
  ),
  columns: [NAME, column('Data', 'Number of keys.', (o) => count(o, 'data') + count(o, 'binaryData')), AGE],
  strategy: {
    validate: (o) => [
      ...checkDataKeys(o, 'data'),
      ...checkDataKeys(o, 'binaryData'),
      ...duplicateKeys(o),
      ...(dataSize(o, 'data') + dataSize(o, 'binaryData') > MAX_DATA_BYTES
        ? [tooLong('', MAX_DATA_BYTES)]
        : []),
    ],
    validateUpdate: (o, old) => checkImmutable(o, old, ['data', 'binaryData']),
  },
});

function count(o: KubeObject, field: string): number {
  return Object.keys(objectAt(o, field)).length;
}

const secret = defineKind({
  kind: 'Secret',
  plural: 'secrets',
  fields: { type: (o) => textAt(o, 'type') },
  schema: object(
    {
      data: map(bytes(), 'Keys and base64 values.'),
      stringData: map(string(), 'Write-only: text that goes into data.'),
      type: string({ description: 'What the data is for.', default: 'Opaque' }),
      immutable: boolean('Forbids changes of the data for good.'),
    },
    'Data that is not for every reader.',
  ),
  columns: [
    NAME,
    column('Type', 'What the data is for.', (o) => textAt(o, 'type')),
    column('Data', 'Number of keys.', (o) => count(o, 'data')),
    AGE,
  ],
  strategy: {
    defaults: mergeStringData,
    validate: (o) => [
      ...checkDataKeys(o, 'data'),
      ...requiredSecretKeys(o),
      ...(dataSize(o, 'data') > (MAX_DATA_BYTES * 4) / 3 ? [tooLong('data', MAX_DATA_BYTES)] : []),
    ],
    validateUpdate: (o, old) => [
      ...(textAt(o, 'type') === textAt(old, 'type')
        ? []
        : [invalid('type', textAt(o, 'type'), 'field is immutable')]),
      ...checkImmutable(o, old, ['data']),
    ],
  },
});

function mergeStringData(o: KubeObject): void {
  const texts = Object.entries(objectAt(o, 'stringData'));
  Reflect.deleteProperty(o, 'stringData');
  if (texts.length === 0) return;
  const encoded = texts.map(([key, value]) => [key, Buffer.from(String(value)).toString('base64')]);
  o['data'] = { ...objectAt(o, 'data'), ...(Object.fromEntries(encoded) as Record<string, string>) };
}

const SECRET_KEYS: Readonly<Record<string, readonly string[]>> = {
  'kubernetes.io/tls': ['tls.crt', 'tls.key'],
  'kubernetes.io/dockerconfigjson': ['.dockerconfigjson'],
  'kubernetes.io/dockercfg': ['.dockercfg'],
  'kubernetes.io/ssh-auth': ['ssh-privatekey'],
};

function requiredSecretKeys(o: KubeObject): Cause[] {
  const present = objectAt(o, 'data');
  return (SECRET_KEYS[textAt(o, 'type')] ?? [])
    .filter((key) => !Object.hasOwn(present, key))
    .map((key) => required(`data[${key}]`));
}

const namespace = defineKind({
  kind: 'Namespace',
  plural: 'namespaces',
  namespaced: false,
  shortNames: ['ns'],
  verbs: ALL_VERBS.filter((verb) => verb !== 'deletecollection'),
  fields: { 'status.phase': (o) => textAt(o, 'status', 'phase'), name: (o) => o.metadata.name },
  schema: object(
    {
      spec: object(
        { finalizers: list(string(), 'Must be empty before the namespace is removed.') },
        { description: 'How the namespace goes.', default: {} },
      ),
      status: object(
        {
          phase: string('Active or Terminating.'),
          conditions: listMap(condition(), ['type'], 'What a deletion waits for.'),
        },
        { description: 'Where the namespace is in its life.', default: {} },
      ),
    },
    'A scope for names.',
  ),
  columns: [NAME, column('Status', 'Phase of the namespace.', (o) => textAt(o, 'status', 'phase')), AGE],
  subresources: {
    finalize: { kind: 'Namespace', verbs: ['update'], handle: finalizeNamespace },
  },
  strategy: {
    checkName: checkLabel,
    status: true,
    defaults: labelWithName,
    prepareCreate: (o) => {
      labelWithName(o);
      o['spec'] = { finalizers: [...new Set([...textsAt(o, 'spec', 'finalizers'), 'kubernetes'])] };
      o['status'] = { phase: 'Active' };
    },
    validate: validateNamespace,
    prepareUpdate: (o, old) => {
      const spec = valueAt(old, 'spec');
      if (spec !== undefined) o['spec'] = spec;
    },
    holdsDeletion: (o) => textsAt(o, 'spec', 'finalizers').length > 0,
    prepareDelete: (o) => {
      Reflect.deleteProperty(o.metadata, 'deletionGracePeriodSeconds');
      o['status'] = { phase: 'Terminating' };
    },
  },
});

/** A generated name is known only when the object is complete. */
function labelWithName({ metadata }: KubeObject): void {
  if (metadata.name === '') return;
  metadata.labels = { ...metadata.labels, 'kubernetes.io/metadata.name': metadata.name };
}

const serviceAccount = defineKind({
  kind: 'ServiceAccount',
  plural: 'serviceaccounts',
  shortNames: ['sa'],
  schema: object(
    {
      secrets: listMap(
        object({
          name: string('Name of the Secret.'),
          namespace: string(),
          kind: string(),
          uid: string(),
          apiVersion: string(),
          resourceVersion: string(),
          fieldPath: string(),
        }),
        ['name'],
        'Secrets that pods of the account may use.',
      ),
      imagePullSecrets: list(localReference, 'Secrets for pulling images.'),
      automountServiceAccountToken: boolean('Whether pods get a token of the account.'),
    },
    'An identity for pods.',
  ),
  columns: [
    NAME,
    column('Secrets', 'Number of secrets.', (o) => (Array.isArray(o['secrets']) ? o['secrets'].length : 0)),
    AGE,
  ],
  subresources: {
    token: {
      kind: 'TokenRequest',
      group: 'authentication.k8s.io',
      version: 'v1',
      verbs: ['create'],
      handle: createToken,
    },
  },
  strategy: { checkName: checkSubdomain, returnsDeleted: true },
});

/** ConfigMap, Secret, Namespace and ServiceAccount. */
export const CORE_KINDS: readonly Resource[] = [configMap, namespace, secret, serviceAccount];
