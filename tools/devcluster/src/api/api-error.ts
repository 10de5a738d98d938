import { isObject } from '../schema/json.js';
import type { Cause, JsonObject } from '../schema/types.js';

/** The subject of a Status: a resource (`configmaps`) or, in some errors, a kind (`ConfigMap`). */
interface Subject {
  group: string;
  /** `configmaps` in most errors, `ConfigMap` in validation errors. */
  kind: string;
  name?: string;
}

/** A failed request, which results in a Status (k8s.io/apimachinery/pkg/api/errors). */
export class ApiError extends Error {
  override readonly name = 'ApiError';

  constructor(
    /** HTTP status code. */
    readonly code: number,
    /** Machine-readable reason; some errors of the API server have none. */
    readonly reason: string | undefined,
    message: string,
    readonly details?: JsonObject,
  ) {
    super(message);
  }

  /** Returns the `v1` Status. */
  toStatus(): JsonObject {
    return {
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      message: this.message,
      ...(this.reason === undefined ? {} : { reason: this.reason }),
      ...(this.details === undefined ? {} : { details: this.details }),
      code: this.code,
    };
  }
}

function details({ group, kind, name }: Subject): JsonObject {
  return {
    ...(name === undefined || name === '' ? {} : { name }),
    ...(group === '' ? {} : { group }),
    kind,
  };
}

/** Returns the name of a kind with its group: `configmaps` or `widgets.example.dev`. */
function qualified({ group, kind }: Subject): string {
  return group === '' ? kind : `${kind}.${group}`;
}

export function notFound(subject: Subject): ApiError {
  const message = `${qualified(subject)} "${subject.name ?? ''}" not found`;
  return new ApiError(404, 'NotFound', message, details(subject));
}

export function alreadyExists(subject: Subject, prefix = ''): ApiError {
  const message = `${prefix}${qualified(subject)} "${subject.name ?? ''}" already exists`;
  return new ApiError(409, 'AlreadyExists', message, details(subject));
}

export function conflict(subject: Subject, why: string): ApiError {
  const message = `Operation cannot be fulfilled on ${qualified(subject)} "${subject.name ?? ''}": ${why}`;
  return new ApiError(409, 'Conflict', message, details(subject));
}

/** Returns the conflict error of optimistic locking. */
export function modified(subject: Subject): ApiError {
  return conflict(
    subject,
    'the object has been modified; please apply your changes to the latest version and try again',
  );
}

/**
 * Returns a 422 with one cause per error. `subject.kind` is the name of the kind, or empty if the error does not
 * concern an object.
 */
export function invalid(subject: Subject, causes: readonly Cause[]): ApiError {
  const lines = [...new Set(causes.map(({ field, message }) => `${field}: ${message}`))];
  const text = lines.length === 1 ? lines.join() : `[${lines.join(', ')}]`;
  const message = `${qualified(subject)} "${subject.name ?? ''}" is invalid: ${text}`;
  const about = subject.kind === '' ? {} : details(subject);
  return new ApiError(422, 'Invalid', message, { ...about, causes: causes.map((cause) => ({ ...cause })) });
}

export function forbidden(subject: Subject, why: string, causes?: readonly Cause[]): ApiError {
  const name = subject.name === undefined || subject.name === '' ? '' : ` "${subject.name}"`;
  const message = `${qualified(subject)}${name} is forbidden: ${why}`;
  const extra = causes === undefined ? {} : { causes: causes.map((cause) => ({ ...cause })) };
  return new ApiError(403, 'Forbidden', message, { ...details(subject), ...extra });
}

export function badRequest(message: string): ApiError {
  return new ApiError(400, 'BadRequest', message);
}

export function unauthorized(): ApiError {
  return new ApiError(401, 'Unauthorized', 'Unauthorized');
}

export function methodNotAllowed(): ApiError {
  return new ApiError(
    405,
    'MethodNotAllowed',
    'the server does not allow this method on the requested resource',
    {},
  );
}

/** Returns the error for a resource that the group version does not serve. */
export function noSuchResource(): ApiError {
  return new ApiError(404, 'NotFound', 'the server could not find the requested resource', {});
}

export function expired(message: string): ApiError {
  return new ApiError(410, 'Expired', message);
}

export function internal(message: string): ApiError {
  return new ApiError(500, 'InternalError', `Internal error occurred: ${message}`, { causes: [{ message }] });
}

/** Returns the error for a list at a revision that the server has not reached. */
export function tooLargeRevision(wanted: number, current: number): ApiError {
  return new ApiError(
    504,
    'Timeout',
    `Timeout: Too large resource version: ${String(wanted)}, current: ${String(current)}`,
    {
      causes: [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }],
      retryAfterSeconds: 1,
    },
  );
}

/** Returns the error for a patch with a media type that the API server does not support. */
export function unsupportedPatch(): ApiError {
  return new ApiError(415, 'UnsupportedMediaType', '415: Unsupported Media Type', {});
}

/** Returns the error for a body with a media type that this resource does not support. */
export function unsupportedMediaType(accepted: readonly string[]): ApiError {
  const message = `the body of the request was in an unknown format - accepted media types include: ${accepted.join(', ')}`;
  return new ApiError(415, 'UnsupportedMediaType', message);
}

export function notAcceptable(accepted: readonly string[]): ApiError {
  const message = `only the following media types are accepted: ${accepted.join(', ')}`;
  return new ApiError(406, 'NotAcceptable', message);
}

/** Returns the error for a transformation that the requested object or list does not support. */
export function wrongShape(message: string): ApiError {
  return new ApiError(406, 'NotAcceptable', message);
}

export function tooLarge(limit: number): ApiError {
  return new ApiError(413, 'RequestEntityTooLarge', `Request entity too large: limit is ${String(limit)}`);
}

/** Returns the error for an existing Status. */
export function fromStatus(status: JsonObject): ApiError {
  const { code, reason, message, details: about } = status;
  return new ApiError(
    typeof code === 'number' ? code : 500,
    typeof reason === 'string' ? reason : undefined,
    String(message),
    isObject(about) ? about : undefined,
  );
}
