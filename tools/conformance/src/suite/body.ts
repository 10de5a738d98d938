/** The metadata in a response of the API server. */
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
  /** Token of a list with further pages. */
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

/** The JSON object of a response: an object, a list or a Status, without validation. */
export interface Body {
  apiVersion: string;
  kind: string;
  metadata: Metadata;
  spec?: Record<string, unknown>;
  data?: Record<string, string>;
  /** A record in an object; "Success" or "Failure" in a Status. */
  status?: unknown;
  items: Body[];
  /** Reason of a Status. */
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
