import { ifFound, type Kind, type KubeObject, type ObjectKey, type RefersToRepository } from '@interlock/api';
import { controllerOf, isControlledBy, type Client } from '@interlock/kube';

/** Reads the objects of one namespace from the API server, each list once, to confirm a merge. */
export class FreshReader {
  readonly #client: Pick<Client, 'get' | 'list'>;
  readonly #within: { namespace?: string };
  readonly #lists = new Map<string, Promise<{ items: KubeObject[] }>>();

  constructor(client: Pick<Client, 'get' | 'list'>, { namespace }: Pick<ObjectKey, 'namespace'>) {
    this.#client = client;
    this.#within = namespace === undefined ? {} : { namespace };
  }

  /** Returns the objects of a kind in the namespace, or all of them if the kind is not namespaced. @throws ApiError */
  async list<T extends KubeObject>(kind: Kind<T>): Promise<T[]> {
    const known = this.#lists.get(kind.kind);
    const list = known ?? this.#client.list(kind, kind.namespaced ? this.#within : {});
    this.#lists.set(kind.kind, list);
    return (await list).items as T[];
  }

  /** Returns an object; undefined when there is none. @throws ApiError */
  get<T extends KubeObject>(kind: Kind<T>, name: string): Promise<T | undefined> {
    return ifFound(this.#client.get(kind, { ...this.#within, name }));
  }

  /**
   * Returns the controller of an object; undefined if it does not exist, is being deleted, or is of another kind.
   *
   * @throws ApiError
   */
  async controllerOf<T extends KubeObject>(kind: Kind<T>, object: KubeObject): Promise<T | undefined> {
    const owner = isOf(kind, object) ? await this.get(kind, controllerOf(object)?.name ?? '') : undefined;
    if (owner?.metadata.deletionTimestamp !== undefined) return undefined;
    return owner !== undefined && isControlledBy(object, owner) ? owner : undefined;
  }
}

/** Returns whether the owner that controls an object is of the given kind. */
export function isOf(kind: Kind, object: KubeObject): boolean {
  return controllerOf(object)?.kind === kind.kind;
}

/** Returns the objects that concern the same repository as another object of their namespace. */
export function ofRepository<T extends RefersToRepository>(
  objects: readonly T[],
  { spec }: RefersToRepository,
): T[] {
  return objects.filter((object) => object.spec.repoRef.name === spec.repoRef.name);
}
