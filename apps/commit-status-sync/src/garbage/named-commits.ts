import { isFullSHA, type KubeObject } from '@interlock/api';

/**
 * The commits that objects name. Each object is searched once, because a cached object does not change: a repository may have
 * thousands of objects, and the change of one must not cost a search of all.
 */
export class NamedCommits {
  readonly #known = new WeakMap<KubeObject, readonly string[]>();

  /** Returns the commits that an object of a cache names, each once. */
  in(object: KubeObject): readonly string[] {
    const known = this.#known.get(object);
    if (known !== undefined) return known;
    const found = new Set<string>();
    collect(object, found);
    const commits = [...found];
    this.#known.set(object, commits);
    return commits;
  }
}

function collect(value: unknown, found: Set<string>): void {
  if (typeof value === 'string') {
    if (isFullSHA(value)) found.add(value);
  } else if (typeof value === 'object' && value !== null) {
    for (const child of Object.values(value)) collect(child, found);
  }
}
