import { keyOf, keyString, type Kind, type KubeObject, type ObjectKey } from '@interlock/api';
import type { Cache, CacheEvent, CacheOptions, FollowedCache } from '../cache/types.js';
import { controllerOf } from './owners.js';
import type { Priority } from './ready-keys.js';
import type { ControllerOptions, Predicate } from './types.js';

/** The shared cache of a kind. */
export type CacheProvider = <T extends KubeObject>(kind: Kind<T>, options?: CacheOptions<T>) => Cache<T>;

/** Receives the keys of events. */
type Enqueue = (key: ObjectKey, priority: Priority) => void;

/** A cache whose events yield keys. Returns a function that ends the subscription. */
export type Source = (enqueue: Enqueue, onError: (error: unknown) => void) => () => void;

interface SourceOptions<T extends KubeObject> {
  predicate?: Predicate<T>;
  map: (object: T) => readonly ObjectKey[];
}

/** Returns the sources of a controller: the reconciled kind, its children and everything else that it watches. */
export function sourcesOf<T extends KubeObject>(
  options: ControllerOptions<T>,
  cacheOf: CacheProvider,
): { primary: FollowedCache<T>; sources: Source[] } {
  const primary = options.for.optional ?? cacheOf(options.for.kind, options.for.cache);
  const owned = (options.owns ?? []).map((child) =>
    related(cacheOf(child.kind, child.cache), { ...child, map: ownerKeys(options.for.kind) }),
  );
  const watched = (options.watches ?? []).map((watch) => related(cacheOf(watch.kind, watch.cache), watch));
  return {
    primary,
    sources: [source(primary, { ...options.for, map: (object) => [keyOf(object)] }), ...owned, ...watched],
  };
}

/**
 * Returns the source of a cache of other objects than the reconciled ones. Each reconciled object is woken once at the start by
 * itself: if each of many objects that concern it woke it as well, the start would take the product of their numbers.
 */
function related<T extends KubeObject>(cache: FollowedCache<T>, options: SourceOptions<T>): Source {
  const { predicate } = options;
  return source(cache, {
    ...options,
    predicate: (event) => !isInitial(event) && predicate?.(event) !== false,
  });
}

/**
 * Returns the source of the keys for the events of a cache. For an update, the keys of the old object count too: a
 * changed reference concerns both objects.
 */
function source<T extends KubeObject>(cache: FollowedCache<T>, { predicate, map }: SourceOptions<T>): Source {
  return (enqueue, onError) =>
    cache.subscribe((event) => {
      try {
        if (predicate?.(event) === false) return;
        // Each key once: a free worker takes the first one immediately, and a second one would run it again.
        const keys = new Map(
          objectsOf(event)
            .flatMap(map)
            .map((key) => [keyString(key), key]),
        );
        keys.forEach((key) => enqueue(key, priorityOf(event)));
      } catch (error) {
        onError(error);
      }
    });
}

function objectsOf<T>(event: CacheEvent<T>): readonly T[] {
  return event.type === 'updated' ? [event.old, event.object] : [event.object];
}

function priorityOf(event: CacheEvent<unknown>): Priority {
  return isInitial(event) ? 'initial' : 'live';
}

function isInitial(event: CacheEvent<unknown>): boolean {
  return event.type === 'added' && event.initial;
}

function ownerKeys(kind: Kind): (child: KubeObject) => readonly ObjectKey[] {
  return (child) => {
    const owner = controllerOf(child);
    if (owner === undefined || owner.kind !== kind.kind || groupOf(owner.apiVersion) !== kind.group)
      return [];
    const { namespace } = child.metadata;
    return [
      kind.namespaced && namespace !== undefined ? { namespace, name: owner.name } : { name: owner.name },
    ];
  };
}

function groupOf(apiVersion: string): string {
  const slash = apiVersion.indexOf('/');
  return slash < 0 ? '' : apiVersion.slice(0, slash);
}
