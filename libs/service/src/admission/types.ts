import type { KubeObject } from '@interlock/api';

export type AdmissionOperation = 'CREATE' | 'UPDATE' | 'DELETE' | 'CONNECT';

/** Who asks (authentication.k8s.io/v1 UserInfo). */
export interface AdmissionUser {
  readonly username: string;
  readonly uid?: string | undefined;
  readonly groups: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>> | undefined;
}

/** A write that the API server asks about (admission.k8s.io/v1 AdmissionRequest). */
export interface AdmissionRequest<T extends KubeObject = KubeObject> {
  readonly uid: string;
  readonly operation: AdmissionOperation;
  /** Absent: the object itself. */
  readonly subresource: string | undefined;
  /** Empty while it is still to be generated, and for a deletion of many. */
  readonly name: string;
  readonly namespace: string | undefined;
  readonly user: AdmissionUser;
  /** Nothing will be stored. */
  readonly dryRun: boolean;
  /** Absent for DELETE. */
  readonly object: T | undefined;
  /** Absent for CREATE. */
  readonly oldObject: T | undefined;
  /** Aborts when the API server no longer waits. */
  readonly signal: AbortSignal;
}

/** Something wrong with a field (meta/v1 StatusCause). */
export interface AdmissionCause {
  /** Path, such as `spec.duration`. */
  field: string;
  message: string;
  /** Default `FieldValueInvalid`. */
  reason?: string;
}

/** One operation of a JSON patch (RFC 6902). */
export type JsonPatchOperation =
  { op: 'add' | 'replace' | 'test'; path: string; value: unknown } | { op: 'remove'; path: string };

/** Go on. Warnings are shown to who asked. */
export interface Allowed {
  readonly allowed: true;
  readonly warnings?: readonly string[];
}

/** Go on with the object changed. */
export interface Patched extends Allowed {
  readonly patch: readonly JsonPatchOperation[];
}

/** Do not go on. */
export interface Denied {
  readonly allowed: false;
  readonly message: string;
  /** With causes the answer is 422 Invalid, else 403 Forbidden. */
  readonly causes?: readonly AdmissionCause[];
  readonly warnings?: readonly string[];
}

type Awaitable<T> = T | Promise<T>;

/** Asked after the object was checked against its schema. What it throws is an internal error: the failure policy decides. */
export type ValidatingHandler<T extends KubeObject> = (
  request: AdmissionRequest<T>,
) => Awaitable<Allowed | Denied>;

/** Asked before the object is checked: it may hold anything. */
export type MutatingHandler = (request: AdmissionRequest) => Awaitable<Allowed | Patched | Denied>;
