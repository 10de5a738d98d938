import type { KubeObject } from '@interlock/api';

type AdmissionOperation = 'CREATE' | 'UPDATE' | 'DELETE' | 'CONNECT';

/** The user who sent the write (authentication.k8s.io/v1 UserInfo). */
export interface AdmissionUser {
  readonly username: string;
  readonly uid?: string | undefined;
  readonly groups: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>> | undefined;
}

/** A write that the API server asks to admit (admission.k8s.io/v1 AdmissionRequest). */
export interface AdmissionRequest<T extends KubeObject = KubeObject> {
  readonly uid: string;
  readonly operation: AdmissionOperation;
  /** Absent for the object itself. */
  readonly subresource: string | undefined;
  /** Empty if the name is still to be generated, and for the deletion of a collection. */
  readonly name: string;
  readonly namespace: string | undefined;
  readonly user: AdmissionUser;
  /** Whether nothing will be stored. */
  readonly dryRun: boolean;
  /** Absent for DELETE. */
  readonly object: T | undefined;
  /** Absent for CREATE. */
  readonly oldObject: T | undefined;
  /** Aborts when the API server no longer waits for the answer. */
  readonly signal: AbortSignal;
}

/** A problem with a field (meta/v1 StatusCause). */
interface AdmissionCause {
  /** Path, such as `spec.duration`. */
  field: string;
  message: string;
  /** Default: `FieldValueInvalid`. */
  reason?: string;
}

/** One operation of a JSON patch (RFC 6902). */
export type JsonPatchOperation =
  { op: 'add' | 'replace' | 'test'; path: string; value: unknown } | { op: 'remove'; path: string };

/** The write is allowed. Warnings are shown to the user. */
export interface Allowed {
  readonly allowed: true;
  readonly warnings?: readonly string[];
}

/** The write is allowed with a change of the object. */
export interface Patched extends Allowed {
  readonly patch: readonly JsonPatchOperation[];
}

/** The write is denied. */
export interface Denied {
  readonly allowed: false;
  readonly message: string;
  /** With causes the answer is 422 Invalid, otherwise 403 Forbidden. */
  readonly causes?: readonly AdmissionCause[];
  readonly warnings?: readonly string[];
}

type Awaitable<T> = T | Promise<T>;

/** Validates an object that conforms to its schema. A thrown error is an internal error: the failure policy decides. */
export type ValidatingHandler<T extends KubeObject> = (
  request: AdmissionRequest<T>,
) => Awaitable<Allowed | Denied>;

/** Changes an object before it is checked against its schema, so its fields can have any value. */
export type MutatingHandler = (request: AdmissionRequest) => Awaitable<Allowed | Patched | Denied>;
