import { cloneJson, jsonEqual } from '../schema/json.js';
import type { JsonObject } from '../schema/types.js';
import { RevisionError } from '../store/errors.js';
import { keyOf, type Entry } from '../store/entry.js';
import type { KubeObject } from '../object.js';
import { dropRepeatedOwners } from '../registry/owner-references.js';
import { fromStorage, toStorage, type Resource } from '../registry/resource.js';
import { conflict, modified, notFound } from './api-error.js';
import { admit, review, type AdmissionView, type Cluster, type WriteContext } from './cluster.js';
import type { Written } from './create.js';
import { immutableMetadata, invalidObject, tracked, validateObject, withMeta } from './finish-object.js';

const attempts = 5;

/** A change of an object. */
export interface Update {
  namespace: string;
  name: string;
  subresource?: string | undefined;
  /** Returns the new object, decoded and with defaults. `live` is a copy, which the function may change. */
  change: (live: KubeObject) => KubeObject | Promise<KubeObject>;
  /** Whether the change already contains its managedFields (server-side apply). */
  managed?: boolean;
  /** Whether the change makes a new generation even if the object stays the same. */
  makesGeneration?: boolean;
  /** The form in which admission webhooks receive the object, such as a Scale; default: the object itself. */
  view?: AdmissionView;
  /**
   * The change is a patch of the stored object: its resourceVersion is not required to be set, whatever the kind is,
   * and its uid is a field of the object, not a precondition.
   */
  unconditional?: boolean;
}

/**
 * Changes a stored object and returns the stored result. An update without effect stores nothing and keeps the
 * resourceVersion. The change is repeated after a concurrent write, unless it specifies a resourceVersion. An object
 * that is being deleted is removed with its last finalizer. Throws ApiError.
 */
export async function updateObject(
  cluster: Cluster,
  resource: Resource,
  update: Update,
  context: WriteContext,
): Promise<Written> {
  const subject = { group: resource.group, kind: resource.plural, name: update.name };
  for (let attempt = 1; ; attempt += 1) {
    const entry = cluster.store.get(
      resource.collection,
      keyOf(resource.namespaced ? update.namespace : '', update.name),
    );
    if (entry === undefined) throw notFound(subject);
    try {
      return await once(cluster, resource, update, context, entry);
    } catch (error) {
      if (!(error instanceof RevisionError)) throw error;
      if (attempt === attempts) throw modified(subject);
    }
  }
}

async function once(
  cluster: Cluster,
  resource: Resource,
  update: Update,
  context: WriteContext,
  entry: Entry,
): Promise<Written> {
  const live = fromStorage(resource, entry.object);
  const changed = await update.change(cloneJson(live));
  checkPreconditions(resource, update, changed, entry);
  const when = update.unconditional === true ? ' after mutating admission happens' : '';
  dropRepeatedOwners(changed, context.warn, when);
  const { subresource } = update;
  const write = { manager: context.manager, subresource, now: cluster.now() };
  const request = {
    operation: 'UPDATE' as const,
    resource,
    subresource,
    namespace: update.namespace,
    name: update.name,
    object: update.managed === true ? changed : tracked(resource, live, changed, write),
    old: live,
    view: update.view,
    ...context,
  };
  await admit(cluster, request);
  const prepared = prepare(resource, subresource, request.object, live);
  const object =
    subresource === 'status' ? prepared : withGeneration(resource, prepared, live, update.makesGeneration);
  /* A status update keeps the stored metadata, so the metadata cannot change. */
  const requested = keepsMetadata(resource, subresource) ? object : request.object;
  validateObject(resource, object, live, immutableMetadata(requested, live));
  await review(cluster, { ...request, object });
  if (jsonEqual(withTimesOf(live, object), live)) return current(cluster, entry, live);
  return commit(cluster, resource, object, entry, context);
}

/**
 * Returns an object whose managers have the times of the live object if they do not differ otherwise, because a write
 * that changes only the time of a manager has no effect (apiserver, `IgnoreManagedFieldsTimestampsTransformer`).
 */
function withTimesOf(live: KubeObject, object: KubeObject): KubeObject {
  const { managedFields } = live.metadata;
  const isSame = jsonEqual(withoutTimes(managedFields), withoutTimes(object.metadata.managedFields));
  return isSame ? withMeta(object, { managedFields }) : object;
}

function withoutTimes(managers: JsonObject[] = []): JsonObject[] {
  return managers.map((manager) => ({ ...manager, time: null }));
}

function keepsMetadata({ strategy }: Resource, subresource: string | undefined): boolean {
  return subresource === 'status' && strategy.statusKeepsMetadata;
}

/** Returns the live object without storing it. Throws RevisionError if it has changed since it was read. */
function current(cluster: Cluster, entry: Entry, live: KubeObject): Written {
  if (cluster.store.get(entry.collection, entry.key) !== entry) throw new RevisionError(entry.key);
  return { object: live, entry };
}

function commit(
  cluster: Cluster,
  resource: Resource,
  object: KubeObject,
  entry: Entry,
  { dryRun }: WriteContext,
): Written {
  if (dryRun) return { object };
  if (isFinished(resource, object)) {
    if (cluster.store.get(entry.collection, entry.key) !== entry) throw new RevisionError(entry.key);
    cluster.store.delete(entry.collection, entry.key, entry.revision);
    return { object };
  }
  const stored = cluster.store.put(entry.collection, entry.key, toStorage(resource, object), entry.revision);
  return { object: withMeta(object, { resourceVersion: String(stored.revision) }), entry: stored };
}

/** Returns whether the deletion was requested, and neither a finalizer nor a grace period delays it. */
function isFinished({ strategy }: Resource, object: KubeObject): boolean {
  const { metadata } = object;
  if (metadata.deletionTimestamp === undefined || (metadata.finalizers ?? []).length > 0) return false;
  if (strategy.holdsDeletion?.(object) === true) return false;
  return (metadata.deletionGracePeriodSeconds ?? 0) === 0;
}

function checkPreconditions(resource: Resource, update: Update, changed: KubeObject, entry: Entry): void {
  const subject = { group: resource.group, kind: resource.plural, name: update.name };
  const { resourceVersion = '', uid = '' } = changed.metadata;
  const stored = entry.object.metadata;
  if (uid !== '' && uid !== stored.uid && update.unconditional !== true) {
    const key = `/registry/${entry.collection}/${entry.key}`;
    throw conflict(
      subject,
      `StorageError: invalid object, Code: 4, Key: ${key}, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID in precondition: ${uid}, UID in object meta: ${stored.uid ?? ''}`,
    );
  }
  if (resourceVersion === '' || resourceVersion === '0') {
    if (!resource.strategy.unconditionalUpdate && update.unconditional !== true) {
      throw invalidObject(resource, update.name, [
        {
          reason: 'FieldValueInvalid',
          message: 'Invalid value: 0: must be specified for an update',
          field: 'metadata.resourceVersion',
        },
      ]);
    }
  } else if (resourceVersion !== stored.resourceVersion) {
    throw modified(subject);
  }
}

/** Metadata that an update cannot change. */
const serverOwned = [
  'name',
  'generateName',
  'namespace',
  'selfLink',
  'uid',
  'resourceVersion',
  'generation',
  'creationTimestamp',
  'deletionTimestamp',
  'deletionGracePeriodSeconds',
];

/** Returns the stored object with the fields that this path may write; the server's own metadata does not change. */
function prepare(
  resource: Resource,
  subresource: string | undefined,
  changed: KubeObject,
  live: KubeObject,
): KubeObject {
  const { strategy } = resource;
  let object = withMeta(changed, Object.fromEntries(serverOwned.map((key) => [key, live.metadata[key]])));
  if (subresource === 'status') {
    object = { ...live, metadata: statusMetadata(resource, object, live) };
    if ('status' in changed) object['status'] = changed['status'] ?? null;
    else Reflect.deleteProperty(object, 'status');
    strategy.prepareStatusUpdate?.(object, live);
    return object;
  }
  if (subresource === undefined && strategy.status) {
    if ('status' in live) object['status'] = live['status'] ?? null;
    else Reflect.deleteProperty(object, 'status');
  }
  if (subresource === undefined) strategy.prepareUpdate?.(object, live);
  return object;
}

function statusMetadata(resource: Resource, object: KubeObject, live: KubeObject): KubeObject['metadata'] {
  if (!resource.strategy.statusKeepsMetadata) return object.metadata;
  return withMeta(live, { managedFields: object.metadata.managedFields }).metadata;
}

function withGeneration(resource: Resource, object: KubeObject, live: KubeObject, isNew = false): KubeObject {
  const { strategy } = resource;
  if (!strategy.generation) return object;
  const desired =
    strategy.desired ??
    (({ apiVersion: _apiVersion, kind: _kind, metadata: _metadata, ...rest }: KubeObject) => {
      if (strategy.status) Reflect.deleteProperty(rest, 'status');
      return rest;
    });
  const before = live.metadata.generation ?? 1;
  const generation = !isNew && jsonEqual(desired(object), desired(live)) ? before : before + 1;
  return withMeta(object, { generation });
}
