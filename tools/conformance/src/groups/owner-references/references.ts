import { expect } from 'expect';
import type { Rule } from '../../suite/case.js';
import type { Scope } from '../../suite/scope.js';
import type { Answer } from '../../suite/api.js';
import { configMap } from '../../suite/objects.js';
import { expectInvalid } from '../../suite/write.js';

const reference = (name: string, fields: object = {}): object => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  name,
  uid: `11111111-1111-1111-1111-${name.padStart(12, '0')}`,
  ...fields,
});

/** Attempts to create an object with owners, as a dry run. */
function attempt(scope: Scope, ...ownerReferences: object[]): Promise<Answer> {
  const object = configMap(scope.name('owned'), {}, { ownerReferences });
  return scope.api.post(scope.core('configmaps'), object, { query: { dryRun: 'All' } });
}

/** Declares the rules about the fields of owner references. */
export function referenceRules(rule: Rule): void {
  rule('stores owner references without a check of the owner', async (scope) => {
    const owners = [reference('1', { controller: true, blockOwnerDeletion: true }), reference('2')];
    const answer = await attempt(scope, ...owners);
    expect(answer).toMatchObject({ status: 201, body: { metadata: { ownerReferences: owners } } });
  });

  rule('refuses two owners that are controllers', async (scope) => {
    const answer = await attempt(
      scope,
      reference('1', { controller: true }),
      reference('2', { controller: true }),
    );
    expectInvalid(answer, 'metadata.ownerReferences');
    expect(answer.body.message).toContain('Only one reference can have Controller set to true');
    const one = await attempt(
      scope,
      reference('1', { controller: true }),
      reference('2', { controller: false }),
    );
    expect(one.status).toBe(201);
  });

  rule('requires apiVersion, kind, name and uid of an owner', async (scope) => {
    for (const field of ['apiVersion', 'kind', 'name', 'uid']) {
      const answer = await attempt(scope, reference('1'), reference('2', { [field]: '' }));
      expectInvalid(answer, `metadata.ownerReferences.${field}`);
    }
  });

  rule('refuses an Event as an owner', async (scope) => {
    const answer = await attempt(scope, reference('1', { kind: 'Event' }));
    expectInvalid(answer, 'metadata.ownerReferences');
    expect(answer.body.message).toContain('is disallowed from being an owner');
  });

  rule('drops an owner reference that another one repeats, with a warning', async (scope) => {
    const answer = await attempt(scope, reference('1'), reference('1'), reference('2'));
    expect(answer.status).toBe(201);
    expect(answer.body.metadata.ownerReferences).toEqual([reference('1'), reference('2')]);
    expect(answer.warnings).toEqual([
      expect.stringContaining('.metadata.ownerReferences contains duplicate entries'),
    ]);
  });
}
