import type { Kind, KubeObject } from '@interlock/api';
import { hasMoreJsonValues, Problem, type OrProblem } from '@interlock/base';
import * as z from 'zod';
import type { AdmissionRequest, Allowed, Denied, Patched } from './types.js';

const apiVersion = 'admission.k8s.io/v1';

/**
 * The values of two objects of the largest size that etcd stores (1.5 MiB), with three bytes each. A body can have ten times as many,
 * which would need more memory than the process has, and any client that reaches the server can send it.
 */
const maxValues = 1024 * 1024;

const object = z.looseObject({
  apiVersion: z.string(),
  kind: z.string(),
  metadata: z.looseObject({
    name: z.string().default(''),
    /* A client may write null for an absent field. */
    annotations: z
      .record(z.string(), z.string())
      .nullish()
      .transform((values) => values ?? undefined),
  }),
});

/** A list of texts, which Go writes as null if it was never set. */
const texts = z
  .array(z.string())
  .nullish()
  .transform((values) => values ?? []);

const review = z.object({
  apiVersion: z.literal(apiVersion),
  kind: z.literal('AdmissionReview'),
  request: z.object({
    uid: z.string().min(1),
    kind: z.object({ group: z.string(), version: z.string(), kind: z.string() }),
    subResource: z.string().optional(),
    name: z.string().default(''),
    namespace: z.string().optional(),
    operation: z.enum(['CREATE', 'UPDATE', 'DELETE', 'CONNECT']),
    userInfo: z.object({
      username: z.string().default(''),
      uid: z.string().optional(),
      groups: texts,
      extra: z.record(z.string(), texts).optional(),
    }),
    object: object.nullish(),
    oldObject: object.nullish(),
    dryRun: z.boolean().default(false),
  }),
});

/**
 * Returns the request of an AdmissionReview from the API server, or the reason why the body is not a review of `kind`.
 */
export function readReview<T extends KubeObject>(
  body: unknown,
  kind: Kind<T>,
  signal: AbortSignal,
): OrProblem<AdmissionRequest<T>> {
  if (Buffer.isBuffer(body) && hasMoreJsonValues(body, maxValues))
    return new Problem(
      'TooManyValues',
      `the body has more than ${maxValues} values; make the object smaller`,
    );
  const parsed = review.safeParse(parseJson(body));
  if (!parsed.success)
    return new Problem('NotAReview', `the body is not an AdmissionReview of ${apiVersion}`);
  const { request } = parsed.data;
  const { group, version, kind: name } = request.kind;
  if (group !== kind.group || version !== kind.version || name !== kind.kind) {
    const message = `the body is not a review of ${kind.kind}.${kind.version}.${kind.group}; check the webhook configuration`;
    return new Problem('AnotherKind', message);
  }
  const { kind: _kind, subResource, userInfo, ...rest } = request;
  return {
    ...rest,
    subresource: subResource,
    namespace: request.namespace,
    user: userInfo,
    /* The API server has decoded the object as this kind. */
    object: (request.object ?? undefined) as T | undefined,
    oldObject: (request.oldObject ?? undefined) as T | undefined,
    signal,
  };
}

function parseJson(body: unknown): unknown {
  try {
    return Buffer.isBuffer(body) ? JSON.parse(body.toString('utf8')) : undefined;
  } catch {
    return undefined;
  }
}

/** Returns the AdmissionReview that answers a request. */
export function answerReview(
  { uid, name }: AdmissionRequest,
  kind: Kind,
  verdict: Allowed | Patched | Denied,
): object {
  const { warnings = [] } = verdict;
  const response = verdict.allowed ? allowed(verdict) : denied(verdict, kind, name);
  return {
    apiVersion,
    kind: 'AdmissionReview',
    response: { uid, ...response, ...(warnings.length > 0 && { warnings }) },
  };
}

function allowed(verdict: Allowed | Patched): object {
  if (!('patch' in verdict) || verdict.patch.length === 0) return { allowed: true };
  const patch = Buffer.from(JSON.stringify(verdict.patch)).toString('base64');
  return { allowed: true, patchType: 'JSONPatch', patch };
}

function denied({ message, causes = [] }: Denied, { group, kind }: Kind, name: string): object {
  const isInvalid = causes.length > 0;
  const details = {
    ...(name !== '' && { name }),
    group,
    kind,
    causes: causes.map((cause) => ({ reason: 'FieldValueInvalid', ...cause })),
  };
  return {
    allowed: false,
    status: {
      status: 'Failure',
      message,
      ...(isInvalid ? { reason: 'Invalid', code: 422, details } : { reason: 'Forbidden', code: 403 }),
    },
  };
}
