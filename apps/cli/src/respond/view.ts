import { conditions, EventResponse } from '@interlock/api';
import { eventNameOf, gitOpsChange } from '@interlock/responding';
import { defineView, type View } from '../listing/view.js';
import { ageText } from '../output/text.js';

/** The phases of a response. */
export const phases = ['Pending', 'Running', 'Succeeded', 'Failed', 'Cancelled'] as const;
type Phase = (typeof phases)[number];

export interface ResponseFilter {
  responderName?: string;
  phase?: Phase;
}

const headers = ['NAME', 'EVENT', 'ROUTE', 'PHASE', 'STAGE', 'ATTEMPTS', 'NEXT', 'URL', 'AGE', 'MESSAGE'];

/** Returns the view that lists the responses with action GitOpsChange that match a filter. */
export function responseView({ responderName, phase }: ResponseFilter): View {
  const isListed = ({ spec, status }: EventResponse) =>
    spec.action.type === gitOpsChange &&
    (responderName === undefined || spec.responder.name === responderName) &&
    (phase === undefined || (status?.phase ?? 'Pending') === phase);
  return defineView<EventResponse>({
    kind: EventResponse,
    headers,
    rows: (response, now) => (isListed(response) ? [rowOf(response, now)] : []),
    data: (response) => (isListed(response) ? [response] : []),
  });
}

function rowOf(response: EventResponse, now: number): string[] {
  const { metadata, status = {} } = response;
  const { phase = 'Pending', stage, route, attempts = 0, nextAttemptAt, providerRef } = status;
  const isDue = phase === 'Pending' || phase === 'Running';
  return [
    metadata.name,
    eventNameOf(response),
    route?.repository ?? '',
    phase,
    stage ?? '',
    String(attempts),
    isDue ? (nextAttemptAt ?? '') : '',
    providerRef ?? '',
    ageText(metadata.creationTimestamp, now),
    messageOf(status),
  ];
}

function messageOf({
  error,
  outcome,
  cancelReason,
  conditions: all = [],
}: NonNullable<EventResponse['status']>): string {
  const ready = all.find(({ type }) => type === conditions.ready)?.message;
  return cancelReason ?? error?.detail ?? outcome?.message ?? ready ?? '';
}
