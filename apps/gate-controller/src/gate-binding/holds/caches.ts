import { delay, type Logger, semanticEqual } from '@interlock/base';
import { flux, type FluxObject, type FluxObjects, trimFluxObject } from '@interlock/gating';
import { fluxKinds, keyString, type FluxKind } from '@interlock/api';
import {
  createOptionalCache,
  type CacheEvent,
  type Manager,
  type OptionalCache,
  type Predicate,
} from '@interlock/kube';

interface FluxCachesOptions {
  manager: Manager;
  log: Logger;
  /** Uniform in [0, 1). */
  random: () => number;
  /** Milliseconds between two checks for kinds that may be installed later. */
  discoveryIntervalMs?: number | undefined;
}

const labelIndex = 'label';
const pollMs = 20;
/** How long a process waits at most, from its first read, until the objects are known; in milliseconds. */
const readingMs = 10_000;

/** The caches of the Flux kinds, none of which need to be installed. The manager runs them. */
export class FluxCaches implements FluxObjects {
  readonly #caches: ReadonlyMap<string, OptionalCache<FluxObject>>;
  /** Monotonic time until which objects are being read. */
  #readingUntil: number | undefined;

  readonly #options: FluxCachesOptions;

  constructor(options: FluxCachesOptions) {
    this.#options = options;

    const { manager, log, random, discoveryIntervalMs } = options;
    this.#caches = new Map(
      fluxKinds.map((kind) => {
        const options = { transform: trimFluxObject, checkIntervalMs: discoveryIntervalMs };
        const dependencies = { clock: manager.clock, random, log, metrics: manager.cacheMetrics };
        const cache = createOptionalCache(manager.client, flux[kind], options, dependencies);
        cache.addIndex(labelIndex, ({ metadata }) =>
          Object.entries(metadata.labels ?? {}).map((pair) => labelled(metadata.namespace, pair)),
        );
        manager.add(cache);
        return [kind, cache];
      }),
    );
  }

  get all(): OptionalCache<FluxObject>[] {
    return [...this.#caches.values()];
  }

  get(reference: { kind: string; namespace?: string | undefined; name: string }): FluxObject | undefined {
    return this.#caches.get(reference.kind)?.get(reference);
  }

  list(kind: FluxKind, namespace?: string, labels: Readonly<Record<string, string>> = {}): FluxObject[] {
    const cache = this.#caches.get(kind);
    if (cache === undefined) return [];
    const [label, ...others] = Object.entries(labels).map((pair) => labelled(namespace, pair));
    if (label === undefined) return cache.list({ namespace });
    /* The rarest label, because one that all objects of a team have is of no use. */
    return others
      .map((value) => cache.byIndex(labelIndex, value))
      .reduce((a, b) => (b.length < a.length ? b : a), cache.byIndex(labelIndex, label));
  }

  /**
   * Waits until the objects of the kinds are known. Objects that are not known some seconds after the start may never
   * become known.
   */
  async read(kinds: readonly string[], signal: AbortSignal): Promise<void> {
    const { clock } = this.#options.manager;
    this.#readingUntil ??= clock.monotonic() + readingMs;
    while (this.unread(kinds).length > 0 && clock.monotonic() < this.#readingUntil && !signal.aborted) {
      await delay(clock, pollMs, signal);
    }
  }

  /** Returns the objects of all kinds that match the filter. */
  filter(test: (object: FluxObject) => boolean): FluxObject[] {
    return this.all.flatMap((cache) => cache.list()).filter(test);
  }

  /** Returns the kinds that the API server does not serve. */
  absent(kinds: readonly string[]): string[] {
    return this.#named(kinds, ({ availability }) => availability === 'absent');
  }

  /** Returns the kinds whose objects are not known yet. */
  unread(kinds: readonly string[] = fluxKinds): string[] {
    return this.#named(kinds, ({ availability }) => availability === 'unknown' || availability === 'reading');
  }

  #named(kinds: readonly string[], test: (cache: OptionalCache<FluxObject>) => boolean): string[] {
    return kinds.flatMap((kind) => {
      const cache = this.#caches.get(kind);
      if (cache === undefined || !test(cache)) return [];
      const { plural, version, group } = cache.kind;
      return [`${plural}.${version}.${group}`];
    });
  }
}

/** Returns whether an event changes the cached state. */
export const somethingChanged: Predicate<FluxObject> = (event) =>
  event.type !== 'updated' || !semanticEqual(withoutVersion(event.old), withoutVersion(event.object));

/** Returns whether an event may change which bindings apply to an object, or to objects that use it. */
export function placeChanged(event: CacheEvent<FluxObject>): boolean {
  if (event.type !== 'updated') return true;
  const { old, object } = event;
  return (
    old.metadata.generation !== object.metadata.generation ||
    !semanticEqual(old.metadata.labels, object.metadata.labels)
  );
}

function labelled(namespace: string | undefined, [label, value]: [string, string]): string {
  return keyString({ namespace, name: `${label}=${value}` });
}

function withoutVersion({ metadata, ...rest }: FluxObject): object {
  const { resourceVersion: _version, ...kept } = metadata;
  return { ...rest, metadata: kept };
}
