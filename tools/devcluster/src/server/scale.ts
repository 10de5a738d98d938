import { badRequest, internal, invalid, notFound, unsupportedPatch } from '../api/api-error.js';
import type { AdmissionView, Cluster, WriteContext } from '../api/cluster.js';
import { parseBody, parseYamlBody } from '../api/decode.js';
import { updateObject } from '../api/update.js';
import { jsonMergePatch, jsonPatch, strategicMerge } from '../apply/index.js';
import { valueAt, type KubeObject } from '../object.js';
import { fromStorage, type Resource, type ScalePaths } from '../registry/resource.js';
import { pathKeys } from '../registry/scaled.js';
import { invalid as invalidValue } from '../schema/field-error.js';
import { isObject } from '../schema/json.js';
import { int32, object as objectSchema, string } from '../schema/dsl.js';
import type { Json, JsonObject, Schema } from '../schema/types.js';
import { keyOf } from '../store/entry.js';
import { labelSelectorRequirements, selectorText } from '../selectors/labels.js';
import type { Answer } from './answer.js';
import { checkPlace } from './check-place.js';
import { asApiError } from './patch.js';
import type { ResourceCall } from './resource-call.js';
import { writeContext } from './write-request.js';

/** `autoscaling/v1` Scale. */
const scaleSchema: Schema = objectSchema({
  spec: objectSchema({ replicas: int32('Wanted number of instances.') }),
  status: objectSchema({
    replicas: int32('Observed number of instances.'),
    selector: string('Label selector of the instances.'),
  }),
});

/** Returns the Scale of an object. Throws a 500 if it has no replicas. */
export function scaleOf(
  paths: ScalePaths,
  object: KubeObject,
  defaultReplicas: number | undefined,
): JsonObject {
  const replicas = valueAt(object, ...pathKeys(paths.specReplicasPath)) ?? defaultReplicas;
  if (replicas === undefined) {
    throw internal(`the spec replicas field "${paths.specReplicasPath}" does not exist`);
  }
  const selector =
    paths.labelSelectorPath === undefined ? undefined : selectorIn(object, paths.labelSelectorPath);
  const { name, namespace, uid, resourceVersion, creationTimestamp } = object.metadata;
  const metadata: JsonObject = {};
  for (const [key, value] of Object.entries({ name, namespace, uid, resourceVersion, creationTimestamp })) {
    if (value !== undefined) metadata[key] = value;
  }
  return {
    kind: 'Scale',
    apiVersion: 'autoscaling/v1',
    metadata,
    spec: replicas === 0 ? {} : { replicas },
    status: {
      replicas: valueAt(object, ...pathKeys(paths.statusReplicasPath)) ?? 0,
      ...(selector === undefined ? {} : { selector }),
    },
  };
}

/** Returns the text of a selector, which may be a LabelSelector. */
function selectorIn(object: KubeObject, path: string): string | undefined {
  const value = valueAt(object, ...pathKeys(path));
  if (typeof value === 'string') return value;
  return isObject(value) ? selectorText(labelSelectorRequirements(value)) : undefined;
}

/** Handles GET, PUT and PATCH of the scale subresource. Throws ApiError. */
export async function handleScale(call: ResourceCall): Promise<Answer> {
  const { cluster, resource, target } = call;
  const paths = resource.scale;
  const { namespace, name } = target;
  const entry = cluster.store.get(resource.collection, keyOf(resource.namespaced ? namespace : '', name));
  if (entry === undefined || paths === undefined) {
    throw notFound({ group: resource.group, kind: resource.plural, name });
  }
  if (target.verb === 'get') {
    return { code: 200, body: scaleOf(paths, fromStorage(resource, entry.object), undefined) };
  }
  const context = writeContext(call, 'UpdateOptions');
  const { object } = await updateObject(
    cluster,
    resource,
    {
      namespace,
      name,
      subresource: 'scale',
      unconditional: true,
      view: viewOf(resource, paths, name),
      managed: !isOwned(fromStorage(resource, entry.object), pathKeys(paths.specReplicasPath)),
      change: (live) => {
        const wanted = changedScale(call, scaleOf(paths, live, 0));
        const replicas = replicasOf(wanted, resource, name);
        setAt(live, pathKeys(paths.specReplicasPath), replicas);
        const { resourceVersion } = isObject(wanted['metadata']) ? wanted['metadata'] : {};
        if (typeof resourceVersion === 'string') live.metadata.resourceVersion = resourceVersion;
        return live;
      },
    },
    context,
  );
  return { code: 200, body: scaleOf(paths, object, undefined) };
}

/** Sets the replicas of an object as a write of its scale does. Throws ApiError. */
export async function scaleTo(
  cluster: Cluster,
  resource: Resource & { scale: ScalePaths },
  place: { namespace: string; name: string },
  replicas: number,
  context: WriteContext,
): Promise<void> {
  const path = pathKeys(resource.scale.specReplicasPath);
  const view = viewOf(resource, resource.scale, place.name);
  const change = (live: KubeObject): KubeObject => {
    setAt(live, path, replicas);
    return live;
  };
  const update = { ...place, subresource: 'scale', unconditional: true, view, change };
  await updateObject(cluster, resource, update, context);
}

/** Returns the conversion of a scaled object to the Scale that admission webhooks receive. */
function viewOf(resource: Resource, paths: ScalePaths, name: string): AdmissionView {
  return {
    kind: { group: 'autoscaling', version: 'v1', kind: 'Scale' },
    show: (object) => scaleOf(paths, object, 0),
    restore: (object, scale) => {
      setAt(object, pathKeys(paths.specReplicasPath), replicasOf(scale, resource, name));
    },
  };
}

/** Returns whether any manager owns a field; a field without an owner has no owner after scaling. */
function isOwned(object: KubeObject, path: readonly string[]): boolean {
  const fields = path.map((key) => `f:${key}`);
  return (object.metadata.managedFields ?? []).some(
    (manager) => valueAt(manager, 'fieldsV1', ...fields) !== undefined,
  );
}

function changedScale({ body, mediaType, target, resource }: ResourceCall, current: JsonObject): JsonObject {
  if (target.verb === 'update') {
    const sent = parseBody(body, mediaType, 'Scale');
    if (!isObject(sent)) throw badRequest('the body is not a Scale');
    checkKind(sent);
    checkPlace(withMetadata(sent), target, resource);
    return sent;
  }
  const patch = parseYamlBody(body);
  return asApiError(() => {
    switch (mediaType) {
      case 'application/json-patch+json':
        return jsonPatch(structuredClone(current), patch);
      case 'application/merge-patch+json':
        return jsonMergePatch(current, patch);
      case 'application/strategic-merge-patch+json':
        return strategicMerge(current, patch, scaleSchema);
      default:
        throw unsupportedPatch();
    }
  });
}

function checkKind({ kind = 'Scale', apiVersion = 'autoscaling/v1' }: JsonObject): void {
  if (kind === 'Scale' && apiVersion === 'autoscaling/v1') return;
  const version = String(apiVersion).split('/').at(-1) ?? '';
  throw badRequest(`${String(kind)} in version "${version}" cannot be handled as a Scale`);
}

function withMetadata(scale: JsonObject): KubeObject {
  const metadata = isObject(scale['metadata']) ? scale['metadata'] : {};
  const name = typeof metadata['name'] === 'string' ? metadata['name'] : '';
  return { ...scale, apiVersion: 'autoscaling/v1', kind: 'Scale', metadata: { ...metadata, name } };
}

/**
 * Returns the replicas of a Scale. Throws ApiError for an invalid number; custom objects are validated by their own
 * schema.
 */
function replicasOf(scale: JsonObject, { custom }: Resource, name: string): number {
  const replicas = valueAt(scale, 'spec', 'replicas') ?? 0;
  if (typeof replicas !== 'number' || !Number.isInteger(replicas)) {
    throw badRequest('Scale in version "v1" cannot be handled as a Scale: spec.replicas is not an integer');
  }
  if (replicas < 0 && !custom) {
    const cause = invalidValue('spec.replicas', replicas, 'must be greater than or equal to 0');
    throw invalid({ group: 'autoscaling', kind: 'Scale', name }, [cause]);
  }
  return replicas;
}

function setAt(object: JsonObject, path: readonly string[], value: Json): void {
  const [key, ...rest] = path;
  if (key === undefined) return;
  if (rest.length === 0) {
    object[key] = value;
    return;
  }
  const next = object[key];
  const child = isObject(next) ? next : {};
  object[key] = child;
  setAt(child, rest, value);
}
