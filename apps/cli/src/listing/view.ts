import type { Kind, KubeObject } from '@interlock/api';

/** The definition from which {@link defineView} creates a view. */
export interface Definition<T extends KubeObject> {
  kind: Kind<T>;
  headers: readonly string[];
  /** Returns the rows of an object; an object without rows is not listed. */
  rows(object: T, now: number): string[][];
  /** Noun for the message that no object has a row; defaults to objects of the kind. */
  what?: string;
  /** Returns the data of an object for `-o json`; defaults to the object. */
  data?(object: T): unknown[];
}

/** How one kind is listed. It must only be used for objects of that kind. */
export type View = Required<Definition<KubeObject>> & {
  /** Whether the data of an object is the object itself, not a list of its parts. */
  isWhole: boolean;
};

export function defineView<T extends KubeObject>({ kind, headers, rows, data, what }: Definition<T>): View {
  return {
    kind,
    what: what ?? `${kind.kind} objects`,
    headers,
    rows: (object, now) => rows(object as T, now),
    data: (object) => data?.(object as T) ?? [object],
    isWhole: data === undefined,
  };
}
