import type { EventResponse, SecurityEvent } from '@interlock/api';
import { isFields } from '../facts.js';
import type { Subject } from './delivery.js';

/**
 * @returns the object whose file is meant where an operation names none: the target of the action, with the
 * labels and annotations that the event has of it, or else the subject of the event. Undefined when neither has
 * a kind and a name.
 */
export function subjectOf(response: EventResponse, event: SecurityEvent | undefined): Subject | undefined {
  const subject = identified(event?.spec.subject);
  const target = identified(response.spec.action.targetRef);
  if (target === undefined || subject === undefined) return target ?? subject;
  const isSame = (['kind', 'name', 'namespace'] as const).every(
    (key) => (target[key] ?? '') === (subject[key] ?? ''),
  );
  return isSame ? { ...subject, ...target } : target;
}

function identified(value: unknown): Subject | undefined {
  if (!isFields(value)) return undefined;
  const text = (key: string): string | undefined => {
    const member = Object.hasOwn(value, key) ? value[key] : undefined;
    return typeof member === 'string' && member !== '' ? member : undefined;
  };
  const [apiVersion, kind, name, namespace] = ['apiVersion', 'kind', 'name', 'namespace'].map(text);
  if (kind === undefined || name === undefined) return undefined;
  const marks = { labels: texts(value['labels']), annotations: texts(value['annotations']) };
  return {
    ...(apiVersion !== undefined && { apiVersion }),
    kind,
    name,
    ...(namespace !== undefined && { namespace }),
    ...(marks.labels && { labels: marks.labels }),
    ...(marks.annotations && { annotations: marks.annotations }),
  };
}

function texts(value: unknown): Record<string, string> | undefined {
  if (!isFields(value)) return undefined;
  const entries = Object.entries(value).filter(
    (entry): entry is [string, string] => typeof entry[1] === 'string',
  );
  return Object.fromEntries(entries);
}
