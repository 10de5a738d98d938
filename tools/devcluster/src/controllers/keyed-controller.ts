import type { Cluster } from '../api/cluster.js';
import type { StoreEvent } from '../store/entry.js';
import { KeyedTimers } from './keyed-timers.js';
import { Worker } from './worker.js';

/** A controller that brings objects of one collection to what they ask for. */
interface KeyedController {
  /** The collection whose keys are worked on; all of them at the start. */
  collection: string;
  /** Further keys to work on at the start. */
  firstKeys?: readonly string[];
  /** Returns the keys that a change of any object concerns. */
  keysOf: (event: StoreEvent) => readonly string[];
  /**
   * Works on one key from what is stored now. Returns the milliseconds after which it has to run again without a
   * change; undefined: not at all. A rejection runs it again with back-off.
   */
  sync: (key: string) => Promise<number | undefined>;
}

/** Runs a controller over what is stored and over every change from now on. Returns what ends it. */
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
