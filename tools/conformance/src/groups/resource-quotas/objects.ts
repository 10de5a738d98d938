import { expect } from 'expect';
import type { Rule } from '../../suite/case.js';
import { expectInvalid } from '../../suite/invalid.js';
import { podNamespace } from '../../suite/pods.js';
import { countedQuota, resourceQuota, usedOf } from '../../suite/quotas.js';
import { accepted, asTable, create } from '../../suite/reading.js';
import type { Table } from '../../suite/table.js';

/** Declares the rules about ResourceQuotas as objects: status, validation, tables. */
export function quotaObjectRules(rule: Rule): void {
  rule('states in the status of a quota its limits and what the namespace uses of them', async (scope) => {
    const path = await podNamespace(scope);
    const hard = { pods: '4', 'requests.cpu': '2', 'limits.memory': '1Gi', services: '1' };
    const { body } = await scope.api.get(await countedQuota(scope, path, hard));
    expect(body.status).toEqual({
      hard,
      used: { pods: '0', 'requests.cpu': '0', 'limits.memory': '0', services: '0' },
    });
  });

  rule('ignores the status in the creation of a quota', async (scope) => {
    const path = `${await podNamespace(scope)}/resourcequotas`;
    const given = { ...resourceQuota('quota', {}), status: { hard: { pods: '1' }, used: { pods: '1' } } };
    expect((await create(scope, path, given)).status).toEqual({});
  });

  rule('writes quantities in their canonical form', async (scope) => {
    const path = `${await podNamespace(scope)}/resourcequotas`;
    const hard = { 'requests.cpu': '1000m', 'limits.cpu': '0.5', 'requests.memory': '2048Mi', pods: '1e1' };
    const { spec } = await create(scope, path, resourceQuota('quota', hard));
    expect(spec).toEqual({
      hard: { 'requests.cpu': '1', 'limits.cpu': '500m', 'requests.memory': '2Gi', pods: '10' },
    });
  });

  rule('refuses quotas of resources that cannot be counted', async (scope) => {
    const path = scope.core('resourcequotas');
    for (const name of ['bogus', 'storage', 'requests.bogus', 'a b']) {
      const answer = await scope.api.post(path, resourceQuota(scope.name('name'), { [name]: '1' }));
      expectInvalid(answer, { [`spec.hard[${name}]`]: 'FieldValueInvalid' });
    }
  });

  rule('refuses limits that are negative, and parts of what is counted', async (scope) => {
    const path = scope.core('resourcequotas');
    for (const [name, amount] of [
      ['requests.cpu', '-1'],
      ['pods', '500m'],
    ] as const) {
      const answer = await scope.api.post(path, resourceQuota(scope.name('amount'), { [name]: amount }));
      expectInvalid(answer, { [`spec.hard[${name}]`]: 'FieldValueInvalid' });
    }
  });

  rule('refuses limits that are not quantities', async (scope) => {
    for (const amount of ['many', '1 Gi', '1Kb']) {
      const quota = resourceQuota(scope.name('text'), { pods: amount });
      const { status, body } = await scope.api.post(scope.core('resourcequotas'), quota);
      expect([amount, status, body.reason]).toEqual([amount, 400, 'BadRequest']);
    }
  });

  rule('refuses scopes that are unknown, exclude each other or do not fit what is limited', async (scope) => {
    for (const [hard, ...scopes] of [
      [{ pods: '1' }, 'Sometimes'],
      [{ pods: '1' }, 'Terminating', 'NotTerminating'],
      [{ secrets: '1' }, 'Terminating'],
      [{ 'requests.cpu': '1' }, 'BestEffort'],
    ] as const) {
      const quota = resourceQuota(scope.name('scope'), hard, { scopes });
      expectInvalid(await scope.api.post(scope.core('resourcequotas'), quota), {
        'spec.scopes': 'FieldValueInvalid',
      });
    }
  });

  rule('refuses scope selectors whose operators and values do not fit', async (scope) => {
    const field = 'spec.scopeSelector.matchExpressions';
    for (const [expression, at, reason] of [
      [{ scopeName: 'PriorityClass', operator: 'In' }, 'values', 'FieldValueRequired'],
      [{ scopeName: 'PriorityClass', operator: 'Exists', values: ['a'] }, 'values', 'FieldValueInvalid'],
      [{ scopeName: 'Terminating', operator: 'In', values: ['a'] }, 'operator', 'FieldValueInvalid'],
    ] as const) {
      const quota = resourceQuota(
        scope.name('selector'),
        { pods: '1' },
        { scopeSelector: { matchExpressions: [expression] } },
      );
      const answer = await scope.api.post(scope.core('resourcequotas'), quota);
      expectInvalid(answer, { [`${field}.${at}`]: reason });
    }
  });

  rule('does not let the scopes of a quota change', async (scope) => {
    const path = `${await podNamespace(scope)}/resourcequotas`;
    await create(scope, path, resourceQuota('quota', { pods: '1' }, { scopes: ['BestEffort'] }));
    const answer = await scope.api.patch(`${path}/quota`, 'merge', { spec: { scopes: ['NotBestEffort'] } });
    expectInvalid(answer, { 'spec.scopes': 'FieldValueInvalid' });
  });

  rule('takes over limits that change', async (scope) => {
    const quota = await countedQuota(scope, await podNamespace(scope), { pods: '1' });
    accepted(await scope.api.patch(quota, 'merge', { spec: { hard: { pods: null, secrets: '5' } } }));
    const { body } = await scope.eventually(quota, (answer) => 'secrets' in usedOf(answer.body));
    expect(body.status).toEqual({ hard: { secrets: '5' }, used: { secrets: '0' } });
  });

  rule('prints usage and limits of quotas in tables', async (scope) => {
    const path = await podNamespace(scope);
    await countedQuota(scope, path, { pods: '4', 'limits.cpu': '2', 'requests.cpu': '1' });
    const { body } = await scope.api.get(`${path}/resourcequotas`, { accept: asTable });
    const { columnDefinitions, rows } = body as unknown as Table;
    expect(columnDefinitions.map(({ name }) => name)).toEqual(['Name', 'Request', 'Limit', 'Age']);
    expect(rows?.map(({ cells }) => cells.slice(0, 3))).toEqual([
      ['quota', 'pods: 0/4, requests.cpu: 0/1', 'limits.cpu: 0/2'],
    ]);
  });
}
