import { expect } from 'expect';
import { defineGroup, type Rule } from '../suite/case.js';
import { accepted, causeFieldsOf, create } from '../suite/reading.js';
import type { Scope } from '../suite/scope.js';
import { watching } from '../suite/watching.js';

const times = { acquireTime: '2030-01-02T03:04:05.000000Z', renewTime: '2030-01-02T03:04:05.678901Z' };
const spec = { holderIdentity: 'a', leaseDurationSeconds: 15, leaseTransitions: 0, ...times };

export const leases = defineGroup(
  'leases',
  { source: 'https://kubernetes.io/docs/concepts/architecture/leases/' },
  (rule) => {
    locks(rule);
    renewals(rule);
    timeFormats(rule);
    validation(rule);
  },
);

function pathOf({ namespace }: Scope, name?: string): string {
  const collection = `/apis/coordination.k8s.io/v1/namespaces/${namespace}/leases`;
  return name === undefined ? collection : `${collection}/${name}`;
}

function lease(name: string, fields: object = {}): Record<string, unknown> {
  return {
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: { name },
    spec: { ...spec, ...fields },
  };
}

function locks(rule: Rule): void {
  rule('creates a lease once, so that one of several candidates gets it', async (scope) => {
    const name = scope.name('race');
    const candidates = ['a', 'b', 'c', 'd', 'e'];
    const answers = await Promise.all(
      candidates.map((holderIdentity) => scope.api.post(pathOf(scope), lease(name, { holderIdentity }))),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409, 409]);
    for (const { body } of answers.filter(({ status }) => status === 409)) {
      expect(body).toMatchObject({ kind: 'Status', reason: 'AlreadyExists', code: 409 });
    }
    const winner = answers.find(({ status }) => status === 201)?.body;
    expect(accepted(await scope.api.get(pathOf(scope, name)))).toEqual(winner);
  });

  rule('lets one of several updates of the same resourceVersion take a lease', async (scope) => {
    const name = scope.name('take');
    const current = await create(scope, pathOf(scope), lease(name));
    const answers = await Promise.all(
      ['b', 'c', 'd', 'e'].map((holderIdentity) =>
        scope.api.put(pathOf(scope, name), {
          ...current,
          spec: { ...spec, holderIdentity, leaseTransitions: 1 },
        }),
      ),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409]);
    for (const { body } of answers.filter(({ status }) => status === 409)) {
      expect(body).toMatchObject({ kind: 'Status', reason: 'Conflict', code: 409 });
    }
    const winner = answers.find(({ status }) => status === 200)?.body;
    expect(accepted(await scope.api.get(pathOf(scope, name))).spec).toEqual(winner?.spec);
  });

  rule('refuses an update of a lease without a resourceVersion', async (scope) => {
    const name = scope.name('unconditional');
    const created = await create(scope, pathOf(scope), lease(name));
    const { status, body } = await scope.api.put(pathOf(scope, name), lease(name, { holderIdentity: 'b' }));
    expect(status).toBe(422);
    expect(body).toMatchObject({ kind: 'Status', reason: 'Invalid', code: 422 });
    expect(causeFieldsOf(body)).toEqual(['metadata.resourceVersion']);
    expect(accepted(await scope.api.get(pathOf(scope, name)))).toEqual(created);
  });

  rule('creates a lease with an update of one that does not exist', async (scope) => {
    const name = scope.name('put');
    const answer = await scope.api.put(pathOf(scope, name), lease(name));
    expect(accepted(answer, 201)).toMatchObject({ metadata: { name }, spec });
    expect(accepted(await scope.api.get(pathOf(scope, name)))).toEqual(answer.body);
  });

  rule('refuses to delete a lease that has changed since a resourceVersion', async (scope) => {
    const name = scope.name('release');
    const created = await create(scope, pathOf(scope), lease(name));
    accepted(await scope.api.patch(pathOf(scope, name), 'merge', { spec: { holderIdentity: 'b' } }));
    const { resourceVersion } = created.metadata;
    const options = { apiVersion: 'v1', kind: 'DeleteOptions', preconditions: { resourceVersion } };
    const refused = await scope.api.delete(pathOf(scope, name), { body: options });
    expect([refused.status, refused.body.reason]).toEqual([409, 'Conflict']);
    expect(accepted(await scope.api.get(pathOf(scope, name))).spec).toMatchObject({ holderIdentity: 'b' });
    accepted(await scope.api.delete(pathOf(scope, name)));
    expect((await scope.api.get(pathOf(scope, name))).status).toBe(404);
  });
}

function renewals(rule: Rule): void {
  rule('changes the resourceVersion of a lease with each renewal', async (scope) => {
    const name = scope.name('renew');
    let current = await create(scope, pathOf(scope), lease(name));
    const { resourceVersion, uid } = current.metadata;
    const query = { resourceVersion, fieldSelector: `metadata.name=${name}` };
    const watch = await watching(scope, pathOf(scope), { query });
    for (const second of ['06', '07', '08']) {
      const renewTime = `2030-01-02T03:04:${second}.000000Z`;
      const before = current;
      current = accepted(
        await scope.api.put(pathOf(scope, name), { ...before, spec: { ...before.spec, renewTime } }),
      );
      expect(current.metadata.resourceVersion).not.toBe(before.metadata.resourceVersion);
      expect(current.metadata.uid).toBe(uid);
      expect(await watch.next()).toEqual({ type: 'MODIFIED', object: current });
    }
  });

  rule('keeps a lease without a spec and lets its holder be removed', async (scope) => {
    const name = scope.name('empty');
    const { apiVersion, kind, metadata } = lease(name);
    const created = await create(scope, pathOf(scope), { apiVersion, kind, metadata });
    expect(created.spec).toEqual({});
    accepted(await scope.api.patch(pathOf(scope, name), 'merge', { spec }));
    const released = { spec: { holderIdentity: null, renewTime: null } };
    const { spec: left } = accepted(await scope.api.patch(pathOf(scope, name), 'merge', released));
    const { holderIdentity: _holder, renewTime: _renewed, ...rest } = spec;
    expect(left).toEqual(rest);
  });
}

function timeFormats(rule: Rule): void {
  rule('keeps the microseconds of the times of a lease', async (scope) => {
    const name = scope.name('micro');
    const created = await create(scope, pathOf(scope), lease(name));
    expect(created.spec).toEqual(spec);
    expect(accepted(await scope.api.get(pathOf(scope, name))).spec).toEqual(spec);
  });

  rule('answers with the times of a lease in UTC', async (scope) => {
    const object = lease(scope.name('zone'), { renewTime: '2030-01-02T05:34:05.678901+02:30' });
    expect((await create(scope, pathOf(scope), object)).spec).toMatchObject({ renewTime: times.renewTime });
  });

  rule('refuses times of a lease without microseconds', async (scope) => {
    const name = scope.name('seconds');
    for (const renewTime of ['2030-01-02T03:04:05Z', '2030-01-02', 'now', 1_893_553_445]) {
      const { status, body } = await scope.api.post(pathOf(scope), lease(name, { renewTime }));
      expect([renewTime, status]).toEqual([renewTime, 400]);
      expect(body).toMatchObject({ kind: 'Status', reason: 'BadRequest', code: 400 });
    }
    await create(scope, pathOf(scope), lease(name));
    const change = { spec: { renewTime: '2030-01-02T03:04:05Z' } };
    const { status, body } = await scope.api.patch(pathOf(scope, name), 'merge', change);
    expect([status, body.reason]).toEqual([422, 'Invalid']);
  });
}

function validation(rule: Rule): void {
  rule('refuses a duration that is not positive and negative transitions', async (scope) => {
    const name = scope.name('numbers');
    const wrong: readonly (readonly [string, number])[] = [
      ['leaseDurationSeconds', 0],
      ['leaseDurationSeconds', -1],
      ['leaseTransitions', -1],
    ];
    for (const [field, value] of wrong) {
      const { status, body } = await scope.api.post(pathOf(scope), lease(name, { [field]: value }));
      expect([field, status]).toEqual([field, 422]);
      expect(causeFieldsOf(body)).toEqual([`spec.${field}`]);
      expect(body.details).toMatchObject({ name, group: 'coordination.k8s.io', kind: 'Lease' });
    }
    const least = lease(name, { leaseDurationSeconds: 1, leaseTransitions: 0 });
    const created = await create(scope, pathOf(scope), least);
    for (const [field, value] of wrong) {
      const { status, body } = await scope.api.patch(pathOf(scope, name), 'merge', {
        spec: { [field]: value },
      });
      expect([status, causeFieldsOf(body)]).toEqual([422, [`spec.${field}`]]);
    }
    expect(accepted(await scope.api.get(pathOf(scope, name)))).toEqual(created);
  });

  rule('refuses values of a lease that are not of their type', async (scope) => {
    for (const fields of [
      { leaseDurationSeconds: '15' },
      { leaseDurationSeconds: 1.5 },
      { leaseTransitions: 2_147_483_648 },
      { holderIdentity: 1 },
    ]) {
      const { status, body } = await scope.api.post(pathOf(scope), lease(scope.name('type'), fields));
      expect([fields, status]).toEqual([fields, 400]);
      expect(body).toMatchObject({ kind: 'Status', reason: 'BadRequest', code: 400 });
    }
  });
}
