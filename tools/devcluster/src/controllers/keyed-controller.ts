import type { Cluster } from '../api/cluster.js';
import type { StoreEvent } from '../store/entry.js';
import { KeyedTimers } from './keyed-timers.js';
import { Worker } from './worker.js';

/** A controller for the objects of a collection. */
interface KeyedController {
  /** The collection whose objects are all processed at the start. */
  collection: string;
  /** Additional keys to process at the start. */
  firstKeys?: readonly string[];
  /** Returns the keys that a change of an object affects. */
  keysOf: (event: StoreEvent) => readonly string[];
  /**
   * Processes a key from the stored objects. Returns the milliseconds after which the key has to be processed again
   * even without a change, or undefined. A key whose processing fails is retried with back-off.
   */
  sync: (key: string) => Promise<number | undefined>;
}

/** Runs a controller for the stored objects and all further changes. Returns a function that stops the controller. */
export function runController(cluster: Cluster, controller: KeyedController): () => void {
  const { collection, firstKeys = [], keysOf, sync } = controller;
  const worker = new Worker(cluster.clock, async (key) => timers.set(key, await sync(key)));
  const timers = new KeyedTimers(cluster.clock, (key) => worker.add(key));
  for (const { key } of cluster.store.entries(collection)) worker.add(key);
  for (const key of firstKeys) worker.add(key);
  const unsubscribe = cluster.store.subscribe((event) => {
    for (const key of keysOf(event)) worker.add(key);
  });
  return () => {
    unsubscribe();
    worker.stop();
    timers.stop();
  };
}
