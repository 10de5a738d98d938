import { keyOf, keyString, type Kind, type KubeObject, type ObjectKey } from '@interlock/api';
import { ApiError, type Client } from '@interlock/kube';

/** The part of the API server that the acts of a job need: objects by kind and name, with conflicts. */
export class MemoryClient {
  readonly #objects = new Map<string, KubeObject>();
  #version = 0;
  /** Called before each call; an error that it throws fails the call, which then has no effect. */
  before: () => void = () => undefined;
  /** Called after each call that changed an object; an error that it throws fails the call although the change was made. */
  after: () => void = () => undefined;

  /** Returns this client as a {@link Client}, of which the acts use only these methods. */
  get client(): Client {
    return {
      get: async (kind: Kind, key: ObjectKey) => this.#get(kind, key),
      create: async (kind: Kind, object: unknown) => this.#create(kind, object as KubeObject),
      patch: async (kind: Kind, key: ObjectKey, { patch }: { patch: unknown }) =>
        this.#patch(kind, key, patch),
      delete: async (kind: Kind, key: ObjectKey, options?: { resourceVersion?: string }) =>
        this.#delete(kind, key, options?.resourceVersion),
    } as unknown as Client;
  }

  /** Returns an object as it is stored; undefined when there is none. */
  read<T extends KubeObject>(kind: Kind<T>, key: ObjectKey): T | undefined {
    return structuredClone(this.#objects.get(idOf(kind, key))) as T | undefined;
  }

  /** Stores an object as another client does. */
  put(kind: Kind, object: KubeObject): KubeObject {
    const stored = structuredClone(object);
    stored.metadata = { ...stored.metadata, resourceVersion: String(++this.#version) };
    stored.metadata.uid ??= `uid-${this.#version}`;
    this.#objects.set(idOf(kind, keyOf(object)), stored);
    return structuredClone(stored);
  }

  /** Removes an object as another client does. */
  remove(kind: Kind, key: ObjectKey): void {
    this.#objects.delete(idOf(kind, key));
  }

  #get(kind: Kind, key: ObjectKey): KubeObject {
    this.before();
    const object = this.#objects.get(idOf(kind, key));
    if (object === undefined) throw refused('NotFound', 404, 'NotFound');
    return structuredClone(object);
  }

  #create(kind: Kind, object: KubeObject): KubeObject {
    this.before();
    if (this.#objects.has(idOf(kind, keyOf(object)))) throw refused('Conflict', 409, 'AlreadyExists');
    const stored = this.put(kind, object);
    this.after();
    return stored;
  }

  #patch(kind: Kind, key: ObjectKey, patch: unknown): KubeObject {
    const object = this.#get(kind, key);
    const { metadata: { resourceVersion } = {} } = patch as Partial<KubeObject>;
    check(object, resourceVersion);
    const stored = this.put(kind, merge(object, patch) as KubeObject);
    this.after();
    return stored;
  }

  #delete(kind: Kind, key: ObjectKey, resourceVersion: string | undefined): void {
    check(this.#get(kind, key), resourceVersion);
    if (kind.kind === 'Pod') {
      const pod = this.#get(kind, key);
      pod.metadata.deletionTimestamp ??= new Date(0).toISOString();
      this.put(kind, pod);
    } else this.#objects.delete(idOf(kind, key));
    this.after();
  }
}

function check({ metadata }: KubeObject, resourceVersion: string | undefined): void {
  const isCurrent = resourceVersion === undefined || resourceVersion === metadata.resourceVersion;
  if (!isCurrent) throw refused('Conflict', 409, 'Conflict');
}

function idOf({ kind }: Kind, key: ObjectKey): string {
  return `${kind} ${keyString(key)}`;
}

/** Returns an object after a JSON merge patch (RFC 7386), or after a strategic merge patch that removes items of a list by name. */
function merge(target: unknown, patch: unknown): unknown {
  if (Array.isArray(target) && isRemoval(patch)) {
    const names = patch.map(({ name }) => name);
    return target.filter(({ name }: { name?: string }) => !names.includes(name));
  }
  if (typeof patch !== 'object' || patch === null || Array.isArray(patch)) return patch;
  const result: Record<string, unknown> = { ...(target as Record<string, unknown> | undefined) };
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) throw new RangeError(`no act removes a field, such as ${key}`);
    if (value !== undefined) result[key] = merge(result[key], value);
  }
  return result;
}

function isRemoval(patch: unknown): patch is { $patch: 'delete'; name?: string }[] {
  return Array.isArray(patch) && patch.every((item: { $patch?: unknown }) => item.$patch === 'delete');
}

function refused(type: 'NotFound' | 'Conflict', code: number, reason: string): ApiError {
  return new ApiError(type, reason, { method: 'GET', path: '/', code, reason });
}
