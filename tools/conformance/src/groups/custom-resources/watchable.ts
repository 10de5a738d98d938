import { setTimeout as delay } from 'node:timers/promises';
import type { Scope } from '../../suite/scope.js';
import type { Widgets } from './definition.js';

const pollMs = 50;

/**
 * Returns a resourceVersion from which a watch reports all later events. Until the server has loaded the objects of a
 * new resource, it refuses a watch with 429, or ends it with 410 if its resourceVersion is older.
 */
export async function watchableFrom(scope: Scope, widgets: Widgets, version = 'v1'): Promise<string> {
  await widgets.make('probe');
  while (!(await isWatched(scope, widgets.list(version)))) await delay(pollMs);
  await scope.api.delete(widgets.path('probe'));
  const { body } = await scope.api.get(widgets.list(version));
  return body.metadata.resourceVersion;
}

/** Returns whether a watch with resourceVersion 0 reports the existing object. */
async function isWatched(scope: Scope, path: string): Promise<boolean> {
  const events = await scope.api.watch(path, { query: { resourceVersion: 0 } });
  const first = events.status === 200 ? await events.next() : undefined;
  events.close();
  return first?.type === 'ADDED';
}
