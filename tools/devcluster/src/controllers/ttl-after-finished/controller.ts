import type { Cluster } from '../../api/cluster.js';
import { jobKind } from '../../builtin/job/kind.js';
import { runController } from '../keyed-controller.js';
import { deleteAs } from '../writes.js';
import { untilExpiry } from './decide.js';

const { collection } = jobKind;

/** Deletes Jobs, with their pods, some time after their end. Returns a function that stops the controller. */
export function startTtlAfterFinished(cluster: Cluster): () => void {
  return runController(cluster, {
    collection,
    keysOf: ({ entry }) => (entry.collection === collection ? [entry.key] : []),
    sync: async (key) => {
      const job = cluster.store.get(collection, key)?.object;
      if (job === undefined) return undefined;
      const wait = untilExpiry(job, cluster.clock.now());
      if (wait !== 0) return wait;
      await deleteAs(cluster, jobKind, job, 'Foreground');
      return undefined;
    },
  });
}
