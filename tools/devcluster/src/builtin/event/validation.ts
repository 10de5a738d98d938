import { textAt, valueAt, type KubeObject } from '../../object.js';
import { checkQualifiedName } from '../../registry/names.js';
import { invalid, required } from '../../schema/field-error.js';
import { isObject, jsonEqual } from '../../schema/json.js';
import type { Cause, Json } from '../../schema/types.js';

const maxTextLength = 128;
const maxMessageBytes = 1024;
const clusterNamespaces = ['default', 'kube-system'];
const deprecatedFields = ['firstTimestamp', 'lastTimestamp', 'count', 'source'];
const immutableFields = [
  'involvedObject',
  'reason',
  'message',
  ...deprecatedFields,
  'type',
  'eventTime',
  'action',
  'related',
  'reportingComponent',
  'reportingInstance',
];

/**
 * Returns the problems with an event in the form of `v1`, however it was written. Source: k8s.io/kubernetes
 * pkg/apis/core/validation/events.go.
 *
 * @param old the event that is replaced, in the same form
 * @param strict whether the event is written through `events.k8s.io`, which has more rules than `v1`
 */
export function validateEvent(event: KubeObject, old: KubeObject | undefined, strict: boolean): Cause[] {
  const causes = isNew(event) ? newEvent(event) : involvedNamespace(event);
  if (!strict) return causes;
  return [...causes, ...(old === undefined ? strictCreate(event) : strictUpdate(event, old))];
}

/** Returns whether an event has an eventTime. Only such events are checked strictly. */
function isNew(event: KubeObject): boolean {
  return textAt(event, 'eventTime') !== '';
}

function involvedNamespace(event: KubeObject): Cause[] {
  const involved = textAt(event, 'involvedObject', 'namespace');
  return (involved === '' ? 'default' : involved) === event.metadata.namespace ? [] : [elsewhere(involved)];
}

function elsewhere(namespace: string): Cause {
  return invalid('involvedObject.namespace', namespace, 'does not match event.namespace');
}

function newEvent(event: KubeObject): Cause[] {
  const causes: Cause[] = [];
  const involved = textAt(event, 'involvedObject', 'namespace');
  if (involved === '' && !clusterNamespaces.includes(event.metadata.namespace ?? '')) {
    causes.push(elsewhere(involved));
  }
  const controller = textAt(event, 'reportingComponent');
  if (controller === '') causes.push(required('reportingController'));
  const wrong = checkQualifiedName(controller);
  if (wrong !== undefined) causes.push(invalid('reportingController', controller, wrong));
  for (const field of ['reportingInstance', 'action', 'reason']) {
    const bytes = Buffer.byteLength(textAt(event, field));
    if (bytes === 0) causes.push(required(field));
    if (bytes > maxTextLength) causes.push(tooLong(field, maxTextLength));
  }
  if (Buffer.byteLength(textAt(event, 'message')) > maxMessageBytes) {
    causes.push(tooLong('message', maxMessageBytes));
  }
  return causes;
}

function tooLong(field: string, most: number): Cause {
  return invalid(field, '', `can have at most ${String(most)} characters`);
}

function strictCreate(event: KubeObject): Cause[] {
  const causes = seriesOf(event);
  if (!isNew(event)) causes.push(required('eventTime'));
  const type = textAt(event, 'type');
  if (type !== 'Normal' && type !== 'Warning') causes.push(invalid('type', '', `has invalid value: ${type}`));
  for (const field of deprecatedFields) {
    if (meaningOf(event, field) !== null) causes.push(invalid(field, '', 'needs to be unset'));
  }
  return causes;
}

function strictUpdate(event: KubeObject, old: KubeObject): Cause[] {
  const changed = (field: string): boolean => !jsonEqual(meaningOf(event, field), meaningOf(old, field));
  return [
    ...(changed('series') ? seriesOf(event) : []),
    ...immutableFields.filter(changed).map((field) => {
      const name = field === 'reportingComponent' ? 'reportingController' : field;
      return invalid(name, event[field] ?? null, 'field is immutable');
    }),
  ];
}

/** Returns a field's value; null for an empty field. */
function meaningOf(event: KubeObject, field: string): Json {
  const value = event[field] ?? null;
  const empty = value === 0 || value === '' || (isObject(value) && Object.keys(value).length === 0);
  return empty ? null : value;
}

function seriesOf(event: KubeObject): Cause[] {
  if (!isObject(event['series'])) return [];
  const causes: Cause[] = [];
  if (Number(event['series']['count'] ?? 0) < 2)
    causes.push(invalid('series.count', '', 'should be at least 2'));
  if (typeof valueAt(event, 'series', 'lastObservedTime') !== 'string') {
    causes.push(required('series.lastObservedTime'));
  }
  return causes;
}
