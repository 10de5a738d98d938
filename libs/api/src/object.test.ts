import { describe, expect, it } from '@jest/globals';
import { isTyped, messageOf, TypedError } from './errors.js';
import { customKinds } from './kinds.js';
import { apiVersionOf, keyOf, keyString, parseTimestamp, timestampOf } from './object.js';

describe('the functions for objects', () => {
  it('identify a kind of the core group by its version alone', () => {
    expect(apiVersionOf({ group: '', version: 'v1' })).toBe('v1');
    expect(apiVersionOf({ group: 'apps', version: 'v1' })).toBe('apps/v1');
  });

  it('give a cluster-scoped object a key without a namespace', () => {
    const object = { apiVersion: 'v1', kind: 'Node', metadata: { name: 'n' } };
    expect(keyOf(object)).toEqual({ name: 'n' });
    expect(keyString(keyOf({ ...object, metadata: { name: 'n', namespace: 's' } }))).toBe('s/n');
  });

  it('format times in whole seconds', () => {
    expect(timestampOf(1_500)).toBe('1970-01-01T00:00:01Z');
  });

  it('parse times, which may be absent or wrong', () => {
    const times = ['1970-01-01T00:00:01Z', undefined, '', 'soon'];
    expect(times.map(parseTimestamp)).toEqual([1_000, undefined, undefined, undefined]);
  });
});

describe('errors', () => {
  it('are distinguished by their type if they are typed', () => {
    const error = new TypedError('Conflict', 'moved', { retryAfterMs: 5 });
    expect([isTyped(error), isTyped(error, 'Conflict'), isTyped(error, 'Invalid')]).toEqual([
      true,
      true,
      false,
    ]);
    expect([error.reason, error.retryAfterMs]).toEqual(['Conflict', 5]);
    expect(isTyped(new Error('plain'))).toBe(false);
  });

  it('have a message, whatever value was thrown', () => {
    expect([messageOf(new Error('a')), messageOf('b'), messageOf(undefined)]).toEqual([
      'a',
      'b',
      'undefined',
    ]);
  });
});

/** Kinds whose group and columns are defined by another project. */
const foreign = ['SecurityEvent', 'EventResponse'];

describe('kinds', () => {
  it.each(customKinds.map((kind) => [kind.kind, kind] as const))(
    'include %s, with columns for its state and in the category interlock',
    (name, kind) => {
      const columns = kind.printColumns.map((column) => column.name);
      if (!foreign.includes(name)) expect(columns).toContain('Ready');
      expect(columns).toContain('Age');
      expect(kind.categories).toContain('interlock');
    },
  );
});
