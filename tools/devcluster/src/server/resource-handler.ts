import { createObject, type Written } from '../api/create.js';
import type { WriteContext } from '../api/cluster.js';
import { methodNotAllowed, noSuchResource, notFound } from '../api/api-error.js';
import { decodeObject, formatOf, parseBody } from '../api/decode.js';
import { deleteObject } from '../api/delete.js';
import { repeatedFields } from '../api/repeated-fields.js';
import { updateObject } from '../api/update.js';
import type { KubeObject } from '../object.js';
import { fromStorage, type Resource, type Verb } from '../registry/resource.js';
import { cloneJson } from '../schema/json.js';
import type { JsonObject } from '../schema/types.js';
import { keyOf } from '../store/entry.js';
import { checkIncludeObject } from '../table/table.js';
import { asYaml, type Answer, type Streamed } from './answer.js';
import { checkPlace } from './check-place.js';
import { deleteCollection } from './delete-collection.js';
import { deleteContext } from './delete-options.js';
import { list } from './list.js';
import { checkAcceptsBuiltIn, negotiate, type Format } from './negotiate.js';
import { patchObject } from './patch.js';
import { entryJson, renderObject } from './render.js';
import type { ResourceRequest } from './request-info.js';
import { parsedDeleteOptions, type ResourceCall } from './resource-call.js';
import { handleScale } from './scale.js';
import { watch } from './watch.js';
import { fieldValidation, writeContext } from './write-request.js';

/** Handles a request for a served resource. Throws ApiError. */
export async function handleResource(call: ResourceCall): Promise<Answer | Streamed> {
  const { target, resource } = call;
  checkServed(target, resource);
  if (!resource.custom) checkAcceptsBuiltIn(call.accept);
  const format = negotiate(call.accept);
  if (format.as === 'table') checkIncludeObject(call.query.get('includeObject'));
  if (target.verb === 'watch') {
    /* A watch event contains a single object, which is sent unchanged. */
    return watch({ ...call, ...target, as: format.as === 'partialList' ? 'object' : format.as });
  }
  const answer = await dispatch(call, format);
  if (typeof answer === 'function') return answer;
  return format.encoding === 'yaml' ? asYaml(answer) : answer;
}

/** Checks that the path exists and supports the verb. */
function checkServed({ subresource, verb, name, namespace }: ResourceRequest, resource: Resource): void {
  if (namespace !== '' && !resource.namespaced && resource.plural !== 'namespaces') throw noSuchResource();
  if (subresource !== undefined) {
    if (!subresourceVerbs(resource, subresource).includes(verb)) {
      throw subresourceVerbs(resource, subresource).length === 0 ? noSuchResource() : methodNotAllowed();
    }
    return;
  }
  const needsNamespace = resource.namespaced && namespace === '';
  if (needsNamespace && (name !== '' || (resource.custom && !['list', 'watch'].includes(verb)))) {
    throw noSuchResource();
  }
  const onCollection = ['create', 'list', 'deletecollection'].includes(verb);
  const fits = onCollection ? name === '' : verb === 'watch' || name !== '';
  if (!fits || !resource.verbs.includes(verb)) throw methodNotAllowed();
  if (needsNamespace && !['list', 'watch'].includes(verb)) throw methodNotAllowed();
}

function subresourceVerbs(resource: Resource, subresource: string): readonly Verb[] {
  const own = Object.hasOwn(resource.subresources, subresource)
    ? resource.subresources[subresource]
    : undefined;
  if (own !== undefined) return own.verbs;
  const generic =
    (subresource === 'status' && resource.strategy.status) ||
    (subresource === 'scale' && resource.scale !== undefined);
  return generic ? ['get', 'patch', 'update'] : [];
}

async function dispatch(call: ResourceCall, format: Format): Promise<Answer | Streamed> {
  const { cluster, resource, target, query } = call;
  const { namespace, subresource } = target;
  const custom =
    subresource !== undefined && Object.hasOwn(resource.subresources, subresource)
      ? resource.subresources[subresource]?.handle
      : resource.answer;
  if (custom !== undefined) {
    const answer = await custom({
      ...target,
      cluster,
      resource,
      query,
      body: call.body === '' ? null : parseBody(call.body, call.mediaType, resource.kind),
      context: writeContext(call, 'CreateOptions'),
    });
    return answer.stream ?? { code: answer.code, body: answer.object };
  }
  if (subresource === 'scale') return handleScale(call);
  switch (target.verb) {
    case 'list':
    case 'watch':
      return list(cluster, resource, namespace, query, format.as, call.signal);
    case 'get':
      return get(call, format);
    case 'create':
      return create(call, format);
    case 'update':
      return update(call, format);
    case 'patch':
      return patch(call, format);
    case 'delete':
      return remove(call, format);
    case 'deletecollection':
      return deleteCollection(call);
  }
}

function get({ cluster, resource, target, query }: ResourceCall, { as }: Format): Answer {
  const { namespace, name } = target;
  const key = keyOf(resource.namespaced ? namespace : '', name);
  const entry = cluster.store.get(resource.collection, key);
  if (entry === undefined) throw notFound({ group: resource.group, kind: resource.plural, name });
  if (as === 'object') return { code: 200, body: `${entryJson(resource, entry)}\n` };
  const object = fromStorage(resource, entry.object);
  const options = { now: cluster.now(), includeObject: query.get('includeObject') };
  return { code: 200, body: renderObject(resource, object, as, options) };
}

function written(call: ResourceCall, { object, entry }: Written, code: number, { as }: Format): Answer {
  const { resource, query, cluster } = call;
  if (as === 'object' && entry !== undefined) return { code, body: `${entryJson(resource, entry)}\n` };
  const options = { now: cluster.now(), includeObject: query.get('includeObject') };
  return { code, body: renderObject(resource, object, as, options) };
}

async function create(call: ResourceCall, format: Format): Promise<Answer> {
  const { cluster, resource, target } = call;
  const context = writeContext(call, 'CreateOptions');
  const object = readObject(call, 'CreateOptions', context);
  return written(call, await createObject(cluster, resource, target.namespace, object, context), 201, format);
}

function readObject(call: ResourceCall, options: string, context: WriteContext): KubeObject {
  const { resource, mediaType, body, query } = call;
  const parsed = parseBody(body, mediaType, resource.kind);
  const validation = fieldValidation(query, options);
  const repeated = validation === 'Ignore' ? [] : repeatedFields(body, formatOf(mediaType));
  const { object, warnings } = decodeObject(parsed, resource, validation, repeated);
  for (const warning of warnings) context.warn(warning);
  return object;
}

async function update(call: ResourceCall, format: Format): Promise<Answer> {
  const { cluster, resource, target } = call;
  const { name, namespace, subresource } = target;
  const context = writeContext(call, 'UpdateOptions');
  const object = readObject(call, 'UpdateOptions', context);
  checkPlace(object, target, resource);
  const key = keyOf(resource.namespaced ? namespace : '', name);
  const missing = cluster.store.get(resource.collection, key) === undefined;
  if (missing && subresource === undefined && resource.strategy.createOnUpdate) {
    return written(call, await createObject(cluster, resource, namespace, object, context), 201, format);
  }
  const change = (): KubeObject => cloneJson(object);
  return written(
    call,
    await updateObject(cluster, resource, { namespace, name, subresource, change }, context),
    200,
    format,
  );
}

async function patch(call: ResourceCall, format: Format): Promise<Answer> {
  const { query } = call;
  const context = writeContext(call, 'PatchOptions');
  const validation = fieldValidation(query, 'PatchOptions');
  const done = await patchObject({ ...call, ...call.target, validation, context });
  return written(call, done, done.created ? 201 : 200, format);
}

async function remove(call: ResourceCall, format: Format): Promise<Answer> {
  const { cluster, resource, target } = call;
  const options = parsedDeleteOptions(call);
  const context = deleteContext(call, options);
  const { gone, object } = await deleteObject(cluster, resource, target, options, context);
  if (!gone || resource.strategy.returnsDeleted) return written(call, { object }, 200, format);
  return { code: 200, body: success(resource, object) };
}

function success({ group, plural }: Resource, { metadata }: KubeObject): JsonObject {
  return {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Success',
    details: {
      name: metadata.name,
      ...(group === '' ? {} : { group }),
      kind: plural,
      ...(metadata.uid === undefined ? {} : { uid: metadata.uid }),
    },
  };
}
