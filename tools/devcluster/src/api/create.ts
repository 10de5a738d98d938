import { ExistsError } from '../store/errors.js';
import { keyOf, type Entry } from '../store/entry.js';
import { formatSeconds, type KubeObject } from '../object.js';
import { dropRepeatedOwners } from '../registry/owner-references.js';
import { toStorage, type Resource } from '../registry/resource.js';
import { cloneJson } from '../schema/json.js';
import { alreadyExists, ApiError, badRequest, conflict, forbidden } from './api-error.js';
import { admit, review, type AdmissionRequest, type Cluster, type WriteContext } from './cluster.js';
import { tracked, validateObject, withMeta } from './finish-object.js';

const nameAttempts = 8;
const longestPrefix = 58;

/** A written object. `entry` is undefined if nothing was stored (dry run). */
export interface Written {
  object: KubeObject;
  entry?: Entry;
}

/**
 * Creates a decoded object in a namespace ('' for the cluster scope) and returns it as stored. `managed` means that the
 * object already contains its managedFields (server-side apply). Throws ApiError.
 */
export async function createObject(
  cluster: Cluster,
  resource: Resource,
  namespace: string,
  decoded: KubeObject,
  context: WriteContext,
  managed = false,
): Promise<Written> {
  if (resource.terminating === true) throw terminating(resource, decoded.metadata.name);
  checkRequest(decoded, namespace);
  const request = await mutated(cluster, resource, namespace, decoded, context, managed);
  checkRequest(request.object, namespace);
  checkVersion(request.object);
  for (let attempt = 1; ; attempt += 1) {
    const object = completed(cluster, resource, request.object);
    const { name } = object.metadata;
    try {
      return await store(cluster, { ...request, name, object });
    } catch (error) {
      if (!(error instanceof ExistsError)) throw error;
      const generated = request.object.metadata.name === '';
      if (!generated || attempt === nameAttempts) {
        throw taken(cluster, resource, namespace, name);
      }
    }
  }
}

function taken(cluster: Cluster, resource: Resource, namespace: string, name: string): ApiError {
  const subject = { group: resource.group, kind: resource.plural, name };
  const key = keyOf(resource.namespaced ? namespace : '', name);
  const isGoing =
    cluster.store.get(resource.collection, key)?.object.metadata.deletionTimestamp !== undefined;
  return alreadyExists(subject, isGoing ? 'object is being deleted: ' : '');
}

function terminating({ group, plural }: Resource, name: string): ApiError {
  const why = 'create not allowed while custom resource definition is terminating';
  return forbidden({ group, kind: plural, name }, why);
}

function checkRequest({ metadata }: KubeObject, namespace: string): void {
  if ((metadata.namespace ?? namespace) !== namespace && namespace !== '') {
    throw badRequest('the namespace of the provided object does not match the namespace sent on the request');
  }
}

/**
 * Refuses a resourceVersion. The storage returns this error without a status code, so the response is a 500 (apiserver
 * pkg/storage/errors.go).
 */
function checkVersion({ metadata }: KubeObject): void {
  const { resourceVersion = '' } = metadata;
  if (resourceVersion === '' || resourceVersion === '0') return;
  throw new ApiError(500, undefined, 'resourceVersion should not be set on objects to be created');
}

interface CreateRequest extends AdmissionRequest {
  object: KubeObject;
}

/** Returns the object after mutating admission, without uid and without a generated name. */
async function mutated(
  cluster: Cluster,
  resource: Resource,
  namespace: string,
  decoded: KubeObject,
  context: WriteContext,
  managed: boolean,
): Promise<CreateRequest> {
  const placed = withMeta(cloneJson(decoded), {
    namespace: resource.namespaced ? namespace : undefined,
  });
  dropRepeatedOwners(placed, context.warn);
  const write = { manager: context.manager, subresource: undefined, now: cluster.now() };
  const request: CreateRequest = {
    operation: 'CREATE',
    resource,
    subresource: undefined,
    namespace,
    name: decoded.metadata.name,
    object: managed ? placed : tracked(resource, undefined, placed, write),
    old: undefined,
    ...context,
  };
  await admit(cluster, request);
  return request;
}

/**
 * Returns the object with its name, its uid and all other fields that the server sets, which differ for each attempt.
 */
function completed(cluster: Cluster, resource: Resource, object: KubeObject): KubeObject {
  const { strategy } = resource;
  const { name, generateName = '' } = object.metadata;
  const fullName =
    name === '' && generateName !== ''
      ? `${generateName.slice(0, longestPrefix)}${cluster.newSuffix()}`
      : name;
  const complete = withMeta(cloneJson(object), {
    name: fullName,
    uid: cluster.newUid(),
    creationTimestamp: formatSeconds(cluster.now()),
    generation: strategy.generation ? 1 : undefined,
    resourceVersion: undefined,
    selfLink: undefined,
    deletionTimestamp: undefined,
    deletionGracePeriodSeconds: undefined,
  });
  if (strategy.status && resource.custom) Reflect.deleteProperty(complete, 'status');
  strategy.prepareCreate?.(complete);
  return complete;
}

async function store(cluster: Cluster, request: CreateRequest): Promise<Written> {
  const { resource, namespace, name, object } = request;
  validateObject(resource, object, undefined);
  await review(cluster, request);
  const key = keyOf(resource.namespaced ? namespace : '', name);
  if (request.dryRun) {
    if (cluster.store.get(resource.collection, key) !== undefined) throw new ExistsError(key);
    return { object };
  }
  const entry = cluster.store.put(resource.collection, key, toStorage(resource, object), 0);
  return { object: withMeta(object, { resourceVersion: String(entry.revision) }), entry };
}

/** Returns the 409 error for an object whose uid differs from the expected one. */
export function missingUid(resource: Resource, name: string, uid: string): Error {
  return conflict(
    { group: resource.group, kind: resource.plural, name },
    `uid mismatch: the provided object specified uid ${uid}, and no existing object was found`,
  );
}
