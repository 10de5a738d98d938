import { quantityNumber } from '@interlock/api/quantities';

/** The subject of a metric. */
interface MetricPlace {
  namespace: string;
  /** A pod; if undefined, the value applies to every pod of the namespace, and to object and external metrics. */
  pod?: string | undefined;
}

/**
 * The metrics that autoscalers read, set by a test: `metrics.set('cpu', '150m', { namespace, pod })`. A cluster without
 * them has no metrics API.
 */
export class Metrics {
  readonly #values = new Map<string, number>();
  readonly #listeners = new Set<() => void>();

  /** Sets the value of a metric, such as the usage of `cpu` or `memory`; undefined removes the value. */
  set(metric: string, quantity: string | number | undefined, place: MetricPlace): void {
    const key = keyOf(metric, place);
    if (quantity === undefined) this.#values.delete(key);
    else this.#values.set(key, quantityNumber(quantity));
    for (const listener of this.#listeners) listener();
  }

  /** Returns the value of a metric for a pod, or if the pod has none, the value for its namespace. */
  get(metric: string, { namespace, pod }: MetricPlace): number | undefined {
    const own = pod === undefined ? undefined : this.#values.get(keyOf(metric, { namespace, pod }));
    return own ?? this.#values.get(keyOf(metric, { namespace }));
  }

  /** Calls the listener after each change. Returns a function that removes the listener. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}

function keyOf(metric: string, { namespace, pod = '' }: MetricPlace): string {
  return JSON.stringify([metric, namespace, pod]);
}
