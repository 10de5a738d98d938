/**
 * How a failure is handled. The adapter that encounters the failure chooses the type; the controller runtime turns it
 * into a retry policy, a condition, an event severity and a log level.
 *
 * - `Transient`: may succeed when repeated soon (5xx, network, timeout).
 * - `RateLimited`: repeat after `retryAfterMs`.
 * - `Unauthorized`: the credential is refused (401, 403); repeating without a change is pointless.
 * - `Conflict`: the state has changed meanwhile (409, stale lease); observe again.
 * - `Invalid`: the request, or the manifest behind it, is wrong (400, 422).
 * - `NotFound`: the object does not exist (404, 410).
 * - `Permanent`: does not succeed until a user or an operator changes something.
 */
export type ErrorType =
  'Transient' | 'RateLimited' | 'Unauthorized' | 'Conflict' | 'Invalid' | 'NotFound' | 'Permanent';

export interface TypedErrorOptions {
  /** CamelCase word for the `reason` of a condition. Defaults to the type of the error. */
  reason?: string | undefined;
  /** Milliseconds to wait before the next attempt. */
  retryAfterMs?: number | undefined;
  /** See {@link TypedError.isLocal}. Defaults to the value of the cause. */
  isLocal?: boolean | undefined;
  cause?: unknown;
}

export class TypedError extends Error {
  readonly type: ErrorType;
  readonly reason: string;
  readonly retryAfterMs: number | undefined;
  /** Whether the failure arose on this machine, so that it carries no information about the server to be called. */
  readonly isLocal: boolean;

  constructor(type: ErrorType, message: string, options: TypedErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'TypedError';
    this.type = type;
    this.reason = options.reason ?? type;
    this.retryAfterMs = options.retryAfterMs;
    this.isLocal = options.isLocal ?? (isTyped(options.cause) && options.cause.isLocal);
  }
}

/** Returns whether `error` is a {@link TypedError}; if any `types` are given, whether it has one of them. */
export function isTyped(error: unknown, ...types: ErrorType[]): error is TypedError {
  return error instanceof TypedError && (types.length === 0 || types.includes(error.type));
}

/** Returns the message of any thrown value. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Returns what a read finds, or undefined if the read fails with `NotFound`. */
export async function ifFound<T>(read: Promise<T>): Promise<T | undefined> {
  try {
    return await read;
  } catch (error) {
    if (isTyped(error, 'NotFound')) return undefined;
    throw error;
  }
}
