import { expect } from 'expect';
import type { Rule } from '../suite/case.js';
import { configMap } from '../suite/objects.js';
import { accepted, causeFieldsOf, create, createSet, isNewer, namesOf } from '../suite/reading.js';

/** Declares the cases about resourceVersion and resourceVersionMatch of lists. */
export function versions(rule: Rule): void {
  states(rule);
  loose(rule);
  refusals(rule);
}

function states(rule: Rule): void {
  rule('lists the latest state without a resourceVersion', async (scope) => {
    const { labelSelector, names, objects } = await createSet(scope, [{}, {}]);
    const body = accepted(await scope.api.get(scope.core('configmaps'), { query: { labelSelector } }));
    expect(namesOf(body).sort()).toEqual(names);
    for (const { metadata } of objects) {
      expect(isNewer(metadata.resourceVersion, body.metadata.resourceVersion)).toBe(false);
    }
  });

  rule('lists a state that is not older than a resourceVersion', async (scope) => {
    const { labelSelector, names, objects } = await createSet(scope, [{}, {}]);
    const resourceVersion = objects[1]?.metadata.resourceVersion ?? '';
    for (const resourceVersionMatch of [undefined, 'NotOlderThan']) {
      const query = { labelSelector, resourceVersion, resourceVersionMatch };
      const body = accepted(await scope.api.get(scope.core('configmaps'), { query }));
      expect(namesOf(body).sort()).toEqual(names);
      expect(isNewer(resourceVersion, body.metadata.resourceVersion)).toBe(false);
    }
  });

  rule('lists the exact state of a resourceVersion, with Exact or with a limit', async (scope) => {
    const { labelSelector, names } = await createSet(scope, [{}, {}]);
    const path = scope.core('configmaps');
    const before = accepted(await scope.api.get(path, { query: { labelSelector } }));
    const { resourceVersion } = before.metadata;
    accepted(await scope.api.delete(scope.core('configmaps', names[0])));
    const change = { data: { index: 'changed' } };
    accepted(await scope.api.patch(scope.core('configmaps', names[1]), 'merge', change));
    for (const mode of [{ resourceVersionMatch: 'Exact' }, { limit: 10 }]) {
      const query = { labelSelector, resourceVersion, ...mode };
      const body = accepted(await scope.api.get(path, { query }));
      expect(body.metadata.resourceVersion).toBe(resourceVersion);
      expect(body.items.map(({ metadata, data }) => [metadata.name, data?.['index']]).sort()).toEqual([
        [names[0], '0'],
        [names[1], '1'],
      ]);
    }
    expect(namesOf(accepted(await scope.api.get(path, { query: { labelSelector } })))).toEqual([names[1]]);
  });
}

function loose(rule: Rule): void {
  rule('lists any state that it has for the resourceVersion 0', async (scope) => {
    const { labelSelector, names } = await createSet(scope, [{}]);
    const path = scope.core('configmaps');
    for (const match of ['', '&resourceVersionMatch=NotOlderThan']) {
      const selector = encodeURIComponent(labelSelector);
      const url = `${path}?resourceVersion=0&labelSelector=${selector}${match}`;
      const { body } = await scope.eventually(url, (answer) => accepted(answer).items.length > 0);
      expect(body.kind).toBe('ConfigMapList');
      expect(namesOf(body)).toEqual(names);
    }
  });

  rule(
    'reports a resourceVersion that it has not reached with a timeout that can be retried',
    async (scope) => {
      const object = await create(scope, scope.core('configmaps'), configMap(scope.name('future')));
      const future = String(BigInt(object.metadata.resourceVersion) + 1_000_000_000n);
      const query = { resourceVersion: future, resourceVersionMatch: 'NotOlderThan' };
      const { status, body } = await scope.api.get(scope.core('configmaps'), { query });
      expect(status).toBe(504);
      expect(body).toMatchObject({ kind: 'Status', reason: 'Timeout', code: 504 });
      expect(body.details?.causes).toEqual([expect.objectContaining({ reason: 'ResourceVersionTooLarge' })]);
      expect(body.details?.retryAfterSeconds).toBeGreaterThan(0);
    },
  );
}

function refusals(rule: Rule): void {
  rule('refuses combinations of resourceVersionMatch that have no meaning', async (scope) => {
    const { labelSelector } = await createSet(scope, [{}, {}]);
    const path = scope.core('configmaps');
    const first = accepted(await scope.api.get(path, { query: { labelSelector, limit: 1 } }));
    const { resourceVersion, continue: token } = first.metadata;
    for (const query of [
      { resourceVersionMatch: 'Exact' },
      { resourceVersionMatch: 'NotOlderThan' },
      { resourceVersionMatch: 'Exact', resourceVersion: '0' },
      { resourceVersionMatch: 'Newest', resourceVersion },
      { resourceVersionMatch: 'NotOlderThan', resourceVersion: '0', continue: token },
    ]) {
      const { status, body } = await scope.api.get(path, { query: { labelSelector, ...query } });
      expect([query, status]).toEqual([query, 422]);
      expect(body).toMatchObject({ kind: 'Status', reason: 'Invalid', code: 422 });
      expect(body.details).toMatchObject({ group: 'meta.k8s.io', kind: 'ListOptions' });
      expect(causeFieldsOf(body)).toEqual(['resourceVersionMatch']);
    }
    const fine = { labelSelector, resourceVersion, resourceVersionMatch: 'NotOlderThan' };
    expect((await scope.api.get(path, { query: fine })).status).toBe(200);
  });

  rule('names the values of resourceVersionMatch that it supports', async (scope) => {
    const query = { resourceVersionMatch: 'Newest', resourceVersion: '1' };
    const { body } = await scope.api.get(scope.core('configmaps'), { query });
    const [cause] = body.details?.causes ?? [];
    expect(cause?.reason).toBe('FieldValueNotSupported');
    expect(cause?.message).toContain('"Newest"');
    for (const value of ['Exact', 'NotOlderThan']) expect(cause?.message).toContain(`"${value}"`);
  });

  rule('refuses sendInitialEvents for a list', async (scope) => {
    for (const sendInitialEvents of [true, false]) {
      const { status, body } = await scope.api.get(scope.core('configmaps'), {
        query: { sendInitialEvents },
      });
      expect(status).toBe(422);
      expect(body.reason).toBe('Invalid');
      expect(causeFieldsOf(body)).toEqual(['sendInitialEvents']);
      expect(body.details?.causes?.[0]?.reason).toBe('FieldValueForbidden');
    }
  });

  rule('refuses a resourceVersion that is not a number', async (scope) => {
    const path = scope.core('configmaps');
    const { status, body } = await scope.api.get(path, { query: { resourceVersion: 'newest' } });
    /* Older releases report this as an internal error. */
    expect([400, 500]).toContain(status);
    expect(body).toMatchObject({ kind: 'Status', status: 'Failure', code: status });
    expect(body.message).toContain('Invalid value: "newest"');
  });
}
