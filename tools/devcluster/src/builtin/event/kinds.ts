import { isObject } from '../../schema/json.js';
import { objectAt, textAt, type KubeObject } from '../../object.js';
import type { Resource } from '../../registry/resource.js';
import { dateTime, int32, microTime, object, string } from '../../schema/dsl.js';
import type { Json, Schema } from '../../schema/types.js';
import { age } from '../../table/age.js';
import { column, defineKind, nameColumn, wide } from '../define.js';
import { validateEvent } from './validation.js';
import { objectReference } from '../meta/references.js';

const source = object({ component: string('Component.'), host: string('Node.') }, { default: {} });
const series = (counted: string): Schema =>
  object(
    { count: int32('Number of occurrences.'), lastObservedTime: microTime('Last occurrence.') },
    counted,
  );

/** Fields with the same name in both groups. */
const shared = {
  reason: string('Why, in one CamelCase word.'),
  type: string('Normal or Warning.'),
  eventTime: microTime('When the event was first observed.'),
  series: series('Set while the event keeps happening.'),
  action: string('What was done about the object.'),
  related: objectReference,
  reportingInstance: string('Which instance reports.'),
};

const coreSchema = object(
  {
    ...shared,
    involvedObject: { ...objectReference, default: {} },
    message: string('What happened.'),
    source,
    firstTimestamp: dateTime('First occurrence.'),
    lastTimestamp: dateTime('Last occurrence.'),
    count: int32('Number of occurrences.'),
    reportingComponent: string({ description: 'Which controller reports.', default: '' }),
  },
  'An occurrence of an event for an object.',
);

const eventsSchema = object(
  {
    ...shared,
    regarding: { ...objectReference, default: {} },
    note: string('What happened.'),
    reportingController: string('Which controller reports.'),
    deprecatedSource: source,
    deprecatedFirstTimestamp: dateTime('First occurrence.'),
    deprecatedLastTimestamp: dateTime('Last occurrence.'),
    deprecatedCount: int32('Number of occurrences.'),
  },
  'An occurrence of an event for an object.',
);

/** The names of each renamed field, in events.k8s.io/v1 and in v1. */
const renamedFields: readonly (readonly [string, string])[] = [
  ['regarding', 'involvedObject'],
  ['note', 'message'],
  ['deprecatedSource', 'source'],
  ['deprecatedFirstTimestamp', 'firstTimestamp'],
  ['deprecatedLastTimestamp', 'lastTimestamp'],
  ['deprecatedCount', 'count'],
  ['reportingController', 'reportingComponent'],
];

function renamed(event: KubeObject, names: ReadonlyMap<string, string>, apiVersion: string): KubeObject {
  const entries = Object.entries(event).map(([key, value]): [string, Json] => [names.get(key) ?? key, value]);
  return { ...(Object.fromEntries(entries) as KubeObject), apiVersion };
}

const toCore = new Map(renamedFields);
const fromCore = new Map(renamedFields.map(([events, core]) => [core, events]));

/** Returns a function that sets absent times to null. */
function nullTimes(own: boolean): (o: KubeObject) => void {
  const fields = own
    ? ['deprecatedFirstTimestamp', 'deprecatedLastTimestamp']
    : ['firstTimestamp', 'lastTimestamp', 'eventTime'];
  return (o) => {
    for (const field of fields) o[field] ??= null;
  };
}

const fieldReaders: Record<string, (o: KubeObject) => string> = {
  ...Object.fromEntries(
    ['kind', 'namespace', 'name', 'uid', 'apiVersion', 'resourceVersion', 'fieldPath'].map((field) => [
      `involvedObject.${field}`,
      (o: KubeObject): string => textAt(renamed(o, toCore, 'v1'), 'involvedObject', field),
    ]),
  ),
  reason: (o) => textAt(o, 'reason'),
  reportingComponent: (o) => textAt(renamed(o, toCore, 'v1'), 'reportingComponent'),
  source: (o) => {
    const core = renamed(o, toCore, 'v1');
    return textAt(core, 'source', 'component') || textAt(core, 'reportingComponent');
  },
  type: (o) => textAt(o, 'type'),
};
const regarding = Object.fromEntries(
  Object.entries(fieldReaders).map(([field, read]) => [
    field.replace(/^involvedObject/, 'regarding').replace(/^reportingComponent$/, 'reportingController'),
    read,
  ]),
);

function core(o: KubeObject): KubeObject {
  return renamed(o, toCore, 'v1');
}

function seen(o: KubeObject, field: 'firstTimestamp' | 'lastTimestamp', now: Date): string {
  const last = field === 'lastTimestamp' ? textAt(o, 'series', 'lastObservedTime') : '';
  return age(last || textAt(core(o), field) || textAt(o, 'eventTime'), now);
}

function sourceText(o: KubeObject): string {
  const { component, host } = objectAt(core(o), 'source');
  const reporting = [textAt(core(o), 'reportingComponent'), textAt(o, 'reportingInstance')];
  const parts = component === undefined ? reporting : [component, host];
  return parts.filter((part) => typeof part === 'string' && part !== '').join(', ');
}

function involved(o: KubeObject): string {
  const { kind, name } = objectAt(core(o), 'involvedObject');
  return typeof kind === 'string' && kind !== ''
    ? `${kind.toLowerCase()}/${String(name)}`
    : String(name ?? '');
}

function eventCount(o: KubeObject): Json {
  const own = isObject(o['series']) ? o['series']['count'] : core(o)['count'];
  return typeof own === 'number' && own > 0 ? own : 1;
}

const columns = [
  column('Last Seen', 'Time since the last occurrence.', (o, now) => seen(o, 'lastTimestamp', now)),
  column('Type', 'Normal or Warning.', (o) => textAt(o, 'type')),
  column('Reason', 'Why, in one word.', (o) => textAt(o, 'reason')),
  column('Object', 'What the event is about.', involved),
  wide(column('Subobject', 'Which part of it.', (o) => textAt(core(o), 'involvedObject', 'fieldPath'))),
  wide(column('Source', 'Who reports.', sourceText)),
  column('Message', 'What happened.', (o) => textAt(core(o), 'message').trim()),
  wide(column('First Seen', 'Time since the first occurrence.', (o, now) => seen(o, 'firstTimestamp', now))),
  wide(column('Count', 'Number of occurrences.', eventCount)),
  wide(nameColumn),
];

function eventKind(group: string, schema: Schema, fields: typeof fieldReaders): Resource {
  const own = group !== '';
  return defineKind({
    group,
    kind: 'Event',
    plural: 'events',
    shortNames: ['ev'],
    collection: 'events',
    schema,
    columns: columns,
    fields,
    conversion: own
      ? {
          toStorage: (o) => renamed(o, toCore, 'v1'),
          fromStorage: (o) => renamed(o, fromCore, `${group}/v1`),
        }
      : undefined,
    strategy: {
      createOnUpdate: true,
      validate: (o, old) => validateEvent(core(o), old && core(old), own),
      prepareCreate: nullTimes(own),
      prepareUpdate: nullTimes(own),
    },
  });
}

/** v1 and events.k8s.io/v1 Event: two views of the same stored objects. */
export const eventKinds: readonly Resource[] = [
  eventKind('', coreSchema, fieldReaders),
  eventKind('events.k8s.io', eventsSchema, regarding),
];
