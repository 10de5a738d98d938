/**
 * How a failure is to be handled. The adapter that met the failure chooses the type; the controller runtime turns
 * it into a retry policy, a condition, an event severity and a log level.
 *
 * - `Transient`: may succeed when repeated soon (5xx, network, timeout).
 * - `RateLimited`: repeat after `retryAfterMs`.
 * - `Unauthorized`: the credential is refused (401, 403); repeating without a change is pointless.
 * - `Conflict`: the world moved on (409, stale lease); observe again.
 * - `Invalid`: the request, or the manifest behind it, is wrong (400, 422).
 * - `NotFound`: the thing does not exist (404, 410).
 * - `Permanent`: will not succeed until somebody changes something.
 */
export type ErrorType =
  'Transient' | 'RateLimited' | 'Unauthorized' | 'Conflict' | 'Invalid' | 'NotFound' | 'Permanent';

export interface TypedErrorOptions {
  /** CamelCase word for a condition's `reason`; default: the error's type. */
  reason?: string;
  /** Milliseconds to wait before a repeat. */
  retryAfterMs?: number;
  /** See {@link TypedError.isLocal}. Default: as of the cause. */
  isLocal?: boolean;
  cause?: unknown;
}

export class TypedError extends Error {
  readonly type: ErrorType;
  readonly reason: string;
  readonly retryAfterMs: number | undefined;
  /** The failure arose on this machine, and says nothing about a server that was to be called. */
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

/** Returns whether `error` is a {@link TypedError}, of one of `types` when any are given. */
export function isTyped(error: unknown, ...types: ErrorType[]): error is TypedError {
  return error instanceof TypedError && (types.length === 0 || types.includes(error.type));
}

/** Returns the message of anything that was thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Returns what a read finds; undefined where it fails with `NotFound`. */
export async function ifFound<T>(read: Promise<T>): Promise<T | undefined> {
  try {
    return await read;
  } catch (error) {
    if (isTyped(error, 'NotFound')) return undefined;
    throw error;
  }
}
