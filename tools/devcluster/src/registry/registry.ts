import { apiVersionOf, type Resource } from './resource.js';

/** The served resources, by group version and plural. */
export class Registry {
  private readonly byPath = new Map<string, Resource>();
  private readonly changed = new Set<() => void>();

  /** The resource of a path, if it is served. */
  get(group: string, version: string, plural: string): Resource | undefined {
    return this.byPath.get(pathKey(group, version, plural));
  }

  /** All resources in the order in which they were added. */
  all(): Resource[] {
    return [...this.byPath.values()];
  }

  /** One version of each stored collection: what garbage collection and namespace deletion walk over. */
  collections(): Resource[] {
    const first = new Map<string, Resource>();
    for (const resource of this.byPath.values()) {
      if (!first.has(resource.collection) && resource.verbs.includes('list'))
        first.set(resource.collection, resource);
    }
    return [...first.values()];
  }

  /** A served resource by kind. */
  byKind(apiVersion: string, kind: string): Resource | undefined {
    return this.all().find((resource) => resource.kind === kind && apiVersionOf(resource) === apiVersion);
  }

  /** Whether any version of the group is served. */
  hasGroup(group: string): boolean {
    return this.all().some((resource) => resource.group === group);
  }

  /** Whether the group version is served. */
  hasGroupVersion(group: string, version: string): boolean {
    return this.all().some((resource) => resource.group === group && resource.version === version);
  }

  add(...resources: Resource[]): void {
    for (const resource of resources) {
      this.byPath.set(pathKey(resource.group, resource.version, resource.plural), resource);
    }
    this.notify();
  }

  /** Serves these versions of a resource instead of all that were served; none stops serving it. */
  replace(group: string, plural: string, versions: readonly Resource[]): void {
    for (const [key, resource] of this.byPath) {
      if (resource.group === group && resource.plural === plural) this.byPath.delete(key);
    }
    this.add(...versions);
  }

  /** Calls back when the set of resources changes. Returns what ends it. */
  onChange(listener: () => void): () => void {
    this.changed.add(listener);
    return () => this.changed.delete(listener);
  }

  private notify(): void {
    for (const listener of this.changed) listener();
  }
}

function pathKey(group: string, version: string, plural: string): string {
  return `${group}/${version}/${plural}`;
}
