import { createObject, type Written } from '../api/create.js';
import type { WriteContext } from '../api/cluster.js';
import { badRequest, methodNotAllowed, noSuchResource, notFound } from '../api/api-error.js';
import { decodeObject, parseBody } from '../api/decode.js';
import { deleteObject } from '../api/delete.js';
import { updateObject } from '../api/update.js';
import type { KubeObject } from '../object.js';
import { fromStorage, type Resource, type Verb } from '../registry/resource.js';
import type { JsonObject } from '../schema/types.js';
import { keyOf } from '../store/entry.js';
import { asYaml, type Answer, type Streamed } from './answer.js';
import { deleteCollection } from './delete-collection.js';
import { list } from './list.js';
import { negotiate, type Format } from './negotiate.js';
import { patchObject } from './patch.js';
import { entryJson, renderObject } from './render.js';
import type { ResourceRequest } from './request-info.js';
import { parsedDeleteOptions, type ResourceCall } from './resource-call.js';
import { handleScale } from './scale.js';
import { watch } from './watch.js';
import { deleteContext, fieldValidation, writeContext } from './write-request.js';

/** Answers a request for a served resource. Throws ApiError. */
export async function handleResource(call: ResourceCall): Promise<Answer | Streamed> {
  const { target, resource } = call;
  checkServed(target, resource);
  const format = negotiate(call.accept);
  if (target.verb === 'watch') return watch({ ...call, ...target, as: format.as });
  const answer = await dispatch(call, format);
  return format.encoding === 'yaml' ? asYaml(answer) : answer;
}

/** The path must exist and take the verb. */
function checkServed({ subresource, verb, name, namespace }: ResourceRequest, resource: Resource): void {
  if (namespace !== '' && !resource.namespaced && resource.plural !== 'namespaces') throw noSuchResource();
  if (subresource !== undefined) {
    if (!subresourceVerbs(resource, subresource).includes(verb)) {
      throw subresourceVerbs(resource, subresource).length === 0 ? noSuchResource() : methodNotAllowed();
    }
    return;
  }
  if (resource.custom && resource.namespaced && namespace === '' && !['list', 'watch'].includes(verb)) {
    throw noSuchResource();
  }
  const onCollection = ['create', 'list', 'deletecollection'].includes(verb);
  const fits = onCollection ? name === '' : verb === 'watch' || name !== '';
  if (!fits || !resource.verbs.includes(verb)) throw methodNotAllowed();
  const needsNamespace = resource.namespaced && namespace === '' && !['list', 'watch'].includes(verb);
  if (needsNamespace) throw methodNotAllowed();
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

async function dispatch(call: ResourceCall, format: Format): Promise<Answer> {
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
    return { code: answer.code, body: answer.object };
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
  const { object, warnings } = decodeObject(parsed, resource, fieldValidation(query, options));
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
  const change = (): KubeObject => structuredClone(object);
  return written(
    call,
    await updateObject(cluster, resource, { namespace, name, subresource, change }, context),
    200,
    format,
  );
}

/** Name and namespace of the body must be those of the path. */
function checkPlace(
  { metadata }: KubeObject,
  { name, namespace }: ResourceRequest,
  resource: Resource,
): void {
  if (metadata.name === '') throw badRequest('name must be provided');
  if (metadata.name !== name) {
    throw badRequest(
      `the name of the object (${metadata.name}) does not match the name on the URL (${name})`,
    );
  }
  if (resource.namespaced && metadata.namespace !== undefined && metadata.namespace !== namespace) {
    throw badRequest(
      `the namespace of the object (${metadata.namespace}) does not match the namespace on the request (${namespace})`,
    );
  }
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
