import { TypedError, type ErrorType } from '@interlock/api';
import { truncate } from '@interlock/base';
import type { HttpAnswer } from '../http/exchange.js';
import { Fields } from './fields.js';
import { firstValueOf, rateLimitResetMs, retryAfterMs, serverTimeOf } from './headers.js';
import { parseJson } from './json.js';

/** A typed refusal by a service of GitHub. `kind` is the kind of error that the service names, if any. */
export class Refusal extends TypedError {
  readonly status: number;
  readonly kind: string;
  /** Milliseconds since the epoch by the service's clock; undefined if the answer has no date. */
  readonly serverTime: number | undefined;
  /** The target of a redirect, as the service writes it. */
  readonly location: string | undefined;

  constructor(
    type: ErrorType,
    message: string,
    options: {
      reason: string;
      status: number;
      kind: string;
      serverTime: number | undefined;
      retryAfterMs?: number | undefined;
      location?: string | undefined;
    },
  ) {
    const { reason, retryAfterMs } = options;
    super(type, message, retryAfterMs === undefined ? { reason } : { reason, retryAfterMs });
    this.status = options.status;
    this.kind = options.kind;
    this.serverTime = options.serverTime;
    this.location = options.location;
  }

  /** Returns the refusal of the same answer with another meaning. */
  as(type: ErrorType, message: string, reason: string): Refusal {
    const { status, kind, serverTime } = this;
    return new Refusal(type, message, { reason, status, kind, serverTime });
  }
}

/** Returns whether `error` is a {@link Refusal} for one of `reasons`, or for any reason if none are given. */
export function isRefusal(error: unknown, ...reasons: string[]): error is Refusal {
  return error instanceof Refusal && (reasons.length === 0 || reasons.includes(error.reason));
}

const maxTextLength = 300;
/**
 * The type and the reason of the error for an HTML page with status 400. The page is from a proxy: a service answers
 * with JSON or with a line of text.
 */
const pageOfProxy = ['Transient', 'UnexpectedAnswer'] as const;
const maxReadBytes = 64 * 1024;
const maxLeadingSpaces = 64;
const leftAngle = 0x3c;

/** Kinds of errors that decide the type of a refusal, whatever its status is. */
const knownKinds: Readonly<Record<string, readonly [ErrorType, string]>> = {
  runnernotfound: ['NotFound', 'RunnerNotFound'],
  taskagentnotfoundexception: ['NotFound', 'RunnerNotFound'],
  taskagentpoolnotfoundexception: ['NotFound', 'RunnerNotFound'],
  hostedrunnerdeprovisioned: ['NotFound', 'RunnerNotFound'],
  runnersessioninvalid: ['NotFound', 'SessionExpired'],
  taskagentsessionexpiredexception: ['NotFound', 'SessionExpired'],
  taskagentsessionconflictexception: ['Conflict', 'SessionConflict'],
  runnerversiontooold: ['Permanent', 'RunnerVersionTooOld'],
  accessdeniedexception: ['Unauthorized', 'AccessDenied'],
  acknowledgejobnotfound: ['NotFound', 'JobNotFound'],
  invalid_client: ['Unauthorized', 'InvalidClient'],
  server_error: ['Transient', 'ServerError'],
};

/**
 * Returns the typed error of a refusal: by the kind of error that its body names, otherwise only by its status, because
 * proxies answer with HTML or without a body.
 *
 * @param what the call and its object, such as `create the session of runner a-1`
 * @param answer with a status that is not a success, or with the page of a proxy
 * @param now milliseconds since the epoch
 */
export function refusalOfAnswer(what: string, answer: HttpAnswer, now: number): Refusal {
  const { headers } = answer;
  const { kind, text, isPage } = readError(answer.body);
  const [type, reason] = isPage && answer.status === 400 ? pageOfProxy : meaning(answer, kind, text);
  const claimsSuccess = answer.status >= 200 && answer.status < 300;
  const quoted = text === '' ? '' : `: ${truncate(text.replace(/\s+/g, ' '), maxTextLength)}`;
  const said = claimsSuccess ? ' with a page of a proxy; check the proxy' : quoted;
  return new Refusal(type, `${what}: HTTP ${answer.status}${kind === '' ? '' : ` ${kind}`}${said}`, {
    reason,
    status: answer.status,
    kind,
    serverTime: serverTimeOf(headers),
    retryAfterMs:
      type === 'RateLimited' || type === 'Transient'
        ? (retryAfterMs(headers, now) ?? rateLimitResetMs(headers, now))
        : undefined,
    location: reason === 'Redirected' ? firstValueOf(headers, 'location') : undefined,
  });
}

/** Returns whether a body is an HTML or XML page. A service answers with JSON, with a line of text or with nothing. */
export function isPage(body: Buffer): boolean {
  let at = 0;
  while (at < maxLeadingSpaces && isSpace(body[at])) at += 1;
  return body[at] === leftAngle;
}

function isSpace(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}

function meaning(answer: HttpAnswer, kind: string, text: string): readonly [ErrorType, string] {
  const name = kind.toLowerCase();
  /* A service may name anything, such as the `constructor` that every object inherits. */
  const known = Object.hasOwn(knownKinds, name) ? knownKinds[name] : undefined;
  if (text.toLowerCase().includes('current server time is')) return ['Unauthorized', 'ClockSkew'];
  if (known !== undefined) return known;
  const { status } = answer;
  if ((status === 400 || status === 403) && saysTooOld(text)) return ['Permanent', 'RunnerVersionTooOld'];
  if (status === 429 || (status === 403 && isLimit(answer, text))) return ['RateLimited', 'RateLimited'];
  if (status === 401) return ['Unauthorized', 'Unauthorized'];
  if (status === 403) return ['Unauthorized', 'AccessDenied'];
  if (status === 404 || status === 410) return ['NotFound', 'NotFound'];
  if (status === 409) return ['Conflict', 'Conflict'];
  if (status === 408 || status >= 500) return ['Transient', 'ServerError'];
  if (status === 400 || status === 413 || status === 422) return ['Invalid', 'Invalid'];
  if (status >= 300 && status < 400) return ['Permanent', 'Redirected'];
  return status < 300 ? ['Transient', 'UnexpectedAnswer'] : ['Permanent', 'Refused'];
}

function saysTooOld(text: string): boolean {
  const words = text.toLowerCase();
  return words.includes('too old') || words.includes('deprecated') || words.includes('minimum');
}

/** Returns whether a refusal reports an exceeded rate limit, for which GitHub also uses 403. */
function isLimit({ headers }: HttpAnswer, text: string): boolean {
  const words = text.toLowerCase();
  return (
    headers['retry-after'] !== undefined ||
    headers['x-ratelimit-remaining'] === '0' ||
    words.includes('secondary rate limit') ||
    words.includes('rate limit exceeded')
  );
}

function readError(body: Buffer): { kind: string; text: string; isPage: boolean } {
  if (body.length === 0 || body.length > maxReadBytes) return { kind: '', text: '', isPage: false };
  try {
    const fields = new Fields(parseJson(body));
    const kind =
      fields.text('errorKind', 'typeKey') ?? shortName(fields.text('typeName')) ?? fields.text('error');
    const text = fields.text('errorMessage', 'message', 'error_description', 'errorDescription');
    return { kind: (kind ?? '').slice(0, 80), text: text ?? '', isPage: false };
  } catch {
    const plain = body.toString('utf8', 0, maxTextLength).trim();
    const fromProxy = isPage(body);
    return { kind: '', text: fromProxy || !isPrintable(plain) ? '' : plain, isPage: fromProxy };
  }
}

function isPrintable(text: string): boolean {
  return !/[^\P{C}\s]|\uFFFD/u.test(text);
}

/** Returns the class in a name such as `Namespace.Class, Assembly`. */
function shortName(typeName: string | undefined): string | undefined {
  return typeName?.split(',')[0]?.split('.').at(-1);
}
