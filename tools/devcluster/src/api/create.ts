import { ExistsError } from '../store/errors.js';
import { keyOf, type Entry } from '../store/entry.js';
import { formatSeconds, type KubeObject } from '../object.js';
import { toStorage, type Resource } from '../registry/resource.js';
import { alreadyExists, badRequest, conflict, methodNotAllowed } from './api-error.js';
import { admit, review, type Cluster, type WriteContext } from './cluster.js';
import { tracked, validateObject, withMeta } from './finish-object.js';

const NAME_ATTEMPTS = 8;
const LONGEST_PREFIX = 58;

/** A written object; `entry` is missing when nothing was stored (dry run). */
export interface Written {
  object: KubeObject;
  entry?: Entry;
}

/**
 * Creates a decoded object in a namespace ('' for the cluster scope) and returns it as stored. `managed`: the object
 * carries its managedFields already (server-side apply). Throws ApiError.
 */
export async function createObject(
  cluster: Cluster,
  resource: Resource,
  namespace: string,
  decoded: KubeObject,
  context: WriteContext,
  managed = false,
): Promise<Written> {
  if (resource.terminating === true) throw methodNotAllowed();
  checkRequest(decoded, namespace);
  for (let attempt = 1; ; attempt += 1) {
    const named = nameObject(cluster, resource, namespace, decoded);
    try {
      return await store(cluster, resource, namespace, named, context, managed);
    } catch (error) {
      if (!(error instanceof ExistsError)) throw error;
      const generated = decoded.metadata.name === '';
      if (!generated || attempt === NAME_ATTEMPTS) {
        throw alreadyExists({ group: resource.group, kind: resource.plural, name: named.metadata.name });
      }
    }
  }
}

function checkRequest({ metadata }: KubeObject, namespace: string): void {
  if ((metadata.namespace ?? namespace) !== namespace && namespace !== '') {
    throw badRequest('the namespace of the provided object does not match the namespace sent on the request');
  }
  if (metadata.resourceVersion !== undefined && metadata.resourceVersion !== '') {
    throw badRequest('resourceVersion should not be set on objects to be created');
  }
}

function nameObject(
  cluster: Cluster,
  resource: Resource,
  namespace: string,
  decoded: KubeObject,
): KubeObject {
  const { name, generateName = '' } = decoded.metadata;
  const complete =
    name === '' && generateName !== ''
      ? `${generateName.slice(0, LONGEST_PREFIX)}${cluster.newSuffix()}`
      : name;
  return withMeta(decoded, {
    name: complete,
    namespace: resource.namespaced ? namespace : decoded.metadata.namespace,
  });
}

async function store(
  cluster: Cluster,
  resource: Resource,
  namespace: string,
  named: KubeObject,
  context: WriteContext,
  managed: boolean,
): Promise<Written> {
  const now = cluster.now();
  const { strategy } = resource;
  let object = withMeta(structuredClone(named), {
    uid: cluster.newUid(),
    creationTimestamp: formatSeconds(now),
    generation: strategy.generation ? 1 : undefined,
    resourceVersion: undefined,
    selfLink: undefined,
    deletionTimestamp: undefined,
    deletionGracePeriodSeconds: undefined,
  });
  if (strategy.status && resource.custom) Reflect.deleteProperty(object, 'status');
  if (!managed) {
    object = tracked(resource, undefined, object, { manager: context.manager, subresource: undefined, now });
  }
  strategy.prepareCreate?.(object);
  const { name } = object.metadata;
  const request = {
    operation: 'CREATE' as const,
    resource,
    subresource: undefined,
    namespace,
    name,
    object,
    old: undefined,
    ...context,
  };
  await admit(cluster, request);
  validateObject(resource, object, undefined);
  await review(cluster, request);
  const key = keyOf(resource.namespaced ? namespace : '', name);
  if (context.dryRun) {
    if (cluster.store.get(resource.collection, key) !== undefined) throw new ExistsError(key);
    return { object };
  }
  const entry = cluster.store.put(resource.collection, key, toStorage(resource, object), 0);
  return { object: withMeta(object, { resourceVersion: String(entry.revision) }), entry };
}

/** The 409 of an object whose uid is not the one that the writer expects to exist. */
export function missingUid(resource: Resource, name: string, uid: string): Error {
  return conflict(
    { group: resource.group, kind: resource.plural, name },
    `uid mismatch: the provided object specified uid ${uid}, and no existing object was found`,
  );
}
