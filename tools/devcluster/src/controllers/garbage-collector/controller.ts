import type { Cluster } from '../../api/cluster.js';
import { deleteObject, foreground, orphan, type DeleteOptions } from '../../api/delete.js';
import { updateObject } from '../../api/update.js';
import type { KubeObject, OwnerReference } from '../../object.js';
import type { Resource } from '../../registry/resource.js';
import type { Entry, StoreEvent } from '../../store/entry.js';
import { controller } from '../identity.js';
import { OwnerIndex } from './owner-index.js';
import { quietly } from '../quietly.js';
import { Worker } from '../worker.js';

/**
 * Deletes objects whose owners do not exist, and implements foreground deletion and orphaning. Source: Kubernetes
 * pkg/controller/garbagecollector.
 */
export class GarbageCollector {
  readonly #cluster: Cluster;
  readonly #index: OwnerIndex;
  readonly #worker: Worker;

  constructor(cluster: Cluster) {
    this.#cluster = cluster;
    this.#index = new OwnerIndex(cluster.store);
    this.#worker = new Worker(cluster.clock, (uid) => this.#sync(uid));
  }

  /** Starts with the stored objects. Returns a function that stops the controller. */
  start(): () => void {
    const { store } = this.#cluster;
    for (const collection of store.collectionNames()) {
      for (const { object } of store.entries(collection)) this.#consider(object);
    }
    const unsubscribe = store.subscribe((event) => this.#take(event));
    return () => {
      unsubscribe();
      this.#worker.stop();
    };
  }

  #take(event: StoreEvent): void {
    this.#index.take(event);
    const { object } = event.entry;
    if (event.type !== 'DELETED') {
      this.#consider(object);
      return;
    }
    const { uid = '', ownerReferences = [] } = object.metadata;
    for (const { object: dependent } of this.#index.dependents(uid)) this.#enqueue(dependent);
    /* An owner may wait for this object. */
    for (const owner of ownerReferences) this.#worker.add(owner.uid);
  }

  /** Enqueues an object if it has owners, or if its deletion waits for the collector. */
  #consider(object: KubeObject): void {
    const { ownerReferences = [], finalizers = [], deletionTimestamp } = object.metadata;
    const waits =
      deletionTimestamp !== undefined && (finalizers.includes(foreground) || finalizers.includes(orphan));
    if (ownerReferences.length > 0 || waits) this.#enqueue(object);
  }

  #enqueue({ metadata }: KubeObject): void {
    if (metadata.uid !== undefined) this.#worker.add(metadata.uid);
  }

  async #sync(uid: string): Promise<void> {
    const entry = this.#index.find(uid);
    if (entry === undefined) return;
    const { finalizers = [], deletionTimestamp } = entry.object.metadata;
    if (deletionTimestamp !== undefined) {
      if (finalizers.includes(orphan)) await this.#orphan(entry);
      else if (finalizers.includes(foreground)) await this.#waitForDependents(entry);
      return;
    }
    await this.#checkOwners(entry);
  }

  async #checkOwners(entry: Entry): Promise<void> {
    const { ownerReferences: owners = [], finalizers = [] } = entry.object.metadata;
    if (owners.length === 0) return;
    const state = (owner: OwnerReference): 'absent' | 'waiting' | 'solid' => this.#stateOf(owner, entry);
    const solid = owners.filter((owner) => state(owner) === 'solid');
    if (solid.length === owners.length) return;
    if (solid.length > 0) {
      await this.#disown(entry, (owner) => state(owner) !== 'solid');
      return;
    }
    const waits = owners.some((owner) => state(owner) === 'waiting');
    const own = this.#index.dependents(entry.object.metadata.uid ?? '').length > 0;
    const policy = finalizers.includes(orphan) ? 'Orphan' : waits && own ? 'Foreground' : 'Background';
    await this.#delete(entry, policy);
  }

  /** Owners must be in the same namespace or cluster-scoped. */
  #stateOf({ uid }: OwnerReference, dependent: Entry): 'absent' | 'waiting' | 'solid' {
    const found = this.#index.find(uid);
    if (found === undefined || (found.namespace !== '' && found.namespace !== dependent.namespace))
      return 'absent';
    const { deletionTimestamp, finalizers = [] } = found.object.metadata;
    return deletionTimestamp !== undefined && finalizers.includes(foreground) ? 'waiting' : 'solid';
  }

  async #waitForDependents(entry: Entry): Promise<void> {
    const { uid = '' } = entry.object.metadata;
    const dependents = this.#index.dependents(uid);
    const blocking = dependents.filter(({ object }) =>
      object.metadata.ownerReferences?.some(
        (owner) => owner.uid === uid && owner.blockOwnerDeletion === true,
      ),
    );
    for (const { object } of dependents) this.#enqueue(object);
    if (blocking.length === 0) await this.#dropFinalizer(entry, foreground);
  }

  async #orphan(entry: Entry): Promise<void> {
    const { uid = '' } = entry.object.metadata;
    for (const dependent of this.#index.dependents(uid))
      await this.#disown(dependent, (owner) => owner.uid === uid);
    await this.#dropFinalizer(entry, orphan);
  }

  async #delete(
    entry: Entry,
    propagationPolicy: NonNullable<DeleteOptions['propagationPolicy']>,
  ): Promise<void> {
    const { name, uid } = entry.object.metadata;
    const preconditions = uid === undefined ? {} : { uid };
    await this.#write(entry, (resource) =>
      deleteObject(
        this.#cluster,
        resource,
        { namespace: entry.namespace, name },
        { propagationPolicy, preconditions },
        controller,
      ),
    );
  }

  #disown(entry: Entry, drop: (owner: OwnerReference) => boolean): Promise<void> {
    return this.#change(entry, ({ metadata }) => {
      metadata.ownerReferences = (metadata.ownerReferences ?? []).filter((owner) => !drop(owner));
      if (metadata.ownerReferences.length === 0) Reflect.deleteProperty(metadata, 'ownerReferences');
    });
  }

  #dropFinalizer(entry: Entry, finalizer: string): Promise<void> {
    return this.#change(entry, ({ metadata }) => {
      metadata.finalizers = (metadata.finalizers ?? []).filter((name) => name !== finalizer);
      if (metadata.finalizers.length === 0) Reflect.deleteProperty(metadata, 'finalizers');
    });
  }

  async #change(entry: Entry, edit: (object: KubeObject) => void): Promise<void> {
    const { name } = entry.object.metadata;
    const change = (live: KubeObject): KubeObject => {
      edit(live);
      return live;
    };
    await this.#write(entry, (resource) =>
      updateObject(
        this.#cluster,
        resource,
        { namespace: entry.namespace, name, change, unconditional: true },
        controller,
      ),
    );
  }

  /** Changes an object, unless it was deleted or replaced. */
  async #write(entry: Entry, act: (resource: Resource) => Promise<unknown>): Promise<void> {
    const resource = this.#cluster.registry
      .collections()
      .find(({ collection }) => collection === entry.collection);
    if (resource !== undefined) await quietly(() => act(resource));
  }
}
