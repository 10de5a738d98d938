import type { Scope } from './scope.js';

/** The time of the events of {@link newEvent}. */
export const eventTime = '2030-01-02T03:04:05.678901Z';

/** Returns the path of the events of events.k8s.io/v1 in the namespace of the group, or of one of them. */
export function newEvents({ namespace }: Scope, name?: string): string {
  return `/apis/events.k8s.io/v1/namespaces/${namespace}/events${name === undefined ? '' : `/${name}`}`;
}

/** Returns an event of events.k8s.io/v1 with all fields that it requires. */
export function newEvent({ namespace }: Scope, name: string, fields: object = {}): object {
  return {
    apiVersion: 'events.k8s.io/v1',
    kind: 'Event',
    metadata: { name },
    eventTime,
    reportingController: 'conformance.example/controller',
    reportingInstance: 'controller-0',
    action: 'Check',
    reason: 'Checked',
    type: 'Normal',
    note: 'all is well',
    regarding: { apiVersion: 'v1', kind: 'ConfigMap', namespace, name },
    ...fields,
  };
}

/** Returns an event of v1 with few fields. */
export function coreEvent({ namespace }: Scope, name: string, fields: object = {}): object {
  const involvedObject = { kind: 'ConfigMap', namespace, name };
  return { apiVersion: 'v1', kind: 'Event', metadata: { name }, involvedObject, ...fields };
}
