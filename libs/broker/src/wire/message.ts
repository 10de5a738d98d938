import { TypedError } from '@interlock/api';
import type { Delivery } from '../source/agent-store.js';
import { Fields } from './fields.js';
import { absoluteUrl } from './absolute-url.js';
import { parseJson } from './json.js';

/** A received message; the body is a text, usually JSON, sometimes encrypted. */
export interface Envelope {
  /** Type of the message, in lower case. */
  type: string;
  body: string;
  /** Base64; present if the body is encrypted. */
  iv: string | undefined;
}

/** The offer of a job to an agent. */
export interface JobOffer extends Delivery {
  /** Whether the service waits for an acknowledgement. */
  shouldAcknowledge: boolean;
}

/** The parsed content of a message of the broker. */
export type BrokerMessage =
  | { type: 'job'; offer: JobOffer }
  /** `timeoutMs`: after which time the service ends the job; undefined when it does not state it. */
  | { type: 'cancellation'; jobId: string; timeoutMs: number | undefined }
  | { type: 'migration'; brokerUrl: string }
  | { type: 'tokenRefresh' }
  | { type: 'shutdown'; message: string }
  | { type: 'other'; name: string };

const maxNameLength = 64;

/** Parses the answer to a poll. @throws TypedError `Invalid` when it is not a message */
export function parseEnvelope(answer: Buffer): Envelope {
  const fields = new Fields(parseJson(answer));
  const type = fields.text('messageType');
  if (type === undefined) throw malformed('it has no messageType');
  return {
    type: type.toLowerCase(),
    body: textOf(fields.value('body')),
    iv: fields.text('iv'),
  };
}

/** Returns the body as a JSON text, even if the service writes it as a JSON object. */
function textOf(body: unknown): string {
  return typeof body === 'string' ? body : JSON.stringify(body ?? '');
}

/**
 * Parses the body of a message.
 *
 * @param brokerUrl URL of the broker that sent it, to which URLs without a host are relative
 * @throws TypedError `Invalid` when a field that its type needs is missing
 */
export function parseMessage({ type, body }: Envelope, brokerUrl: string): BrokerMessage {
  switch (type) {
    case 'runnerjobrequest':
      return { type: 'job', offer: offerOf(body, brokerUrl) };
    case 'jobcancellation':
      return cancellationOf(new Fields(parseJson(body)));
    case 'brokermigration':
      return {
        type: 'migration',
        brokerUrl: absoluteUrl(required(new Fields(parseJson(body)), 'brokerBaseUrl'), brokerUrl),
      };
    case 'forcetokenrefresh':
      return { type: 'tokenRefresh' };
    case 'runnershutdown':
    case 'hostedrunnershutdown':
      return { type: 'shutdown', message: 'the broker ended the session of this runner' };
    default:
      return { type: 'other', name: type.slice(0, maxNameLength) };
  }
}

function cancellationOf(fields: Fields): BrokerMessage {
  const timeoutMs = timeSpanMs(fields.text('timeout') ?? '');
  return { type: 'cancellation', jobId: required(fields, 'jobId'), timeoutMs };
}

/**
 * Returns the milliseconds of a .NET TimeSpan, `[d.]hh:mm:ss[.fffffff]`; undefined for another text. They are fewer than 8.64e15, the
 * maximum of a time in JavaScript.
 */
function timeSpanMs(text: string): number | undefined {
  const parts = /^(?:(\d{1,8})\.)?([01]?\d|2[0-3]):([0-5]\d):([0-5]\d)(?:\.\d{1,7})?$/.exec(text);
  if (parts === null) return undefined;
  const [days = 0, hours = 0, minutes = 0, seconds = 0] = parts.slice(1).map((part) => Number(part ?? 0));
  return (((days * 24 + hours) * 60 + minutes) * 60 + seconds) * 1000;
}

function offerOf(body: string, brokerUrl: string): JobOffer {
  const fields = new Fields(parseJson(body));
  const runServiceUrl = fields.text('run_service_url', 'runServiceUrl') ?? '';
  return {
    requestId: required(fields, 'runner_request_id', 'runnerRequestId'),
    /* A service with one URL for everything does not name another one. */
    runServiceUrl: absoluteUrl(checked(runServiceUrl, 'run_service_url'), brokerUrl),
    billingOwnerId: fields.text('billing_owner_id', 'billingOwnerId') ?? '',
    shouldAcknowledge: fields.flag('should_acknowledge', 'shouldAcknowledge') ?? false,
  };
}

function required(fields: Fields, name: string, ...others: string[]): string {
  return checked(fields.text(name, ...others), name);
}

function checked(value: string | undefined, name: string): string {
  if (value === undefined || value.length > 4096) throw malformed(`its body has no usable ${name}`);
  return value;
}

function malformed(why: string): TypedError {
  return new TypedError('Invalid', `a message of the broker cannot be read: ${why}`, {
    reason: 'MalformedAnswer',
  });
}
