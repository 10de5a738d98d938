import { expect } from 'expect';
import { defineGroup, type Rule } from '../suite/case.js';
import { coreEvent, eventTime, newEvent, newEvents } from '../suite/events.js';
import { accepted, causeFieldsOf, create, namesOf } from '../suite/reading.js';
import { eventSelectors } from './events-selectors.js';

export const events = defineGroup(
  'events',
  { source: 'https://kubernetes.io/docs/reference/kubernetes-api/cluster-resources/event-v1/' },
  (rule) => {
    views(rule);
    storage(rule);
    coreRules(rule);
    newRules(rule);
    newLimits(rule);
    updates(rule);
    eventSelectors(rule);
  },
);

function views(rule: Rule): void {
  rule('serves an event of events.k8s.io/v1 as one of v1', async (scope) => {
    const name = scope.name('new');
    const created = await create(scope, newEvents(scope), newEvent(scope, name));
    expect(created).toMatchObject(newEvent(scope, name));
    expect(accepted(await scope.api.get(scope.core('events', name)))).toMatchObject({
      apiVersion: 'v1',
      kind: 'Event',
      metadata: { name, uid: created.metadata.uid, resourceVersion: created.metadata.resourceVersion },
      involvedObject: { apiVersion: 'v1', kind: 'ConfigMap', namespace: scope.namespace, name },
      eventTime,
      reportingComponent: 'conformance.example/controller',
      reportingInstance: 'controller-0',
      action: 'Check',
      reason: 'Checked',
      type: 'Normal',
      message: 'all is well',
      source: {},
      firstTimestamp: null,
      lastTimestamp: null,
    });
  });

  rule('serves an event of v1 as one of events.k8s.io/v1', async (scope) => {
    const name = scope.name('core');
    const fields = {
      reason: 'Checked',
      message: 'all is well',
      type: 'Warning',
      count: 3,
      firstTimestamp: '2030-01-02T03:04:05Z',
      lastTimestamp: '2030-01-02T04:04:05Z',
      source: { component: 'checker', host: 'node-1' },
    };
    const created = await create(scope, scope.core('events'), coreEvent(scope, name, fields));
    expect(created).toMatchObject(fields);
    expect(accepted(await scope.api.get(newEvents(scope, name)))).toMatchObject({
      apiVersion: 'events.k8s.io/v1',
      kind: 'Event',
      metadata: { name, uid: created.metadata.uid, resourceVersion: created.metadata.resourceVersion },
      eventTime: null,
      regarding: { kind: 'ConfigMap', namespace: scope.namespace, name },
      reason: 'Checked',
      note: 'all is well',
      type: 'Warning',
      deprecatedCount: 3,
      deprecatedFirstTimestamp: '2030-01-02T03:04:05Z',
      deprecatedLastTimestamp: '2030-01-02T04:04:05Z',
      deprecatedSource: { component: 'checker', host: 'node-1' },
    });
  });
}

function storage(rule: Rule): void {
  rule('lists and deletes the same events through both API groups', async (scope) => {
    const name = scope.name('both');
    await create(
      scope,
      newEvents(scope),
      newEvent(scope, name, { metadata: { name, labels: { set: name } } }),
    );
    const query = { labelSelector: `set=${name}` };
    for (const path of [scope.core('events'), newEvents(scope)]) {
      const list = accepted(await scope.api.get(path, { query }));
      expect([list.kind, namesOf(list)]).toEqual(['EventList', [name]]);
    }
    accepted(await scope.api.delete(scope.core('events', name)));
    expect((await scope.api.get(newEvents(scope, name))).status).toBe(404);
  });
}

function coreRules(rule: Rule): void {
  rule('requires little of an event of v1', async (scope) => {
    const name = scope.name('little');
    await create(scope, scope.core('events'), coreEvent(scope, name, { type: 'Other' }));
    const old = accepted(await scope.api.get(scope.core('events', name)));
    expect(old).toMatchObject({ type: 'Other', involvedObject: { name } });
    const { status, body } = await scope.api.patch(scope.core('events', name), 'merge', {
      message: 'changed',
    });
    expect([status, body.message]).toEqual([200, 'changed']);
  });

  rule('refuses an event in another namespace than that of its object', async (scope) => {
    for (const namespace of ['elsewhere', undefined]) {
      const name = scope.name('other');
      const involvedObject = { kind: 'ConfigMap', namespace, name };
      const object = coreEvent(scope, name, { involvedObject });
      const { status, body } = await scope.api.post(scope.core('events'), object);
      expect(status).toBe(422);
      expect(body).toMatchObject({ kind: 'Status', reason: 'Invalid', code: 422 });
      expect(causeFieldsOf(body)).toEqual(['involvedObject.namespace']);
      expect(body.message).toContain('does not match event.namespace');
    }
  });

  rule('takes events about objects without a namespace in the namespace default', async (scope) => {
    const name = scope.name('cluster');
    const path = '/api/v1/namespaces/default/events';
    scope.deleteAfterwards(`${path}/${name}`);
    const involvedObject = { kind: 'Namespace', name: scope.namespace };
    const created = await create(scope, path, coreEvent(scope, name, { involvedObject }));
    expect(created.metadata.namespace).toBe('default');
    expect(created['involvedObject']).toEqual(involvedObject);
  });
}

function newRules(rule: Rule): void {
  const tooLong = /^FieldValue(Invalid|TooLong)$/;
  const refused: readonly (readonly [string, string | RegExp, object])[] = [
    ['eventTime', 'FieldValueRequired', { eventTime: undefined }],
    ['reportingController', 'FieldValueRequired', { reportingController: undefined }],
    ['reportingController', 'FieldValueInvalid', { reportingController: 'not a name' }],
    ['reportingInstance', 'FieldValueRequired', { reportingInstance: undefined }],
    ['reportingInstance', tooLong, { reportingInstance: 'x'.repeat(129) }],
    ['action', 'FieldValueRequired', { action: undefined }],
    ['action', tooLong, { action: 'x'.repeat(129) }],
    ['reason', 'FieldValueRequired', { reason: undefined }],
    ['reason', tooLong, { reason: 'x'.repeat(129) }],
    ['type', 'FieldValueInvalid', { type: undefined }],
    ['type', 'FieldValueInvalid', { type: 'Other' }],
    ['message', tooLong, { note: 'x'.repeat(1025) }],
    ['count', 'FieldValueInvalid', { deprecatedCount: 1 }],
    ['firstTimestamp', 'FieldValueInvalid', { deprecatedFirstTimestamp: '2030-01-02T03:04:05Z' }],
    ['lastTimestamp', 'FieldValueInvalid', { deprecatedLastTimestamp: '2030-01-02T03:04:05Z' }],
    ['source', 'FieldValueInvalid', { deprecatedSource: { component: 'checker' } }],
    ['series.count', 'FieldValueInvalid', { series: { count: 1, lastObservedTime: eventTime } }],
    ['series.lastObservedTime', 'FieldValueRequired', { series: { count: 2 } }],
    ['involvedObject.namespace', 'FieldValueInvalid', { regarding: { kind: 'Namespace', name: 'one' } }],
  ];

  rule('requires who did what and why of an event of events.k8s.io/v1', async (scope) => {
    for (const [field, reason, fields] of refused) {
      const name = scope.name('refused');
      const { status, body } = await scope.api.post(newEvents(scope), newEvent(scope, name, fields));
      expect([field, status]).toEqual([field, 422]);
      expect(body).toMatchObject({ kind: 'Status', reason: 'Invalid', code: 422 });
      expect(body.details?.causes).toContainEqual(
        expect.objectContaining({ field, reason: expect.stringMatching(reason) }),
      );
      expect((await scope.api.get(newEvents(scope, name))).status).toBe(404);
    }
  });
}

function newLimits(rule: Rule): void {
  rule('takes the longest texts and a series in an event of events.k8s.io/v1', async (scope) => {
    const name = scope.name('longest');
    const fields = {
      reportingInstance: 'i'.repeat(128),
      action: 'a'.repeat(128),
      reason: 'r'.repeat(128),
      note: 'n'.repeat(1024),
      series: { count: 2, lastObservedTime: eventTime },
    };
    expect(await create(scope, newEvents(scope), newEvent(scope, name, fields))).toMatchObject(fields);
  });

  rule('requires the new fields of an event of v1 that has an eventTime', async (scope) => {
    const name = scope.name('time');
    const { status, body } = await scope.api.post(
      scope.core('events'),
      coreEvent(scope, name, {
        eventTime,
        reason: 'Checked',
        reportingComponent: 'conformance.example/a',
      }),
    );
    expect(status).toBe(422);
    expect(causeFieldsOf(body).sort()).toEqual(['action', 'reportingInstance']);
    const fields = {
      eventTime,
      reason: 'Checked',
      reportingComponent: 'a',
      reportingInstance: 'b',
      action: 'c',
    };
    const created = await create(
      scope,
      scope.core('events'),
      coreEvent(scope, name, { ...fields, type: 'Other' }),
    );
    expect(created).toMatchObject(fields);
  });
}

function updates(rule: Rule): void {
  rule('counts repetitions of an event of events.k8s.io/v1 in its series', async (scope) => {
    const name = scope.name('series');
    await create(scope, newEvents(scope), newEvent(scope, name));
    const path = newEvents(scope, name);
    const series = { count: 2, lastObservedTime: '2030-01-02T03:05:00.000000Z' };
    for (const type of ['merge', 'strategic'] as const) {
      const patched = accepted(await scope.api.patch(path, type, { series }));
      expect(patched).toMatchObject(newEvent(scope, name, { series }));
      series.count += 1;
    }
    const less = await scope.api.patch(path, 'merge', { series: { count: 1 } });
    expect([less.status, causeFieldsOf(less.body)]).toEqual([422, ['series.count']]);
    expect(accepted(await scope.api.get(scope.core('events', name)))).toMatchObject({ series: { count: 3 } });
  });

  rule('keeps the fields of an event of events.k8s.io/v1', async (scope) => {
    const name = scope.name('kept');
    await create(scope, newEvents(scope), newEvent(scope, name));
    for (const [field, change] of [
      ['message', { note: 'changed' }],
      ['reason', { reason: 'Changed' }],
      ['type', { type: 'Warning' }],
      ['action', { action: 'Change' }],
      ['eventTime', { eventTime: '2031-01-02T03:04:05.678901Z' }],
      ['involvedObject', { regarding: { name: 'other' } }],
      ['reportingController', { reportingController: 'conformance.example/other' }],
      ['reportingInstance', { reportingInstance: 'other' }],
      ['related', { related: { kind: 'ConfigMap', name: 'other' } }],
    ] as const) {
      const { status, body } = await scope.api.patch(newEvents(scope, name), 'merge', change);
      expect([field, status]).toEqual([field, 422]);
      expect(causeFieldsOf(body)).toContain(field);
      expect(body.message).toContain('field is immutable');
    }
    const labels = { metadata: { labels: { seen: 'yes' } } };
    expect((await scope.api.patch(newEvents(scope, name), 'merge', labels)).status).toBe(200);
  });

  rule('lets an event of v1 change, so that its count grows', async (scope) => {
    const name = scope.name('count');
    const first = { count: 1, reason: 'Checked', lastTimestamp: '2030-01-02T03:04:05Z' };
    await create(scope, scope.core('events'), coreEvent(scope, name, first));
    const change = { count: 2, reason: 'Again', lastTimestamp: '2030-01-02T03:05:05Z' };
    const patched = accepted(await scope.api.patch(scope.core('events', name), 'strategic', change));
    expect(patched).toMatchObject(change);
  });
}
