import { describe, expect, it } from '@jest/globals';
import type { Resource } from '../registry/resource.js';
import type { JsonObject } from '../schema/types.js';
import { configMap } from './config-map.js';
import { maxDataBytes } from './data-validation.js';
import { secret } from './secret.js';

const base64 = (bytes: number): string => Buffer.alloc(bytes).toString('base64');
const half = maxDataBytes / 2;

describe('the size of data', () => {
  it.each<[string, Resource, JsonObject, boolean]>([
    ['text of the maximum size in a ConfigMap', configMap, { data: { a: 'x'.repeat(maxDataBytes) } }, true],
    [
      'text above the limit in a ConfigMap',
      configMap,
      { data: { a: 'x'.repeat(half), b: 'x'.repeat(half + 1) } },
      false,
    ],
    ['characters of two bytes in a ConfigMap', configMap, { data: { a: 'é'.repeat(half + 1) } }, false],
    [
      'bytes of the maximum size in a ConfigMap',
      configMap,
      { binaryData: { a: base64(maxDataBytes) } },
      true,
    ],
    [
      'text and bytes in a ConfigMap',
      configMap,
      { data: { a: 'x' }, binaryData: { b: base64(maxDataBytes) } },
      false,
    ],
    [
      'bytes of the maximum size in a Secret',
      secret,
      { data: { a: base64(maxDataBytes) }, type: 'Opaque' },
      true,
    ],
    [
      'a byte above the limit in a Secret',
      secret,
      { data: { a: base64(maxDataBytes + 1) }, type: 'Opaque' },
      false,
    ],
  ])('counts %s', (_title, { kind, strategy }, content, isAllowed) => {
    const causes = strategy.validate?.(
      { apiVersion: 'v1', kind, metadata: { name: 'a' }, ...content },
      undefined,
    );
    expect(causes?.map(({ reason }) => reason)).toEqual(isAllowed ? [] : ['FieldValueTooLong']);
  });
});
