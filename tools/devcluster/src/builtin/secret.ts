import { objectAt, textAt, type KubeObject } from '../object.js';
import { boolean, bytes, map, object, string } from '../schema/dsl.js';
import { invalid, required, tooLong } from '../schema/field-error.js';
import type { Cause, JsonObject } from '../schema/types.js';
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
      ...checkType(o),
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

const configurationKeys: Readonly<Record<string, string>> = {
  'kubernetes.io/dockerconfigjson': '.dockerconfigjson',
  'kubernetes.io/dockercfg': '.dockercfg',
};

const accountName = 'kubernetes.io/service-account.name';

/** Checks what the type of a Secret requires (kubernetes: ValidateSecret in pkg/apis/core/validation/validation.go). */
function checkType(o: KubeObject): Cause[] {
  const type = textAt(o, 'type');
  const data = objectAt(o, 'data');
  const has = (key: string): boolean => Object.hasOwn(data, key);
  switch (type) {
    case 'kubernetes.io/tls':
      return missing(['tls.crt', 'tls.key'].filter((key) => !has(key)));
    case 'kubernetes.io/service-account-token':
      return textAt(o, 'metadata', 'annotations', accountName) === ''
        ? [required(`metadata.annotations[${accountName}]`)]
        : [];
    case 'kubernetes.io/basic-auth':
      return has('username') || has('password') ? [] : missing(['username', 'password']);
    case 'kubernetes.io/ssh-auth':
      return textAt(data, 'ssh-privatekey') === '' ? missing(['ssh-privatekey']) : [];
  }
  const key = configurationKeys[type];
  if (key === undefined) return [];
  return has(key) ? checkJsonObject(data, key) : missing([key]);
}

function missing(keys: readonly string[]): Cause[] {
  return keys.map((key) => required(`data[${key}]`));
}

function checkJsonObject(data: JsonObject, key: string): Cause[] {
  try {
    const value: unknown = JSON.parse(Buffer.from(textAt(data, key), 'base64').toString());
    if (typeof value === 'object' && !Array.isArray(value)) return [];
  } catch {
    /* The message of the error would quote the Secret. */
  }
  return [invalid(`data[${key}]`, '<secret contents redacted>', 'must be a JSON object')];
}
