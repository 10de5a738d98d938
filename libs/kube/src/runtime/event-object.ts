import type { KubeObject } from '@interlock/api';
import { prefixOf, truncateBytes } from '@interlock/base';
import type { Event } from '../client/kinds.js';
import { microTime } from './micro-time.js';

/** The input of an event recorder. */
export interface EventInput {
  type: 'Normal' | 'Warning';
  /** Reason as one CamelCase word, for machines. */
  reason: string;
  /** The action that was taken or attempted, as one CamelCase word. */
  action: string;
  /** Human-readable sentence. */
  note: string;
}

/** core/v1 ObjectReference. */
interface ObjectReference {
  apiVersion: string;
  kind: string;
  namespace?: string;
  name: string;
  uid?: string;
  resourceVersion?: string;
}

export interface Reporter {
  /** A qualified name, such as `promoter.argoproj.io/promoter`. */
  controller: string;
  /** This process, such as the name of the pod. */
  instance: string;
}

/** Limits of events.k8s.io/v1 (kubernetes: pkg/apis/core/validation/events.go). */
const maxWord = 128;
const maxNoteBytes = 1024;
const maxName = 253;

/** Returns the Event, in the namespace of the object that it regards, or in `default` for cluster-scoped objects. */
export function eventObject(
  regarding: ObjectReference,
  input: EventInput,
  reporter: Reporter,
  now: number,
  random: () => number,
): Event {
  return {
    apiVersion: 'events.k8s.io/v1',
    kind: 'Event',
    metadata: { name: eventName(regarding.name, now, random), namespace: regarding.namespace ?? 'default' },
    eventTime: microTime(now),
    type: input.type,
    reason: prefixOf(input.reason, maxWord),
    action: prefixOf(input.action, maxWord),
    note: truncateBytes(input.note, maxNoteBytes),
    regarding,
    reportingController: reporter.controller,
    reportingInstance: prefixOf(reporter.instance, maxWord),
  };
}

export function referenceTo(object: KubeObject): ObjectReference {
  const { name, namespace, uid, resourceVersion } = object.metadata;
  return {
    apiVersion: object.apiVersion,
    kind: object.kind,
    name,
    ...(namespace !== undefined && { namespace }),
    ...(uid !== undefined && { uid }),
    ...(resourceVersion !== undefined && { resourceVersion }),
  };
}

/**
 * Returns `<object>.<time><random>` like client-go, which is unique even among processes that report in the same
 * millisecond.
 */
function eventName(name: string, now: number, random: () => number): string {
  const salt = Math.floor(random() * 2 ** 32);
  const suffix = `.${now.toString(16)}${salt.toString(16).padStart(8, '0')}`;
  return name.slice(0, maxName - suffix.length).replace(/[-.]+$/, '') + suffix;
}
