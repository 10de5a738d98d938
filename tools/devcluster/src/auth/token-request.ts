import { goQuote } from '../schema/json.js';
import type { Cause, JsonObject } from '../schema/types.js';
import type { ObjectRef, ServiceAccountTokens, TokenSubject } from './service-account-tokens.js';
import { failure, invalid } from './status.js';

const group = 'authentication.k8s.io';
const defaultExpirationSeconds = 3600;
const minExpirationSeconds = 600;
const maxExpirationSeconds = 2 ** 32;

/** The `spec` of a TokenRequest (authentication.k8s.io/v1). */
export interface TokenRequestSpec {
  audiences?: readonly string[] | null;
  expirationSeconds?: number | null;
  boundObjectRef?: { apiVersion?: string; kind?: string; name?: string; uid?: string } | null;
}

export interface TokenRequestContext {
  namespace: string;
  serviceAccount: { name: string; uid: string };
  audiences: readonly string[];
  now: Date;
  /** Returns the object to which a token is bound; for a Pod, also its ServiceAccount and its node. */
  find: (
    kind: 'Pod' | 'Secret',
    name: string,
  ) => { uid: string; serviceAccountName?: string; node?: ObjectRef | undefined } | undefined;
  tokens: ServiceAccountTokens;
}

/**
 * Answers `POST …/serviceaccounts/<name>/token`: the TokenRequest with its token, or a Status when the spec is not
 * valid (422, 400), the bound object is missing (404), or it has another uid (409). The caller sets managedFields.
 */
export function answerTokenRequest(
  spec: TokenRequestSpec,
  context: TokenRequestContext,
): { object: JsonObject } | { status: JsonObject } {
  const expirationSeconds = spec.expirationSeconds ?? defaultExpirationSeconds;
  const causes = checkExpiration(expirationSeconds);
  if (causes.length > 0) return { status: invalid('TokenRequest', group, '', causes) };
  const bound = boundObject(spec, context);
  if ('status' in bound) return bound;
  const { namespace, serviceAccount, now } = context;
  const audiences = spec.audiences?.length ? spec.audiences : context.audiences;
  const { token, expires } = context.tokens.issue(
    { namespace, serviceAccount, ...bound },
    audiences,
    expirationSeconds,
  );
  return {
    object: {
      kind: 'TokenRequest',
      apiVersion: `${group}/v1`,
      metadata: {
        name: serviceAccount.name,
        namespace,
        uid: serviceAccount.uid,
        creationTimestamp: seconds(now),
      },
      spec: {
        audiences: [...audiences],
        expirationSeconds,
        boundObjectRef: spec.boundObjectRef ? { ...spec.boundObjectRef } : null,
      },
      status: { token, expirationTimestamp: seconds(expires) },
    },
  };
}

function checkExpiration(value: number): Cause[] {
  const cause = (rule: string): Cause => ({
    reason: 'FieldValueInvalid',
    message: `Invalid value: ${String(value)}: ${rule}`,
    field: 'spec.expirationSeconds',
  });
  if (value < minExpirationSeconds) return [cause('may not specify a duration less than 10 minutes')];
  if (value > maxExpirationSeconds) return [cause('may not specify a duration larger than 2^32 seconds')];
  return [];
}

function boundObject(
  { boundObjectRef: ref }: TokenRequestSpec,
  { serviceAccount, find }: TokenRequestContext,
): Pick<TokenSubject, 'boundTo'> | { status: JsonObject } {
  if (ref === undefined || ref === null) return {};
  const { apiVersion = '', kind = '', name = '', uid = '' } = ref;
  if (apiVersion !== 'v1' || (kind !== 'Pod' && kind !== 'Secret')) {
    const message = `cannot bind token to object of type ${apiVersion.includes('/') ? apiVersion : `/${apiVersion}`}, Kind=${kind}`;
    return { status: failure(400, 'BadRequest', message) };
  }
  const found = find(kind, name);
  const resource = `${kind.toLowerCase()}s`;
  if (found === undefined) {
    const message = `${resource} ${goQuote(name)} not found`;
    return { status: failure(404, 'NotFound', message, { name, kind: resource }) };
  }
  if (found.serviceAccountName !== undefined && found.serviceAccountName !== serviceAccount.name) {
    const message = `cannot bind token for serviceaccount ${goQuote(serviceAccount.name)} to pod running with different serviceaccount name.`;
    return { status: failure(400, 'BadRequest', message) };
  }
  if (uid !== '' && uid !== found.uid) {
    const message = `Operation cannot be fulfilled on ${kind} ${goQuote(name)}: the UID in the bound object reference (${uid}) does not match the UID in record. The object might have been deleted and then recreated`;
    return { status: failure(409, 'Conflict', message, { name, kind }) };
  }
  return { boundTo: { kind, name, uid: found.uid, node: found.node } };
}

function seconds(time: Date): string {
  return `${time.toISOString().slice(0, 19)}Z`;
}
