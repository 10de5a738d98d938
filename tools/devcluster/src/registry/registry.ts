import { apiVersionOf } from './resource.js';
import type { Resource, ResourceRegistry } from './types.js';

export class Registry implements ResourceRegistry {
  readonly #byPath = new Map<string, Resource>();
  readonly #changed = new Set<() => void>();

  get(group: string, version: string, plural: string): Resource | undefined {
    return this.#byPath.get(pathKey(group, version, plural));
  }

  all(): Resource[] {
    return [...this.#byPath.values()];
  }

  collections(): Resource[] {
    const first = new Map<string, Resource>();
    for (const resource of this.#byPath.values()) {
      if (!first.has(resource.collection) && resource.verbs.includes('list'))
        first.set(resource.collection, resource);
    }
    return [...first.values()];
  }

  byKind(apiVersion: string, kind: string): Resource | undefined {
    return this.all().find((resource) => resource.kind === kind && apiVersionOf(resource) === apiVersion);
  }

  hasGroup(group: string): boolean {
    return this.all().some((resource) => resource.group === group);
  }

  hasGroupVersion(group: string, version: string): boolean {
    return this.all().some((resource) => resource.group === group && resource.version === version);
  }

  add(...resources: Resource[]): void {
    for (const resource of resources) {
      this.#byPath.set(pathKey(resource.group, resource.version, resource.plural), resource);
    }
    this.#notify();
  }

  replace(group: string, plural: string, versions: readonly Resource[]): void {
    for (const [key, resource] of this.#byPath) {
      if (resource.group === group && resource.plural === plural) this.#byPath.delete(key);
    }
    this.add(...versions);
  }

  onChange(listener: () => void): () => void {
    this.#changed.add(listener);
    return () => this.#changed.delete(listener);
  }

  #notify(): void {
    for (const listener of this.#changed) listener();
  }
}

function pathKey(group: string, version: string, plural: string): string {
  return `${group}/${version}/${plural}`;
}
