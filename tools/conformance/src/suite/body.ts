/** The metadata that the API server answers with. */
interface Metadata {
  name: string;
  namespace?: string;
  uid: string;
  resourceVersion: string;
  generation?: number;
  creationTimestamp: string;
  deletionTimestamp?: string;
  labels?: Record<string, string>;
  annotations?: Record<string, string>;
  finalizers?: string[];
  ownerReferences?: Record<string, unknown>[];
  managedFields?: ManagedFields[];
  /** Of a list with more pages. */
  continue?: string;
  remainingItemCount?: number;
}

export interface ManagedFields {
  manager: string;
  operation: string;
  apiVersion: string;
  fieldsType: string;
  fieldsV1: Record<string, unknown>;
  subresource?: string;
  time?: string;
}

/** A cause of a refusal (`details.causes` of a Status). */
export interface StatusCause {
  reason?: string;
  message?: string;
  field?: string;
}

/** An answer's JSON object: an object, a list or a Status, read without a check of its shape. */
export interface Body {
  apiVersion: string;
  kind: string;
  metadata: Metadata;
  spec?: Record<string, unknown>;
  data?: Record<string, string>;
  /** Of an object a record; of a Status "Success" or "Failure". */
  status?: unknown;
  items: Body[];
  /** Of a Status. */
  reason?: string;
  message?: string;
  code?: number;
  details?: {
    name?: string;
    group?: string;
    kind?: string;
    causes?: StatusCause[];
    retryAfterSeconds?: number;
  };
  [field: string]: unknown;
}
