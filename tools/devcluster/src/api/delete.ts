import { RevisionError } from '../store/errors.js';
import { keyOf, type Entry } from '../store/entry.js';
import { formatSeconds, type KubeObject } from '../object.js';
import { fromStorage, toStorage, type Resource, type Strategy } from '../registry/resource.js';
import { conflict, modified, notFound } from './api-error.js';
import { admit, review, type Cluster, type WriteContext } from './cluster.js';
import { withMeta } from './finish-object.js';

const attempts = 5;
export const orphan = 'orphan';
export const foreground = 'foregroundDeletion';
/** Source: Kubernetes pkg/registry/batch/job/storage. */
const orphansWarning =
  'child pods are preserved by default when jobs are deleted; set propagationPolicy=Background to remove them or set propagationPolicy=Orphan to suppress this warning';

/** The supported fields of `metav1.DeleteOptions`. */
export interface DeleteOptions {
  gracePeriodSeconds?: number;
  propagationPolicy?: 'Orphan' | 'Background' | 'Foreground';
  orphanDependents?: boolean;
  preconditions?: { uid?: string; resourceVersion?: string };
}

/** The result of a deletion: the last version of the object; `gone` is false if the object still exists. */
interface Deleted {
  gone: boolean;
  object: KubeObject;
}

/**
 * Deletes an object, or marks it as being deleted if finalizers or a grace period delay the deletion. Throws ApiError.
 * Source: k8s.io/apiserver/pkg/registry/generic/registry/store.go.
 */
export async function deleteObject(
  cluster: Cluster,
  resource: Resource,
  place: { namespace: string; name: string },
  options: DeleteOptions,
  context: WriteContext,
): Promise<Deleted> {
  const { namespace, name } = place;
  const subject = { group: resource.group, kind: resource.plural, name };
  for (let attempt = 1; ; attempt += 1) {
    const entry = cluster.store.get(resource.collection, keyOf(resource.namespaced ? namespace : '', name));
    if (entry === undefined) throw notFound(subject);
    const live = fromStorage(resource, entry.object);
    checkPreconditions(resource, live, options);
    const request = {
      operation: 'DELETE' as const,
      resource,
      subresource: undefined,
      object: undefined,
      old: live,
      ...place,
      ...context,
    };
    await admit(cluster, request);
    await review(cluster, request);
    if (resource.strategy.orphansByDefault === true && policyOf(options) === undefined)
      context.warn(orphansWarning);
    try {
      return commit(cluster, resource, entry, live, options, context.dryRun);
    } catch (error) {
      if (!(error instanceof RevisionError)) throw error;
      if (attempt === attempts) throw modified(subject);
    }
  }
}

function checkPreconditions(resource: Resource, live: KubeObject, { preconditions }: DeleteOptions): void {
  const { uid, resourceVersion } = preconditions ?? {};
  const { metadata } = live;
  const subject = { group: resource.group, kind: resource.kind, name: metadata.name };
  const again = 'The object might have been deleted and then recreated';
  if (uid !== undefined && uid !== metadata.uid) {
    throw conflict(
      subject,
      `the UID in the precondition (${uid}) does not match the UID in record (${metadata.uid ?? ''}). ${again}`,
    );
  }
  if (resourceVersion !== undefined && resourceVersion !== metadata.resourceVersion) {
    throw conflict(
      subject,
      `the ResourceVersion in the precondition (${resourceVersion}) does not match the ResourceVersion in record (${metadata.resourceVersion ?? ''}). The object might have been modified`,
    );
  }
}

function commit(
  cluster: Cluster,
  resource: Resource,
  entry: Entry,
  live: KubeObject,
  options: DeleteOptions,
  dryRun: boolean,
): Deleted {
  if (cluster.store.get(entry.collection, entry.key) !== entry) throw new RevisionError(entry.key);
  const marked = mark(resource, live, options, cluster.now());
  if (marked === undefined) {
    if (!dryRun) cluster.store.delete(entry.collection, entry.key, entry.revision);
    return { gone: true, object: live };
  }
  if (marked === live || dryRun) return { gone: false, object: marked };
  const stored = cluster.store.put(entry.collection, entry.key, toStorage(resource, marked), entry.revision);
  return { gone: false, object: withMeta(marked, { resourceVersion: String(stored.revision) }) };
}

/**
 * Returns the object that waits for its deletion, undefined if nothing delays the deletion, or the same object if
 * nothing changes.
 */
function mark(
  resource: Resource,
  live: KubeObject,
  options: DeleteOptions,
  now: Date,
): KubeObject | undefined {
  const { metadata } = live;
  const { strategy } = resource;
  const finalizers = finalizersFor(strategy, metadata.finalizers ?? [], options);
  const waiting = metadata.deletionTimestamp !== undefined;
  const { deletionGracePeriodSeconds: present = 0 } = metadata;
  const { gracePeriodSeconds = waiting ? present : undefined } = options;
  const grace = strategy.gracePeriod?.(live, gracePeriodSeconds) ?? 0;
  if (finalizers.length === 0 && grace === 0 && strategy.holdsDeletion?.(live) !== true) return undefined;
  const sooner = waiting && grace < present;
  const sameFinalizers = finalizers.join() === (metadata.finalizers ?? []).join();
  if (waiting && !sooner && sameFinalizers) return live;
  const marked = withMeta(live, { finalizers: finalizers.length === 0 ? undefined : finalizers });
  if (!waiting || sooner) {
    const begin = waiting ? Date.parse(metadata.deletionTimestamp ?? '') - present * 1000 : now.getTime();
    marked.metadata.deletionTimestamp = formatSeconds(new Date(begin + grace * 1000));
    marked.metadata.deletionGracePeriodSeconds = grace;
  }
  if (!waiting) {
    if (metadata.generation !== undefined) marked.metadata.generation = metadata.generation + 1;
    strategy.prepareDelete?.(marked);
  }
  return marked;
}

/** Returns the requested propagation policy, or undefined if the request has none. */
function policyOf({
  propagationPolicy,
  orphanDependents,
}: DeleteOptions): DeleteOptions['propagationPolicy'] {
  if (propagationPolicy !== undefined || orphanDependents === undefined) return propagationPolicy;
  return orphanDependents ? 'Orphan' : 'Background';
}

function finalizersFor(strategy: Strategy, present: readonly string[], options: DeleteOptions): string[] {
  const policy = policyOf(options);
  const own = strategy.finalizersOnDelete ?? [];
  const others = [...new Set([...present, ...own])].filter((name) => name !== orphan && name !== foreground);
  switch (policy) {
    case 'Orphan':
      return [...others, orphan];
    case 'Foreground':
      return [...others, foreground];
    case 'Background':
      return others;
    case undefined: {
      const asked = present.filter((name) => name === orphan || name === foreground);
      return [...others, ...(asked.length === 0 && strategy.orphansByDefault === true ? [orphan] : asked)];
    }
  }
}
