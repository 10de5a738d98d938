import { objectAt, type KubeObject } from '../object.js';
import { boolean, bytes, map, object, string } from '../schema/dsl.js';
import { invalid, tooLong } from '../schema/field-error.js';
import type { Cause } from '../schema/types.js';
import { checkDataKeys, checkImmutable, countKeys, dataSize, maxDataBytes } from './data-validation.js';
import { ageColumn, column, defineKind, nameColumn } from './define.js';

function duplicateKeys(object: KubeObject): Cause[] {
  const binary = objectAt(object, 'binaryData');
  return Object.keys(objectAt(object, 'data'))
    .filter((key) => Object.hasOwn(binary, key))
    .map((key) => invalid(`data[${key}]`, key, 'duplicate of key present in binaryData'));
}

/** v1 ConfigMap. */
export const configMap = defineKind({
  kind: 'ConfigMap',
  plural: 'configmaps',
  shortNames: ['cm'],
  schema: object(
    {
      data: map(string(), 'Keys and text values.'),
      binaryData: map(bytes(), 'Keys and base64 values; no key of data.'),
      immutable: boolean('Forbids changes of the data for good.'),
    },
    'Configuration for workloads to use.',
  ),
  columns: [
    nameColumn,
    column('Data', 'Number of keys.', (o) => countKeys(o, 'data') + countKeys(o, 'binaryData')),
    ageColumn,
  ],
  strategy: {
    validate: (o) => [
      ...checkDataKeys(o, 'data'),
      ...checkDataKeys(o, 'binaryData'),
      ...duplicateKeys(o),
      ...(dataSize(o, 'data', 'utf8') + dataSize(o, 'binaryData', 'base64') > maxDataBytes
        ? [tooLong('', maxDataBytes)]
        : []),
    ],
    validateUpdate: (o, old) => checkImmutable(o, old, ['data', 'binaryData']),
  },
});
