import { ApiError } from '../../api/api-error.js';
import type { Cluster } from '../../api/cluster.js';
import { updateObject } from '../../api/update.js';
import { horizontalPodAutoscaler } from '../../builtin/horizontal-pod-autoscaler/kinds.js';
import { objectAt, textAt, valueAt, type KubeObject } from '../../object.js';
import { fromStorage, type Resource, type ScalePaths } from '../../registry/resource.js';
import { matchesLabels, parseLabelSelector } from '../../selectors/labels.js';
import { scaleOf, scaleTo } from '../../server/scale.js';
import { keyOf, type StoreEvent } from '../../store/entry.js';
import { record } from '../events.js';
import { controller } from '../identity.js';
import { KeyedTimers } from '../keyed-timers.js';
import { quietly } from '../quietly.js';
import { Worker } from '../worker.js';
import { decide, rescaleFailed, type Decision, type Observed } from './decide.js';
import type { Memory } from './limits.js';
import type { Metrics } from './metrics.js';

type Scalable = Resource & { scale: ScalePaths };
type Target = { resource: Scalable; object: KubeObject } | { problem: string };

const noMemory: Memory = { recommendations: new Map(), changes: [] };

/** Scales the targets of HorizontalPodAutoscalers. */
export class AutoscalingController {
  readonly #cluster: Cluster;
  readonly #metrics: Metrics | undefined;
  readonly #timers: KeyedTimers;
  /** The history of each autoscaler, until it is deleted. */
  readonly #memories = new Map<string, Memory>();
  readonly #worker: Worker;

  constructor(cluster: Cluster, metrics: Metrics | undefined) {
    this.#cluster = cluster;
    this.#worker = new Worker(cluster.clock, (key) => this.#sync(key));
    this.#metrics = metrics;
    this.#timers = new KeyedTimers(cluster.clock, (key) => this.#worker.add(key));
  }

  /** Starts the controller with the stored objects. Returns a function that stops the controller. */
  start(): () => void {
    this.#addAll('');
    const ends = [
      this.#cluster.store.subscribe((event) => this.#take(event)),
      this.#metrics?.onChange(() => this.#addAll('')),
    ];
    return () => {
      for (const end of ends) end?.();
      this.#worker.stop();
      this.#timers.stop();
    };
  }

  #addAll(namespace: string): void {
    for (const { key } of this.#cluster.store.entries(horizontalPodAutoscaler.collection, namespace))
      this.#worker.add(key);
  }

  #take({ entry }: StoreEvent): void {
    if (entry.collection === horizontalPodAutoscaler.collection) {
      this.#worker.add(entry.key);
      return;
    }
    if (entry.collection === 'pods') {
      this.#addAll(entry.namespace);
      return;
    }
    for (const { key, object } of this.#cluster.store.entries(
      horizontalPodAutoscaler.collection,
      entry.namespace,
    )) {
      const reference = objectAt(object, 'spec', 'scaleTargetRef');
      const isTarget =
        reference['name'] === entry.object.metadata.name && reference['kind'] === entry.object.kind;
      if (isTarget) this.#worker.add(key);
    }
  }

  async #sync(key: string): Promise<void> {
    const { store, now } = this.#cluster;
    const autoscaler = store.get(horizontalPodAutoscaler.collection, key)?.object;
    if (autoscaler === undefined) {
      this.#memories.delete(key);
      this.#timers.clear(key);
      return;
    }
    const { namespace = '' } = autoscaler.metadata;
    const target = this.#targetOf(autoscaler);
    const observed: Observed = {
      autoscaler,
      ...this.#observe(target, namespace),
      metricOf: (metric, pod) => this.#metrics?.get(metric, { namespace, pod }),
      memory: this.#memories.get(key) ?? noMemory,
      now: now(),
    };
    const decision = await this.#rescaled(observed, target, decide(observed));
    this.#memories.set(key, decision.memory);
    this.#timers.set(key, decision.recheckMs);
    await this.#write(autoscaler, decision);
  }

  #observe(target: Target, namespace: string): Pick<Observed, 'scale' | 'pods'> {
    if ('problem' in target) return { scale: target, pods: [] };
    const { resource, object } = target;
    try {
      const scale = scaleOf(resource.scale, fromStorage(resource, object), undefined);
      const selector = textAt(scale, 'status', 'selector');
      const replicas = Number(valueAt(scale, 'spec', 'replicas') ?? 0);
      const current = Number(valueAt(scale, 'status', 'replicas') ?? 0);
      return { scale: { replicas, current, selector }, pods: this.#podsOf(namespace, selector) };
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      return { scale: { problem: error.message }, pods: [] };
    }
  }

  #podsOf(namespace: string, selector: string): KubeObject[] {
    if (selector === '') return [];
    const requirements = parseLabelSelector(selector);
    return this.#cluster.store
      .entries('pods', namespace)
      .map(({ object }) => object)
      .filter(
        (pod) =>
          matchesLabels(requirements, pod.metadata.labels) &&
          pod.metadata.deletionTimestamp === undefined &&
          textAt(pod, 'status', 'phase') !== 'Failed',
      );
  }

  #targetOf(autoscaler: KubeObject): Target {
    const { store, registry } = this.#cluster;
    const reference = objectAt(autoscaler, 'spec', 'scaleTargetRef');
    const [apiVersion, kind] = [textAt(reference, 'apiVersion'), textAt(reference, 'kind')];
    const name = textAt(reference, 'name');
    const resource = registry.byKind(apiVersion || 'v1', kind);
    if (resource === undefined) {
      const [group = ''] = apiVersion.includes('/') ? apiVersion.split('/') : [];
      return {
        problem: `unable to determine resource for scale target reference: no matches for kind "${kind}" in group "${group}"`,
      };
    }
    const qualified = resource.group === '' ? resource.plural : `${resource.plural}.${resource.group}`;
    const object = store.get(resource.collection, keyOf(autoscaler.metadata.namespace, name))?.object;
    if (object === undefined) return { problem: `${qualified} "${name}" not found` };
    const { scale } = resource;
    if (scale === undefined) return { problem: 'the server could not find the requested resource' };
    return { resource: { ...resource, scale }, object };
  }

  /**
   * Scales the target if the decision requires it. Returns the decision, or a decision that reports the failure.
   */
  async #rescaled(observed: Observed, target: Target, decision: Decision): Promise<Decision> {
    const { rescale } = decision;
    if (rescale === undefined || 'problem' in target) return decision;
    const { name, namespace = '' } = target.object.metadata;
    try {
      await scaleTo(this.#cluster, target.resource, { namespace, name }, rescale.to, controller);
      return decision;
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      return rescaleFailed(observed, rescale, error.message);
    }
  }

  async #write(autoscaler: KubeObject, { status, isChanged, events }: Decision): Promise<void> {
    if (!isChanged) return;
    const { name, namespace = '' } = autoscaler.metadata;
    const change = (live: KubeObject): KubeObject => ({ ...live, status });
    const update = { namespace, name, subresource: 'status', change };
    await quietly(() => updateObject(this.#cluster, horizontalPodAutoscaler, update, controller));
    for (const event of events) {
      const component = 'horizontal-pod-autoscaler';
      await record(this.#cluster, { regarding: autoscaler, component, ...event });
    }
  }
}
