import { describe, expect, test } from '@jest/globals';
import { annotations, type KubeObject } from '@interlock/api';
import fastJsonPatch from 'fast-json-patch';
import fc from 'fast-check';
import { stampPatch, stampProblems } from './stamp.js';

const now = Date.parse('2026-11-21T12:00:00.123Z');
const user = { username: 'ann', groups: [] };
const { actor, requestedAt } = annotations;

const text = fc.string({ maxLength: 12 });
const given = fc.option(
  fc.record({ [actor]: text, [requestedAt]: text, other: text }, { requiredKeys: [] }),
  { nil: undefined },
);

function override(values: Record<string, string> | undefined): KubeObject {
  const metadata = { name: 'cve', namespace: 'shop', ...(values && { annotations: values }) };
  return { apiVersion: 'gating.toolkit.fluxcd.io/v1alpha1', kind: 'GateOverride', metadata };
}

/** Returns the object as the API server stores it. */
function stamped(object: KubeObject, oldObject: KubeObject | undefined, by = user, at = now): KubeObject {
  const operation = oldObject === undefined ? 'CREATE' : 'UPDATE';
  const patch = stampPatch({ operation, object, oldObject, user: by }, at);
  return fastJsonPatch.applyPatch(structuredClone(object), [...patch], true).newDocument;
}

describe('stampPatch', () => {
  test('stamps a new override with its user and the time, whatever the request contains', () => {
    fc.assert(
      fc.property(given, (values) => {
        const object = stamped(override(values), undefined);
        expect(object.metadata.annotations).toEqual({
          ...values,
          [actor]: 'ann',
          [requestedAt]: '2026-11-21T12:00:00.123Z',
        });
        expect(stampProblems({ object, oldObject: undefined, user }, now)).toEqual([]);
      }),
    );
  });

  test('keeps the stamp of an override that is changed, even if it has none', () => {
    fc.assert(
      fc.property(given, given, (before, after) => {
        const oldObject = override(before);
        const object = stamped(override(after), oldObject, { username: 'bob', groups: [] }, now + 1);
        expect(object.metadata.annotations?.[actor]).toBe(before?.[actor]);
        expect(object.metadata.annotations?.[requestedAt]).toBe(before?.[requestedAt]);
        expect(object.metadata.annotations?.['other']).toBe(after?.['other']);
        expect(stampProblems({ object, oldObject, user }, now)).toEqual([]);
      }),
    );
  });

  test('truncates the name of the user so that it fits into the status', () => {
    const long = { username: 'x'.repeat(1_000), groups: [] };
    const object = stamped(override(undefined), undefined, long);
    expect(object.metadata.annotations?.[actor]).toHaveLength(256);
    expect(stampProblems({ object, oldObject: undefined, user: long }, now)).toEqual([]);
  });

  test('does not stamp a deletion', () => {
    const request = { operation: 'DELETE' as const, object: undefined, oldObject: override({}), user };
    expect([stampPatch(request, now), stampProblems(request, now)]).toEqual([[], []]);
  });
});

describe('stampProblems', () => {
  const right = { [actor]: 'ann', [requestedAt]: '2026-11-21T12:00:00.123Z' };
  test.each<[string, Record<string, string>, string[]]>([
    ['is missing', {}, [actor, requestedAt]],
    ['names another user', { ...right, [actor]: 'bob' }, [actor]],
    ['is not a time', { ...right, [requestedAt]: 'now' }, [requestedAt]],
    ['is an hour old', { ...right, [requestedAt]: '2026-11-21T11:00:00.123Z' }, [requestedAt]],
    [
      'differs from the clock by less than a minute',
      { ...right, [requestedAt]: '2026-11-21T12:00:59.000Z' },
      [],
    ],
  ])('returns the wrong annotations of a stamp that %s', (_what, values, wrong) => {
    const problems = stampProblems({ object: override(values), oldObject: undefined, user }, now);
    expect(problems.map(({ field }) => field)).toEqual(wrong.map((key) => `metadata.annotations[${key}]`));
  });

  test('refuses an update that changes or removes the stamp', () => {
    const oldObject = override(right);
    for (const values of [{}, { ...right, [actor]: 'bob' }]) {
      expect(stampProblems({ object: override(values), oldObject, user }, now)).not.toEqual([]);
    }
  });
});
