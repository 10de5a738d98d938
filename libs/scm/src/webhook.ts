import { createHash, createHmac, timingSafeEqual } from 'node:crypto';

export type WebhookHeaders = Readonly<Record<string, string | string[] | undefined>>;

/** The receiving side of a plugin. It uses neither the network nor a state. */
export interface WebhookReceiver {
  /** Names of the headers, in lower case, one of which each signed delivery has. If absent, any delivery may be signed. */
  readonly signatureHeaders?: readonly string[] | undefined;
  /** Returns whether the SCM sent these bytes. Returns false for an empty secret, which proves nothing. */
  verify(headers: WebhookHeaders, body: Buffer, secret: string): boolean;
  /** @throws TypedError `Invalid` when the body is not what the headers announce. Call it after {@link verify}. */
  parse(headers: WebhookHeaders, body: Buffer): WebhookEvent;
  /** Returns whether the event concerns the repository of this section of a GitRepository's spec. */
  concerns(event: WebhookEvent, section: unknown): boolean;
}

export interface WebhookEvent {
  kind: 'push' | 'pullRequest' | 'commitStatus' | 'ping' | 'other';
  /** Id of the delivery, for the log. */
  delivery: string | undefined;
  /**
   * Absent if the event does not concern a repository. The id is the id at the SCM, if repositories may be named by
   * it.
   */
  repository: { owner: string; name: string; id?: number | undefined } | undefined;
  /** The refs that a push moved. A commit is absent if the ref did not exist before, or no longer exists. */
  refs: MovedRef[];
  /** Number of the pull request, for an event about a pull request. */
  pullRequest?: number | undefined;
  /** The commit of an event about a commit status, or the head for an event about a pull request. */
  sha?: string | undefined;
}

export interface MovedRef {
  /** Full name of the reference: `refs/heads/main`. */
  ref: string;
  before: string | undefined;
  after: string | undefined;
}

/** Returns the first value of a header, or undefined; names are as Node gives them, in lower case. */
export function headerOf(headers: WebhookHeaders, name: string): string | undefined {
  const value = headers[name];
  return Array.isArray(value) ? value[0] : value;
}

/**
 * Returns whether a delivery has a header that may contain its signature; without such a header, the body need not be
 * read.
 */
export function carriesSignature({ signatureHeaders }: WebhookReceiver, headers: WebhookHeaders): boolean {
  return signatureHeaders?.some((name) => (headerOf(headers, name) ?? '') !== '') ?? true;
}

/** Returns whether `signature` is the hexadecimal HMAC-SHA256 of the body, compared in constant time. */
export function hmacMatches(signature: string, body: Buffer, secret: string): boolean {
  if (secret === '' || !/^[0-9a-f]{64}$/i.test(signature)) return false;
  const expected = createHmac('sha256', secret).update(body).digest();
  return timingSafeEqual(expected, Buffer.from(signature, 'hex'));
}

/** The receiver of an SCM that sends no webhooks: it refuses every delivery. */
export const silentWebhook: WebhookReceiver = {
  signatureHeaders: [],
  verify: () => false,
  parse: () => ({ kind: 'other', delivery: undefined, repository: undefined, refs: [] }),
  concerns: () => false,
};

/** Returns whether a plain token matches the secret, compared in constant time. */
export function tokenMatches(token: string, secret: string): boolean {
  if (secret === '') return false;
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(token), digest(secret));
}

/**
 * Returns whether a delivery is signed with a secret (Standard Webhooks): `webhook-signature` contains `v1,<base64>`
 * entries, each an HMAC-SHA256 of the id, the time and the body.
 *
 * @param secret `whsec_` and the key in base64.
 * @param now milliseconds since the epoch; a delivery whose time differs by more than five minutes is refused.
 */
export function standardSignatureMatches(
  headers: WebhookHeaders,
  body: Buffer,
  secret: string,
  now: number,
): boolean {
  const id = headerOf(headers, 'webhook-id');
  const timestamp = headerOf(headers, 'webhook-timestamp') ?? '';
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
  if (id === undefined || key.length === 0 || !/^\d{1,12}$/.test(timestamp)) return false;
  if (Math.abs(Number(timestamp) * 1000 - now) > signatureToleranceMs) return false;
  const expected = createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body).digest('base64');
  const signatures = (headerOf(headers, 'webhook-signature') ?? '').split(' ');
  return signatures.some((signature) => tokenMatches(signature, `v1,${expected}`));
}

const signatureToleranceMs = 5 * 60_000;
