import { annotations, keyOf, keyString, type GateBinding, type ObjectKey } from '@interlock/api';
import { type FluxObject, referenceOf, referenceString, sourceOf, virtualBindingOf } from '@interlock/gating';
import type { OptionalCache } from '@interlock/kube';
import { referencesOf } from './graph.js';
import { isHeldBy } from './hold.js';

const sourceIndex = 'source';
const dependencyIndex = 'dependency';
const gateIndex = 'gate';
const heldIndex = 'held';

/** Maximum number of bindings by which a held object is found; of an object with more, all are searched. */
const maxHolders = 16;
/** The value of objects that more bindings hold. */
const byMany = '';

type IndexedCache = Pick<OptionalCache<FluxObject>, 'addIndex' | 'byIndex'>;

/**
 * Finds related Flux objects by index, so that the change of an object, a gate or a binding does not cost time for each object of
 * the cluster.
 */
export class FluxIndex {
  readonly #caches: readonly IndexedCache[];

  /**
   * Adds indexes to caches that do not run yet.
   *
   * @param caches in the order in which objects are found
   */
  constructor(caches: readonly IndexedCache[]) {
    this.#caches = caches;
    for (const cache of caches) {
      cache.addIndex(sourceIndex, (object) => {
        const source = sourceOf(object);
        return source === undefined ? [] : [referenceString(source)];
      });
      cache.addIndex(dependencyIndex, (object) => referencesOf(object).map(referenceString));
      cache.addIndex(gateIndex, gatesOf);
      cache.addIndex(heldIndex, holdersOf);
    }
  }

  /** Returns the objects that use a source directly. */
  takersOf(source: FluxObject): FluxObject[] {
    return this.#find(sourceIndex, referenceString(referenceOf(source)));
  }

  /** Returns the objects that depend on an object, or include it. */
  dependentsOf(object: FluxObject): FluxObject[] {
    return this.#find(dependencyIndex, referenceString(referenceOf(object)));
  }

  /** Returns the sources whose annotations refer to a gate. */
  requesting(gate: ObjectKey): FluxObject[] {
    return this.#find(gateIndex, keyString(gate));
  }

  /** Returns the objects that are held for a binding, according to their annotations. */
  heldBy(binding: GateBinding): FluxObject[] {
    return [keyString(keyOf(binding)), byMany]
      .flatMap((value) => this.#find(heldIndex, value))
      .filter((object) => isHeldBy(object, binding));
  }

  #find(index: string, value: string): FluxObject[] {
    return this.#caches.flatMap((cache) => cache.byIndex(index, value));
  }
}

function gatesOf(object: FluxObject): string[] {
  const refs = virtualBindingOf(object)?.binding.spec.refs ?? [];
  return refs.map(({ name, namespace = object.metadata.namespace }) => keyString({ namespace, name }));
}

/**
 * Returns the bindings that hold an object, according to its annotations. Users may write a list of any length, so a long one is
 * not indexed by its names.
 */
function holdersOf({ metadata }: FluxObject): string[] {
  const by = metadata.annotations?.[annotations.heldBy];
  if (by === undefined) return [];
  const names = by.split(',', maxHolders + 1);
  if (names.length > maxHolders) return [byMany];
  const { namespace } = metadata;
  return names.map((name) => (name.includes('/') ? name : keyString({ namespace, name })));
}
