import { expect } from 'expect';
import type { Answer } from '../suite/api.js';
import type { Body } from '../suite/body.js';
import { defineGroup, type Rule } from '../suite/case.js';
import { expectInvalid } from '../suite/invalid.js';
import { pod, podNamespace } from '../suite/pods.js';
import { accepted, asTable } from '../suite/reading.js';
import type { Scope } from '../suite/scope.js';
import type { Table } from '../suite/table.js';
import { create, repeat } from '../suite/write.js';

export const priorityClasses = defineGroup(
  'priority-classes',
  { source: 'https://kubernetes.io/docs/concepts/scheduling-eviction/pod-priority-preemption/' },
  (rule) => {
    objects(rule);
    systemClasses(rule);
    priorities(rule);
  },
);

const classes = '/apis/scheduling.k8s.io/v1/priorityclasses';
const dryRun = { query: { dryRun: 'All' } };

function priorityClass(name: string, value: number, fields: object = {}): object {
  return { apiVersion: 'scheduling.k8s.io/v1', kind: 'PriorityClass', metadata: { name }, value, ...fields };
}

function objects(rule: Rule): void {
  rule('stores priority classes, whose pods preempt others unless they say otherwise', async (scope) => {
    const name = scope.name('class');
    const created = await create(scope, classes, priorityClass(name, 1000, { globalDefault: false }));
    expect(created).toMatchObject({
      kind: 'PriorityClass',
      metadata: { name, generation: 1 },
      value: 1000,
      preemptionPolicy: 'PreemptLowerPriority',
    });
    expect(created['globalDefault'] ?? false).toBe(false);
    expect(accepted(await scope.api.get(`${classes}/${name}`))).toEqual(created);
  });

  rule('lets the description of a priority class change, and not its value and policy', async (scope) => {
    const name = scope.name('fixed');
    await create(scope, classes, priorityClass(name, 1000));
    const described = await scope.api.patch(`${classes}/${name}`, 'merge', { description: 'first' });
    expect(accepted(described)).toMatchObject({ description: 'first', metadata: { generation: 1 } });
    const value = await scope.api.patch(`${classes}/${name}`, 'merge', { value: 1001 });
    expectInvalid(value, { value: 'FieldValueForbidden' });
    const policy = await scope.api.patch(`${classes}/${name}`, 'merge', { preemptionPolicy: 'Never' });
    expectInvalid(policy, { preemptionPolicy: 'FieldValueInvalid' });
  });

  rule('refuses a value above one billion', async (scope) => {
    const name = scope.name('value');
    const high = await scope.api.post(classes, priorityClass(name, 1_000_000_001), dryRun);
    expectInvalid(high, { value: 'FieldValueForbidden' });
    accepted(await scope.api.post(classes, priorityClass(name, 1_000_000_000), dryRun), 201);
    accepted(await scope.api.post(classes, priorityClass(name, -2_000_000_000), dryRun), 201);
  });

  rule('refuses an unknown preemption policy', async (scope) => {
    const fields = { preemptionPolicy: 'Sometimes' };
    const answer = await scope.api.post(classes, priorityClass(scope.name('policy'), 1, fields), dryRun);
    expectInvalid(answer, { preemptionPolicy: 'FieldValueNotSupported' });
  });

  rule('prints value, default and policy of priority classes in tables', async (scope) => {
    const name = scope.name('table');
    await create(scope, classes, priorityClass(name, 5, { preemptionPolicy: 'Never' }));
    const { body } = await scope.api.get(`${classes}/${name}`, { accept: asTable });
    const { columnDefinitions, rows } = body as unknown as Table;
    expect(columnDefinitions.map((column) => column.name)).toEqual([
      'Name',
      'Value',
      'Global-Default',
      'Age',
      'PreemptionPolicy',
    ]);
    expect(rows?.[0]?.cells).toEqual([name, 5, false, expect.any(String), 'Never']);
  });
}

function systemClasses(rule: Rule): void {
  rule('has the priority classes of the system from the start', async (scope) => {
    for (const [name, value] of [
      ['system-cluster-critical', 2_000_000_000],
      ['system-node-critical', 2_000_001_000],
    ]) {
      expect(accepted(await scope.api.get(`${classes}/${name}`))).toMatchObject({
        value,
        preemptionPolicy: 'PreemptLowerPriority',
      });
    }
  });

  rule('refuses to delete a priority class of the system', async (scope) => {
    const { status, body } = await scope.api.delete(`${classes}/system-node-critical`, dryRun);
    expect([status, body.reason]).toEqual([403, 'Forbidden']);
    expect(body.message).toContain('this is a system priority class and cannot be deleted');
  });

  rule('reserves names that begin with system-', async (scope) => {
    const name = `system-${scope.name('own')}`;
    const answer = await scope.api.post(classes, priorityClass(name, 1000), dryRun);
    expectInvalid(answer, { 'metadata.name': 'FieldValueForbidden' });
  });
}

/** Creates an object with a new class, which admission observes with a delay. */
async function createWithClass(scope: Scope, path: string, object: object): Promise<Body> {
  const isUnknown = ({ body }: Answer): boolean => body.message?.includes('no PriorityClass') === true;
  return accepted(
    await repeat(
      () => scope.api.post(path, object),
      (answer) => !isUnknown(answer),
    ),
    201,
  );
}

function priorities(rule: Rule): void {
  rule('gives a pod the priority and the policy of its class', async (scope) => {
    const path = `${await podNamespace(scope)}/pods`;
    const name = scope.name('given');
    await create(scope, classes, priorityClass(name, 123, { preemptionPolicy: 'Never' }));
    const { spec } = await createWithClass(scope, path, pod('one', {}, { priorityClassName: name }));
    expect(spec).toMatchObject({ priorityClassName: name, priority: 123, preemptionPolicy: 'Never' });
  });

  rule('refuses a pod whose class does not exist', async (scope) => {
    const path = `${await podNamespace(scope)}/pods`;
    const name = scope.name('absent');
    const { status, body } = await scope.api.post(path, pod('one', {}, { priorityClassName: name }));
    expect([status, body.message]).toEqual([
      403,
      `pods "one" is forbidden: no PriorityClass with name ${name} was found`,
    ]);
  });

  rule('refuses a pod that states another priority than that of its class', async (scope) => {
    const path = `${await podNamespace(scope)}/pods`;
    const spec = { priorityClassName: 'system-node-critical', priority: 7 };
    const { status, body } = await scope.api.post(path, pod('one', {}, spec), dryRun);
    expect([status, body.message]).toEqual([
      403,
      'pods "one" is forbidden: the integer value of priority (7) must not be provided in pod spec; priority admission controller computed 2000001000 from the given PriorityClass name',
    ]);
  });

  rule('keeps the priority of a pod when an update leaves it out', async (scope) => {
    const path = `${await podNamespace(scope)}/pods`;
    const name = scope.name('kept');
    await create(scope, classes, priorityClass(name, 123));
    const created = await createWithClass(scope, path, pod('one', {}, { priorityClassName: name }));
    const { priority: _priority, preemptionPolicy: _policy, ...spec } = created.spec ?? {};
    const updated = accepted(await scope.api.put(`${path}/one`, { ...created, spec }));
    expect(updated.spec).toEqual(created.spec);
  });

  rule('keeps the priority of a pod when its class is deleted', async (scope) => {
    const path = `${await podNamespace(scope)}/pods`;
    const name = scope.name('deleted');
    accepted(await scope.api.post(classes, priorityClass(name, 123)), 201);
    await createWithClass(scope, path, pod('one', {}, { priorityClassName: name }));
    accepted(await scope.api.delete(`${classes}/${name}`));
    const { spec } = accepted(await scope.api.get(`${path}/one`));
    expect(spec).toMatchObject({ priorityClassName: name, priority: 123 });
  });

  rule('has at most one default class, whose priority pods without a class get', async (scope) => {
    const path = `${await podNamespace(scope)}/pods`;
    const name = scope.name('default');
    const first = await scope.api.post(classes, priorityClass(name, 0, { globalDefault: true }));
    /* A cluster with a default class already refuses this one. */
    if (first.status === 201) scope.deleteAfterwards(`${classes}/${name}`);
    const second = priorityClass(scope.name('second'), 0, { globalDefault: true });
    const { body } = await repeat(
      () => scope.api.post(classes, second, dryRun),
      ({ status }) => status === 403,
    );
    expect(body.message).toMatch(/is already marked as default\. Only one default can exist$/);
    const { body: created } = await repeat(
      () => scope.api.post(path, pod('one'), dryRun),
      (answer) => answer.body.spec?.['priorityClassName'] !== undefined,
    );
    if (first.status === 201) expect(created.spec).toMatchObject({ priorityClassName: name, priority: 0 });
  });
}
