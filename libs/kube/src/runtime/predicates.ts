import type { KubeObject } from '@interlock/api';
import type { Predicate } from './types.js';

type Pairs = Readonly<Record<string, string>> | undefined;

/** Passes an update if the spec changed (`metadata.generation`), or if the deletion of the object began. */
export const generationChanged: Predicate<KubeObject> = (event) =>
  event.type !== 'updated' ||
  event.object.metadata.generation !== event.old.metadata.generation ||
  event.object.metadata.deletionTimestamp !== event.old.metadata.deletionTimestamp;

/** Passes an update if labels changed: any, or only those with the given keys. */
export function labelsChanged(...keys: string[]): Predicate<KubeObject> {
  return (event) =>
    event.type !== 'updated' || differ(event.old.metadata.labels, event.object.metadata.labels, keys);
}

/** Passes an update if annotations changed: any, or only those with the given keys. */
export function annotationsChanged(...keys: string[]): Predicate<KubeObject> {
  return (event) =>
    event.type !== 'updated' ||
    differ(event.old.metadata.annotations, event.object.metadata.annotations, keys);
}

export function or<T>(...predicates: Predicate<T>[]): Predicate<T> {
  return (event) => predicates.some((predicate) => predicate(event));
}

/** Passes the changes of an object that users make: its spec and its labels, but not its status. */
export const specOrLabelsChanged = or(generationChanged, labelsChanged());

function differ(before: Pairs, after: Pairs, keys: readonly string[]): boolean {
  const relevant = keys.length > 0 ? keys : Object.keys({ ...before, ...after });
  return relevant.some((key) => before?.[key] !== after?.[key]);
}
