import type { Cluster } from '../../api/cluster.js';
import { updateObject } from '../../api/update.js';
import { POD_DISRUPTION_BUDGET as BUDGET } from '../../builtin/pod-disruption-budget.js';
import { valueAt, type KubeObject, type OwnerReference } from '../../object.js';
import { pathKeys } from '../../registry/scaled.js';
import { keyOf, type StoreEvent } from '../../store/entry.js';
import { record } from '../events.js';
import { CONTROLLER } from '../identity.js';
import { KeyedTimers } from '../keyed-timers.js';
import { quietly } from '../quietly.js';
import { Worker } from '../worker.js';
import { decide, isForPod, type Scale } from './decide.js';

/** Keeps the status of PodDisruptionBudgets. */
export class DisruptionController {
  readonly #cluster: Cluster;
  readonly #timers: KeyedTimers;
  readonly #worker = new Worker((key) => this.#sync(key));

  constructor(cluster: Cluster) {
    this.#cluster = cluster;
    this.#timers = new KeyedTimers(cluster.clock, (key) => {
      this.#worker.add(key);
    });
  }

  /** Starts with what is stored already; returns what ends it. */
  start(): () => void {
    const { store } = this.#cluster;
    for (const { key } of store.entries(BUDGET.collection)) this.#worker.add(key);
    const unsubscribe = store.subscribe((event) => {
      this.#take(event);
    });
    return () => {
      unsubscribe();
      this.#worker.stop();
      this.#timers.stop();
    };
  }

  #take({ entry, previous }: StoreEvent): void {
    if (entry.collection === BUDGET.collection) this.#worker.add(entry.key);
    if (entry.collection !== 'pods') return;
    for (const { key, object } of this.#cluster.store.entries(BUDGET.collection, entry.namespace)) {
      const matches = [entry, previous].some(
        (version) => version !== undefined && isForPod(object, version.object.metadata.labels),
      );
      if (matches) this.#worker.add(key);
    }
  }

  async #sync(key: string): Promise<void> {
    const { store, now } = this.#cluster;
    const budget = store.get(BUDGET.collection, key)?.object;
    if (budget === undefined) {
      this.#timers.clear(key);
      return;
    }
    const { name, namespace = '' } = budget.metadata;
    const pods = store
      .entries('pods', namespace)
      .map(({ object }) => object)
      .filter(({ metadata }) => isForPod(budget, metadata.labels));
    const scaleOf = (owner: OwnerReference): Scale => this.#scaleOf(namespace, owner);
    const { status, isChanged, problem, recheckMs } = decide({ budget, pods, scaleOf, now: now() });
    this.#timers.set(key, recheckMs);
    if (!isChanged) return;
    /* A budget that changed meanwhile comes here again: the status is for this version alone. */
    const change = (live: KubeObject): KubeObject => ({ ...live, metadata: budget.metadata, status });
    const update = { namespace, name, subresource: 'status', change };
    await quietly(() => updateObject(this.#cluster, BUDGET, update, CONTROLLER));
    await this.#report(budget, pods.length, problem);
  }

  async #report(regarding: KubeObject, pods: number, problem: string | undefined): Promise<void> {
    const about = { regarding, component: 'controllermanager' };
    if (pods === 0) {
      const note = 'No matching pods found';
      await record(this.#cluster, { ...about, type: 'Normal', reason: 'NoPods', note });
    }
    if (problem === undefined) return;
    const note = `Failed to calculate the number of expected pods: ${problem}`;
    await record(this.#cluster, {
      ...about,
      type: 'Warning',
      reason: 'CalculateExpectedPodCountFailed',
      note,
    });
  }

  /** Returns the scale of a controller; that of its Deployment for a ReplicaSet that has one. */
  #scaleOf(namespace: string, owner: OwnerReference): Scale {
    const { store, registry } = this.#cluster;
    const resource = registry.byKind(owner.apiVersion, owner.kind);
    if (resource === undefined) return undefined;
    const found = store.get(resource.collection, keyOf(namespace, owner.name))?.object;
    if (found?.metadata.uid !== owner.uid) return undefined;
    if (resource.scale === undefined) {
      const name = resource.group === '' ? resource.plural : `${resource.plural}.${resource.group}`;
      return { problem: `${name} does not implement the scale subresource` };
    }
    const deployment = found.metadata.ownerReferences?.find(
      ({ kind, controller }) => kind === 'Deployment' && controller === true,
    );
    if (owner.kind === 'ReplicaSet' && deployment !== undefined) return this.#scaleOf(namespace, deployment);
    const replicas = valueAt(found, ...pathKeys(resource.scale.specReplicasPath));
    return { uid: owner.uid, replicas: typeof replicas === 'number' ? replicas : 0 };
  }
}
