import { jsonEqual } from '../../schema/json.js';
import { trackUpdate } from '../../apply/index.js';
import type { Cluster } from '../../api/cluster.js';
import { deleteObject } from '../../api/delete.js';
import { controller } from '../identity.js';
import { formatSeconds, objectAt, objectsAt, textAt, textsAt, type KubeObject } from '../../object.js';
import { customResources, storedCustomResource } from '../../registry/custom-resource.js';
import { crdCleanup, customResourceDefinition } from '../../builtin/custom-resource-definition.js';
import type { JsonObject } from '../../schema/types.js';
import type { StoreEvent } from '../../store/entry.js';
import { quietly } from '../quietly.js';
import { Worker } from '../worker.js';

/**
 * Serves custom resources: accepts names, establishes definitions, and removes all objects before a definition is
 * removed. Runs within the write of a definition, so that the definition is served before the write is answered.
 */
export class CustomResources {
  /** The served form of each definition. */
  readonly #served = new Map<string, JsonObject>();
  readonly #cluster: Cluster;
  /** Empties definitions that are being deleted. */
  readonly #worker: Worker;

  constructor(cluster: Cluster) {
    this.#cluster = cluster;
    this.#worker = new Worker(cluster.clock, (name) => this.#empty(name));
  }

  /** Starts the controller with the stored definitions. Returns a function that stops the controller. */
  start(): () => void {
    const { store } = this.#cluster;
    for (const { object } of store.entries(customResourceDefinition.collection)) {
      this.#serve(object);
      if (object.metadata.deletionTimestamp !== undefined) this.#worker.add(object.metadata.name);
    }
    const unsubscribe = store.subscribe((event) => this.#take(event));
    return () => {
      unsubscribe();
      this.#worker.stop();
    };
  }

  #take({ type, entry }: StoreEvent): void {
    if (entry.collection !== customResourceDefinition.collection) {
      if (type === 'DELETED') this.#finishTerminating(entry.collection);
      return;
    }
    const { object } = entry;
    if (type === 'DELETED') {
      this.#cluster.registry.replace(
        textAt(object, 'spec', 'group'),
        textAt(object, 'spec', 'names', 'plural'),
        [],
      );
      this.#served.delete(object.metadata.name);
      this.#acceptOthers();
      return;
    }
    if (!this.#accept(object)) this.#serve(object);
    if (object.metadata.deletionTimestamp !== undefined) {
      this.#finishTerminating(object.metadata.name);
      this.#worker.add(object.metadata.name);
    }
  }

  /**
   * Writes the status that results from the names. Returns whether the status changed, in which case the controller
   * runs again.
   */
  #accept(object: KubeObject): boolean {
    const status = this.#statusFor(object);
    if (jsonEqual(object['status'], status)) return false;
    this.#writeStatus(object, status);
    return true;
  }

  #acceptOthers(): void {
    for (const { object } of this.#cluster.store.entries(customResourceDefinition.collection))
      this.#accept(object);
  }

  #statusFor(object: KubeObject): JsonObject {
    const names = objectAt(object, 'spec', 'names');
    const taken = this.#conflict(object);
    const before = objectsAt(object, 'status', 'conditions');
    const now = formatSeconds(this.#cluster.now());
    const condition = (type: string, status: string, reason: string, message: string): JsonObject => {
      const same = before.find((one) => one['type'] === type && one['status'] === status);
      return { type, status, lastTransitionTime: same?.['lastTransitionTime'] ?? now, reason, message };
    };
    const established = before.some((one) => one['type'] === 'Established' && one['status'] === 'True');
    const accepted =
      taken === undefined
        ? condition('NamesAccepted', 'True', 'NoConflicts', 'no conflicts found')
        : condition('NamesAccepted', 'False', taken.reason, taken.message);
    const serving =
      taken === undefined || established
        ? condition('Established', 'True', 'InitialNamesAccepted', 'the initial names have been accepted')
        : condition('Established', 'False', 'NotAccepted', 'not all names are accepted');
    const deleting =
      object.metadata.deletionTimestamp === undefined
        ? []
        : [
            condition(
              'Terminating',
              'True',
              'InstanceDeletionInProgress',
              'CustomResource deletion is in progress',
            ),
          ];
    const stored = textsAt(object, 'status', 'storedVersions');
    const storage = objectsAt(object, 'spec', 'versions').find((version) => version['storage'] === true);
    const current = storage === undefined ? '' : textAt(storage, 'name');
    return {
      conditions: [accepted, serving, ...deleting],
      acceptedNames: taken === undefined ? names : objectAt(object, 'status', 'acceptedNames'),
      storedVersions: stored.includes(current) ? stored : [...stored, current],
    };
  }

  /** Returns the problem if another definition of the same group already uses a name. */
  #conflict(object: KubeObject): { reason: string; message: string } | undefined {
    const names = objectAt(object, 'spec', 'names');
    const group = textAt(object, 'spec', 'group');
    for (const { object: other } of this.#cluster.store.entries(customResourceDefinition.collection)) {
      if (other.metadata.uid === object.metadata.uid || textAt(other, 'spec', 'group') !== group) continue;
      const used = objectAt(other, 'status', 'acceptedNames');
      const all = [textAt(used, 'plural'), textAt(used, 'singular'), ...textsAt(used, 'shortNames')];
      const kinds = [textAt(used, 'kind'), textAt(used, 'listKind')];
      const clash = (
        reason: string,
        name: string,
        among: string[],
      ): { reason: string; message: string } | undefined =>
        name !== '' && among.includes(name)
          ? { reason, message: `${JSON.stringify(name)} is already in use` }
          : undefined;
      const found =
        clash('PluralConflict', textAt(names, 'plural'), all) ??
        clash('SingularConflict', textAt(names, 'singular'), all) ??
        textsAt(names, 'shortNames')
          .map((name) => clash('ShortNamesConflict', name, all))
          .find(Boolean) ??
        clash('KindConflict', textAt(names, 'kind'), kinds) ??
        clash('ListKindConflict', textAt(names, 'listKind'), kinds);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  #writeStatus(object: KubeObject, status: JsonObject): void {
    const cluster = this.#cluster;
    const { name } = object.metadata;
    const stored = cluster.store.get(customResourceDefinition.collection, name);
    if (stored?.object !== object) return;
    const after = trackUpdate({
      before: object,
      after: { ...object, status },
      manager: 'kube-apiserver',
      apiVersion: object.apiVersion,
      schema: customResourceDefinition.schema,
      subresource: 'status',
      now: cluster.now(),
    });
    cluster.store.put(customResourceDefinition.collection, name, after as KubeObject, stored.revision);
  }

  #serve(object: KubeObject): void {
    const { registry } = this.#cluster;
    const established = objectsAt(object, 'status', 'conditions').some(
      (condition) => condition['type'] === 'Established' && condition['status'] === 'True',
    );
    const { name, deletionTimestamp } = object.metadata;
    const shape: JsonObject = {
      spec: object['spec'] ?? null,
      names: objectAt(object, 'status', 'acceptedNames'),
      deleted: deletionTimestamp ?? null,
    };
    if (!established || jsonEqual(this.#served.get(name), shape)) return;
    this.#served.set(name, shape);
    registry.replace(
      textAt(object, 'spec', 'group'),
      textAt(object, 'spec', 'names', 'plural'),
      customResources(object),
    );
  }

  /**
   * Deletes all objects of a definition that is being deleted, without admission. The definition is removed after the
   * last object. Source: apiextensions-apiserver pkg/controller/finalizer.
   */
  async #empty(name: string): Promise<void> {
    const { store } = this.#cluster;
    const definition = store.get(customResourceDefinition.collection, name)?.object;
    const resource = definition && storedCustomResource(definition);
    if (resource === undefined || definition?.metadata.deletionTimestamp === undefined) return;
    const bare = { ...this.#cluster, admission: [] };
    for (const { object } of store.entries(resource.collection)) {
      if (object.metadata.deletionTimestamp !== undefined) continue;
      const place = { namespace: object.metadata.namespace ?? '', name: object.metadata.name };
      await quietly(() => deleteObject(bare, resource, place, {}, controller));
    }
    this.#finishTerminating(name);
  }

  #finishTerminating(collection: string): void {
    const { store } = this.#cluster;
    const entry = store.get(customResourceDefinition.collection, collection);
    if (entry?.object.metadata.deletionTimestamp === undefined || store.entries(collection).length > 0)
      return;
    const finalizers = (entry.object.metadata.finalizers ?? []).filter((name) => name !== crdCleanup);
    if (finalizers.length === 0) {
      store.delete(customResourceDefinition.collection, collection, entry.revision);
      return;
    }
    if (finalizers.length === entry.object.metadata.finalizers?.length) return;
    const metadata = { ...entry.object.metadata, finalizers };
    store.put(customResourceDefinition.collection, collection, { ...entry.object, metadata }, entry.revision);
  }
}
