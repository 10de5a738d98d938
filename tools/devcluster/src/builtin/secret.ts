import { objectAt, textAt, type KubeObject } from '../object.js';
import { boolean, bytes, map, object, string } from '../schema/dsl.js';
import { invalid, required, tooLong } from '../schema/field-error.js';
import type { Cause } from '../schema/types.js';
import { checkDataKeys, checkImmutable, countKeys, dataSize, maxDataBytes } from './data-validation.js';
import { ageColumn, column, defineKind, nameColumn } from './define.js';

/** v1 Secret. */
export const secret = defineKind({
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
    nameColumn,
    column('Type', 'What the data is for.', (o) => textAt(o, 'type')),
    column('Data', 'Number of keys.', (o) => countKeys(o, 'data')),
    ageColumn,
  ],
  strategy: {
    defaults: mergeStringData,
    validate: (o) => [
      ...checkDataKeys(o, 'data'),
      ...requiredSecretKeys(o),
      ...(dataSize(o, 'data', 'base64') > maxDataBytes ? [tooLong('data', maxDataBytes)] : []),
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

const requiredKeys: Readonly<Record<string, readonly string[]>> = {
  'kubernetes.io/tls': ['tls.crt', 'tls.key'],
  'kubernetes.io/dockerconfigjson': ['.dockerconfigjson'],
  'kubernetes.io/dockercfg': ['.dockercfg'],
  'kubernetes.io/ssh-auth': ['ssh-privatekey'],
};

function requiredSecretKeys(o: KubeObject): Cause[] {
  const present = objectAt(o, 'data');
  return (requiredKeys[textAt(o, 'type')] ?? [])
    .filter((key) => !Object.hasOwn(present, key))
    .map((key) => required(`data[${key}]`));
}
