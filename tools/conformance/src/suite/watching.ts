import type { CallOptions } from './api.js';
import type { Scope } from './scope.js';
import type { Watch, WatchEvent } from './watch.js';

/** Opens a watch that ends with its case. @throws Error with the answer when the server refuses it. */
export async function watching(scope: Scope, path: string, options: CallOptions): Promise<Watch> {
  const watch = await scope.api.watch(path, options);
  scope.cleanup(() => Promise.resolve(watch.close()));
  if (watch.status !== 200) {
    throw new Error(`the server answers the watch with ${watch.status}: ${JSON.stringify(watch.refusal)}`);
  }
  return watch;
}

/** Returns the type and the name of each event. */
export function outlineOf(events: readonly WatchEvent[]): [string, string][] {
  return events.map(({ type, object }) => [type, object.metadata.name]);
}

/** The annotation of the bookmark that ends the initial events of a watch. */
export const initialEventsEnd = 'k8s.io/initial-events-end';
