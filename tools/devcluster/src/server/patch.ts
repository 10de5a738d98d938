import {
  applyServerSide,
  conflictStatus,
  jsonMergePatch,
  jsonPatch,
  patchedText,
  PatchError,
  strategicMerge,
} from '../apply/index.js';
import {
  ApiError,
  badRequest,
  fromStatus,
  invalid,
  modified,
  unsupportedMediaType,
  unsupportedPatch,
} from '../api/api-error.js';
import type { Cluster, WriteContext } from '../api/cluster.js';
import { createObject, missingUid, type Written } from '../api/create.js';
import { decode, decodeObject, parseYamlBody, type FieldValidation } from '../api/decode.js';
import { resetFieldsOf } from '../api/finish-object.js';
import { jsonPatchProblems, repeatedFields, type RepeatedField } from '../api/repeated-fields.js';
import { updateObject } from '../api/update.js';
import type { KubeObject } from '../object.js';
import { DecodeError } from '../registry/go-decode.js';
import { apiVersionOf, type Resource } from '../registry/resource.js';
import { forbidden, invalid as invalidValue, required } from '../schema/field-error.js';
import { cloneJson, goValue, isObject } from '../schema/json.js';
import type { Cause, Json, JsonObject } from '../schema/types.js';
import { keyOf } from '../store/entry.js';
import { checkPlace } from './check-place.js';
import { isTrue } from './request-info.js';
import { invalidOptions } from './write-request.js';

const jsonPatchType = 'application/json-patch+json';
const merge = 'application/merge-patch+json';
const strategic = 'application/strategic-merge-patch+json';
const apply = 'application/apply-patch+yaml';

interface PatchRequest {
  cluster: Cluster;
  resource: Resource;
  namespace: string;
  name: string;
  subresource: string | undefined;
  mediaType: string;
  body: string;
  query: URLSearchParams;
  validation: FieldValidation;
  context: WriteContext;
}

/** Handles a PATCH of an object or its status. Returns 201 if an apply created the object. Throws ApiError. */
export async function patchObject(request: PatchRequest): Promise<Written & { created: boolean }> {
  const { mediaType, resource } = request;
  if (mediaType === apply) return applyPatch(request);
  if ((request.query.get('force') ?? '') !== '') {
    throw invalidOptions('PatchOptions', [forbidden('force', 'may not be specified for non-apply patch')]);
  }
  const patch = patcher(request);
  if (resource.custom && mediaType === strategic) {
    throw unsupportedMediaType([jsonPatchType, merge, apply]);
  }
  const written = await updateObject(
    request.cluster,
    resource,
    {
      ...target(request),
      unconditional: true,
      change: (live) =>
        decodePatched(
          request,
          asApiError(() => patch(live)),
        ),
    },
    request.context,
  );
  return { ...written, created: false };
}

function target({
  namespace,
  name,
  subresource,
}: PatchRequest): Pick<PatchRequest, 'namespace' | 'name' | 'subresource'> {
  return { namespace, name, subresource };
}

function patcher({ mediaType, body, resource }: PatchRequest): (live: KubeObject) => JsonObject {
  switch (mediaType) {
    case jsonPatchType:
      return (live) => jsonPatch(live, parsePatch(body));
    case merge:
      return (live) => jsonMergePatch(live, parsePatch(body));
    case strategic:
      return (live) => strategicMerge(live, parsePatch(body), resource.schema);
    default:
      throw unsupportedPatch();
  }
}

/** Runs a patch. @throws ApiError instead of a PatchError */
export function asApiError<T>(run: () => T): T {
  try {
    return run();
  } catch (error) {
    if (error instanceof PatchError)
      throw new ApiError(error.code, error.reason, error.message, error.details);
    throw error;
  }
}

function parsePatch(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch {
    throw badRequest('error decoding patch: invalid character looking for beginning of value');
  }
}

/** Decodes a patched object like an object in a request. Throws a 422 about the patch when that fails. */
function decodePatched(request: PatchRequest, patched: JsonObject): KubeObject {
  const { resource, validation, context } = request;
  try {
    const { object, warnings } = decode(cloneJson(patched), resource, validation, repeatedIn(request));
    for (const warning of warnings) context.warn(warning);
    checkPlace(object, request, resource);
    return object;
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    throw invalid({ group: '', kind: '', name: '' }, [patchProblem(request, patched, error)]);
  }
}

function patchProblem({ mediaType, body }: PatchRequest, patched: JsonObject, error: DecodeError): Cause {
  const patch = parsePatch(body);
  return mediaType === strategic
    ? invalidValue('patch', goValue(patch), error.conversionMessage)
    : invalidValue('patch', patchedText(patched, patch), error.message);
}

/** Returns the repeated fields of the patch itself, which are always reported. */
function repeatedIn({ mediaType, body, validation }: PatchRequest): RepeatedField[] {
  if (validation === 'Ignore') return [];
  if (mediaType === jsonPatchType) return jsonPatchProblems(body, parsePatch(body));
  return repeatedFields(body, 'json').map(({ message }) => ({ message }));
}

/** Checks repeated fields in applied configurations if the validation is strict. Throws a 400. */
function checkRepeated({ body, validation, context }: PatchRequest): void {
  if (validation === 'Ignore') return;
  const found = repeatedFields(body, 'yaml').map(({ message }) => message);
  if (found.length > 0 && validation === 'Strict') {
    throw badRequest(`error strict decoding patch: ${found.join(', ')}`);
  }
  for (const message of found) context.warn(message);
}

async function applyPatch(request: PatchRequest): Promise<Written & { created: boolean }> {
  const { cluster, resource, namespace, name, subresource, context } = request;
  const config = applyConfig(request);
  checkRepeated(request);
  const key = keyOf(resource.namespaced ? namespace : '', name);
  if (subresource === undefined && cluster.store.get(resource.collection, key) === undefined) {
    const { uid } = config.metadata;
    if (uid !== undefined) throw missingUid(resource, name, uid);
    const applied = merged(request, undefined, config);
    const object = decodeApplied(request, applied);
    return { ...(await createObject(cluster, resource, namespace, object, context, true)), created: true };
  }
  const written = await updateObject(
    cluster,
    resource,
    {
      ...target(request),
      unconditional: true,
      managed: true,
      makesGeneration: resource.strategy.distinguishesEmptyLists === true && hasEmptyList(config['spec']),
      change: (live) => {
        const { resourceVersion, uid } = config.metadata;
        if (resourceVersion !== undefined && resourceVersion !== live.metadata.resourceVersion) {
          throw modified({ group: resource.group, kind: resource.plural, name });
        }
        const applied = merged(request, live, config);
        const object = decodeApplied(request, applied);
        if (uid !== undefined) object.metadata.uid = uid;
        return object;
      },
    },
    context,
  );
  return { ...written, created: false };
}

function hasEmptyList(value: Json | undefined): boolean {
  if (Array.isArray(value)) return value.length === 0 || value.some(hasEmptyList);
  return isObject(value) && Object.values(value).some(hasEmptyList);
}

function applyConfig(request: PatchRequest): KubeObject {
  const { body, query } = request;
  if ((query.get('fieldManager') ?? '') === '') {
    throw invalidOptions('PatchOptions', [required('fieldManager', 'is required for apply patch')]);
  }
  const parsed = parseYamlBody(body);
  if (!isObject(parsed)) throw badRequest('error decoding YAML: the configuration is not an object');
  const metadata = isObject(parsed['metadata']) ? parsed['metadata'] : {};
  return {
    ...parsed,
    apiVersion: typeof parsed['apiVersion'] === 'string' ? parsed['apiVersion'] : '',
    kind: typeof parsed['kind'] === 'string' ? parsed['kind'] : '',
    metadata: metadata as KubeObject['metadata'],
  };
}

/** Returns the decoded applied object, whose name and namespace must match the path. */
function decodeApplied(request: PatchRequest, applied: JsonObject): KubeObject {
  const { object } = decodeObject(cloneJson(applied), request.resource, 'Ignore');
  checkPlace(object, request, request.resource);
  return object;
}

/** Returns the live object with the configuration merged in. Throws the 409 of conflicts. */
function merged(request: PatchRequest, live: KubeObject | undefined, config: KubeObject): JsonObject {
  const { resource, subresource, query, cluster, context } = request;
  const result = asApiError(() =>
    applyServerSide({
      live,
      config,
      manager: context.manager,
      force: isTrue(query.get('force')),
      apiVersion: apiVersionOf(resource),
      kind: resource.kind,
      schema: resource.schema,
      subresource,
      now: cluster.now(),
      resetFields: resetFieldsOf(resource, subresource),
      empty: resource.empty,
    }),
  );
  if ('conflicts' in result) throw fromStatus(conflictStatus(result.conflicts));
  return result.object;
}
