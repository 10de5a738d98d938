import type { AdmissionRequest } from '../../api/cluster.js';
import { userInfo } from '../../auth/index.js';
import { fromStorage, toStorage, type Resource } from '../../registry/resource.js';
import type { KubeObject } from '../../object.js';
import { isObject } from '../../schema/json.js';
import type { Json, JsonObject } from '../../schema/types.js';
import type { HookType } from './hook.js';

const reviewApiVersion = 'admission.k8s.io/v1';
const reviewKind = 'AdmissionReview';

/** Returns the AdmissionRequest of a write, with its objects in the version of `resource` (k8s.io/api/admission/v1). */
export function admissionRequest(request: AdmissionRequest, resource: Resource, uid: string): JsonObject {
  const { operation, resource: asked, subresource, namespace, object, old, user, dryRun, view } = request;
  const name = request.ofCollection === true ? '' : request.name;
  const place = asked.collection === 'namespaces' ? name : namespace;
  return {
    uid,
    kind: view?.kind ?? kindOf(resource),
    resource: resourceOf(resource),
    ...(subresource === undefined ? {} : { subResource: subresource, requestSubResource: subresource }),
    requestKind: view?.kind ?? kindOf(asked),
    requestResource: resourceOf(asked),
    ...(name === '' ? {} : { name }),
    ...(place === '' ? {} : { namespace: place }),
    operation,
    userInfo: userInfo(user),
    object: object === undefined ? null : shown(object, request, resource),
    oldObject: old === undefined ? null : shown(old, request, resource),
    dryRun,
    options: {
      kind: `${operation.charAt(0)}${operation.slice(1).toLowerCase()}Options`,
      apiVersion: 'meta.k8s.io/v1',
      ...request.options,
    },
  };
}

/** Returns an object in the version of `resource`, for a webhook. */
export function shown(
  object: KubeObject,
  { view, resource: asked }: AdmissionRequest,
  resource: Resource,
): JsonObject {
  return view === undefined ? converted(object, asked, resource) : view.show(object);
}

/** Returns an object in another version of its resource. */
export function converted(object: KubeObject, from: Resource, to: Resource): KubeObject {
  return from === to ? object : fromStorage(to, toStorage(from, object));
}

function kindOf({ group, version, kind }: Resource): JsonObject {
  return { group, version, kind };
}

function resourceOf({ group, version, plural }: Resource): JsonObject {
  return { group, version, resource: plural };
}

/** Returns the AdmissionReview of a request. */
export function admissionReview(request: JsonObject): JsonObject {
  return { kind: reviewKind, apiVersion: reviewApiVersion, request };
}

/** The response of a webhook. */
export interface Verdict {
  allowed: boolean;
  /** The reason of a refusal, a `metav1.Status`. */
  status: JsonObject;
  warnings: readonly string[];
  /** The patch as JSON in base64; empty if there is none. */
  patch: string;
  patchType: string;
}

/**
 * Returns the content of a response, or the reason why it is invalid (apiserver plugin/webhook/request,
 * VerifyAdmissionResponse).
 */
export function verdictOf(answer: Json, uid: string, type: HookType): Verdict | { error: string } {
  if (!isObject(answer)) return { error: 'webhook response was absent' };
  const { response, apiVersion = '', kind = '' } = answer;
  if (!isObject(response)) return { error: 'webhook response was absent' };
  if (response['uid'] !== uid) {
    return { error: `expected response.uid="${uid}", got "${textOf(response['uid'])}"` };
  }
  if (apiVersion !== reviewApiVersion || kind !== reviewKind) {
    const got = `${textOf(apiVersion)}, Kind=${textOf(kind)}`;
    return { error: `expected webhook response of ${reviewApiVersion}, Kind=${reviewKind}, got ${got}` };
  }
  const patch = textOf(response['patch']);
  const wrong = patchError(patch, response['patchType'] ?? undefined, type);
  if (wrong !== undefined) return { error: wrong };
  const { warnings, status } = response;
  return {
    allowed: response['allowed'] === true,
    status: isObject(status) ? status : {},
    warnings: Array.isArray(warnings) ? warnings.filter((text) => typeof text === 'string') : [],
    patch,
    patchType: textOf(response['patchType']),
  };
}

function patchError(patch: string, patchType: Json | undefined, type: HookType): string | undefined {
  if (type === 'validating') {
    if (patch !== '') return 'validating webhook may not return response.patch';
    return patchType === undefined ? undefined : 'validating webhook may not return response.patchType';
  }
  if (patch !== '' && patchType === undefined) {
    return 'webhook returned response.patch but not response.patchType';
  }
  if (patch === '' && patchType !== undefined) {
    return 'webhook returned response.patchType but not response.patch';
  }
  return patchType === '' ? 'webhook returned invalid response.patchType of ""' : undefined;
}

function textOf(value: Json | undefined): string {
  return typeof value === 'string' ? value : '';
}
