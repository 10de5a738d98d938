import type { EventResponse, SecurityEvent } from '@interlock/api';

export type Fields = Record<string, unknown>;

/* Values of fields that an object does not set. */
const emptySubject = { apiVersion: '', kind: '', name: '', namespace: '', uid: '', labels: {} };
const emptyEvent = {
  name: '',
  uid: '',
  labels: {},
  class: '',
  type: '',
  severity: '',
  clusterIdentity: { clusterName: '', clusterID: '' },
  source: { apiVersion: '', kind: '', name: '' },
  subject: emptySubject,
  detectedAt: '',
  signals: [],
  evidence: [],
  correlationID: '',
  traceparent: '',
};
const emptyResponse = {
  name: '',
  uid: '',
  labels: {},
  action: { type: '', actionRef: '', targetRef: emptySubject, parameters: {} },
  responder: { kind: '', name: '' },
};

/** Returns the fields of an event, for templates and expressions; fields of the API without a value are empty. */
export function eventFields(event: SecurityEvent | undefined): Fields {
  return filled(emptyEvent, event && { ...event.spec, ...metadataOf(event) });
}

/** Returns the fields of a response in the same way. */
export function responseFields(response: EventResponse): Fields {
  const { action, responder } = response.spec;
  return {
    ...filled(emptyResponse, { ...metadataOf(response), action, responder }),
    attempts: response.status?.attempts ?? 0,
  };
}

function metadataOf({ metadata }: SecurityEvent | EventResponse): Fields {
  const { name, uid, labels } = metadata;
  return { name, uid, labels };
}

function filled(empty: Fields, given: unknown): Fields {
  const fields = isFields(given) ? given : {};
  const known = Object.entries(empty).map(([key, value]): [string, unknown] => {
    const own = Object.hasOwn(fields, key) ? fields[key] : undefined;
    return [key, isFields(value) ? filled(value, own) : (own ?? value)];
  });
  return { ...fields, ...Object.fromEntries(known) };
}

export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
