import { setTimeout } from 'node:timers/promises';
import { Pod, type Client } from '@interlock/kube';

const againMs = 50;

/**
 * Calls `take` with every pod of a namespace, and again whenever a pod changes, until `signal` aborts. A watch that
 * ends is restarted with a list, so `take` may receive a pod twice.
 */
export async function watchPods(
  client: Pick<Client, 'list' | 'watch'>,
  namespace: string,
  signal: AbortSignal,
  take: (pod: Pod, isGone: boolean) => void,
): Promise<void> {
  while (!signal.aborted) {
    try {
      const { items, resourceVersion } = await client.list(Pod, { namespace, signal });
      for (const pod of items) take(pod, false);
      for await (const event of client.watch(Pod, { namespace, resourceVersion, signal })) {
        if (event.type !== 'BOOKMARK') take(event.object, event.type === 'DELETED');
      }
    } catch {
      /* The API server is unavailable, or no longer has the history; the next list shows the current pods. */
      await setTimeout(againMs, undefined, { signal }).catch(() => undefined);
    }
  }
}
