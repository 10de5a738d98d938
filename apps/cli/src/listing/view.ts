import type { Kind, KubeObject } from '@interlock/api';

/** What {@link defineView} makes a view of. */
export interface Definition<T extends KubeObject> {
  kind: Kind<T>;
  headers: readonly string[];
  /** Returns the rows of an object; none: it is not listed. */
  rows(object: T, now: number): string[][];
  /** What there is none of when no object has a row; default: objects of the kind. */
  what?: string;
  /** Returns what `-o json` shows for an object; default: the object. */
  data?(object: T): unknown[];
}

/** How one kind is listed. Only for objects of that kind. */
export type View = Required<Definition<KubeObject>>;

export function defineView<T extends KubeObject>({ kind, headers, rows, data, what }: Definition<T>): View {
  return {
    kind,
    what: what ?? `${kind.kind} objects`,
    headers,
    rows: (object, now) => rows(object as T, now),
    data: (object) => data?.(object as T) ?? [object],
  };
}
