import { textAt, type KubeObject } from '../../object.js';
import type { StoreEvent } from '../../store/entry.js';
import type { Store } from '../../store/store.js';
import { freePodAddress } from '../node/object.js';

/** The addresses of pods, kept up to date by store events. */
export class PodAddresses {
  /** Used addresses by node. */
  readonly #taken = new Map<string, Set<string>>();

  constructor(store: Store) {
    for (const { object } of store.entries('pods')) this.#add(object);
  }

  /** Updates the index after a change. */
  take({ type, entry, previous }: StoreEvent): void {
    if (entry.collection !== 'pods') return;
    if (previous !== undefined) this.#remove(previous.object);
    if (type !== 'DELETED') this.#add(entry.object);
  }

  /** Returns an address that no pod of a node has; `index`: the number of the node. */
  free(node: string, index: number): string {
    return freePodAddress(index, this.#taken.get(node) ?? new Set());
  }

  #add(pod: KubeObject): void {
    const [node, address] = placeOf(pod);
    if (address === '') return;
    const taken = this.#taken.get(node) ?? new Set<string>();
    this.#taken.set(node, taken.add(address));
  }

  #remove(pod: KubeObject): void {
    const [node, address] = placeOf(pod);
    const taken = this.#taken.get(node);
    taken?.delete(address);
    if (taken?.size === 0) this.#taken.delete(node);
  }
}

function placeOf(pod: KubeObject): [node: string, address: string] {
  return [textAt(pod, 'spec', 'nodeName'), textAt(pod, 'status', 'podIP')];
}
