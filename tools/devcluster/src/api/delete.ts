import { RevisionError } from '../store/errors.js';
import { keyOf, type Entry } from '../store/entry.js';
import { formatSeconds, type KubeObject } from '../object.js';
import { fromStorage, toStorage, type Resource } from '../registry/resource.js';
import { conflict, modified, notFound } from './api-error.js';
import { review, type Cluster, type WriteContext } from './cluster.js';
import { withMeta } from './finish-object.js';

const ATTEMPTS = 5;
export const ORPHAN = 'orphan';
export const FOREGROUND = 'foregroundDeletion';

/** `metav1.DeleteOptions`, as far as they have effect here. */
export interface DeleteOptions {
  gracePeriodSeconds?: number;
  propagationPolicy?: 'Orphan' | 'Background' | 'Foreground';
  orphanDependents?: boolean;
  preconditions?: { uid?: string; resourceVersion?: string };
}

/** What a deletion did: `gone` with the last version, or still there and waiting. */
export interface Deleted {
  gone: boolean;
  object: KubeObject;
}

/**
 * Deletes an object, or marks it as being deleted when finalizers or a grace period stand before it. Throws ApiError.
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
    await review(cluster, {
      operation: 'DELETE',
      resource,
      subresource: undefined,
      object: undefined,
      old: live,
      ...place,
      ...context,
    });
    try {
      return commit(cluster, resource, entry, live, options, context.dryRun);
    } catch (error) {
      if (!(error instanceof RevisionError)) throw error;
      if (attempt === ATTEMPTS) throw modified(subject);
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

/** The object as it waits for its end; undefined when nothing holds it, the same object when nothing changes. */
function mark(
  resource: Resource,
  live: KubeObject,
  options: DeleteOptions,
  now: Date,
): KubeObject | undefined {
  const { metadata } = live;
  const finalizers = finalizersFor(resource, metadata.finalizers ?? [], options);
  const grace = gracePeriod(resource, live, options);
  const held = finalizers.length > 0 || grace > 0 || holdsNamespace(live);
  if (!held) return undefined;
  const waiting = metadata.deletionTimestamp !== undefined;
  const sooner = waiting && grace < (metadata.deletionGracePeriodSeconds ?? 0);
  const sameFinalizers = finalizers.join() === (metadata.finalizers ?? []).join();
  if (waiting && !sooner && sameFinalizers) return live;
  const until = new Date(now.getTime() + grace * 1000);
  const marked = withMeta(live, {
    finalizers: finalizers.length === 0 ? undefined : finalizers,
    ...(waiting && !sooner
      ? {}
      : {
          deletionTimestamp: formatSeconds(until),
          deletionGracePeriodSeconds: live.kind === 'Namespace' ? undefined : grace,
          generation:
            metadata.generation === undefined || waiting ? metadata.generation : metadata.generation + 1,
        }),
  });
  return live.kind === 'Namespace' ? { ...marked, status: { phase: 'Terminating' } } : marked;
}

/** A namespace goes by its own list of finalizers, in its spec. */
function holdsNamespace({ kind, spec }: KubeObject): boolean {
  return kind === 'Namespace' && typeof spec === 'object' && spec !== null && 'finalizers' in spec;
}

const CRD_CLEANUP = 'customresourcecleanup.apiextensions.k8s.io';

function finalizersFor(resource: Resource, present: readonly string[], options: DeleteOptions): string[] {
  const policy =
    options.propagationPolicy ??
    (options.orphanDependents === undefined ? undefined : options.orphanDependents ? 'Orphan' : 'Background');
  const others = present.filter((name) => name !== ORPHAN && name !== FOREGROUND);
  if (
    resource.collection === 'customresourcedefinitions.apiextensions.k8s.io' &&
    !others.includes(CRD_CLEANUP)
  ) {
    others.push(CRD_CLEANUP);
  }
  switch (policy) {
    case 'Orphan':
      return [...others, ORPHAN];
    case 'Foreground':
      return [...others, FOREGROUND];
    case 'Background':
      return others;
    case undefined:
      return [...others, ...present.filter((name) => name === ORPHAN || name === FOREGROUND)];
  }
}

/** Seconds that a Pod gets to stop; it needs none before it has a node or after it has ended. */
function gracePeriod(resource: Resource, live: KubeObject, { gracePeriodSeconds }: DeleteOptions): number {
  if (resource.collection !== 'pods') return 0;
  const spec = live['spec'];
  const status = live['status'];
  const field = (value: unknown, key: string): unknown =>
    typeof value === 'object' && value !== null ? Reflect.get(value, key) : undefined;
  if ((field(spec, 'nodeName') ?? '') === '') return 0;
  if (['Succeeded', 'Failed'].includes(String(field(status, 'phase')))) return 0;
  const wanted = gracePeriodSeconds ?? field(spec, 'terminationGracePeriodSeconds') ?? 30;
  return typeof wanted === 'number' ? Math.max(0, wanted) : 30;
}
