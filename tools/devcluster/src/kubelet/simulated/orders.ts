import type { KubeObject } from '../../object.js';
import { isEnding, type Outcome } from './outcome.js';

/** The outcome of future pods that have all the labels, in one namespace or in all namespaces. */
export interface SimulationRule {
  namespace?: string | undefined;
  /** Default: every pod. */
  labels?: Readonly<Record<string, string>> | undefined;
  outcome: Outcome;
}

interface Order {
  outcome: Outcome;
  /** The functions that settle the promises of the callers. */
  done: (() => void)[];
  failed: ((error: Error) => void)[];
}

/** The requested outcomes of the pods of simulated nodes: individual orders, or rules. */
export class Orders {
  readonly #orders = new Map<string, Order>();
  readonly #rules = new Set<SimulationRule>();

  /** Orders an outcome of a pod. Resolves once it has happened; rejects if the pod is deleted earlier. */
  give(uid: string, outcome: Outcome): Promise<void> {
    const { done = [], failed = [] } = this.#orders.get(uid) ?? {};
    return new Promise((resolve, reject) => {
      this.#orders.set(uid, { outcome, done: [...done, resolve], failed: [...failed, reject] });
    });
  }

  /** Adds a rule, which takes precedence over older rules. Returns a function that removes it. */
  addRule(rule: SimulationRule): () => void {
    const added = { ...rule };
    this.#rules.add(added);
    return () => void this.#rules.delete(added);
  }

  /** Returns the requested outcome of a pod. */
  outcomeOf(pod: KubeObject): Outcome {
    const order = this.#orders.get(pod.metadata.uid ?? '');
    if (order !== undefined) return order.outcome;
    const rule = [...this.#rules].reverse().find((one) => applies(one, pod));
    return rule?.outcome ?? { type: 'run' };
  }

  /** Records that a pod has started. If a rule sets an outcome that ends the pod, the pod ends next. */
  started(pod: KubeObject): void {
    const { uid = '' } = pod.metadata;
    const outcome = this.outcomeOf(pod);
    if (this.#orders.has(uid) || !isEnding(outcome)) return;
    this.#orders.set(uid, { outcome, done: [], failed: [] });
  }

  /** Records that an ordered outcome has happened. An ending happens only once; the other outcomes last. */
  fulfilled(uid: string, outcome: Outcome): void {
    const order = this.#orders.get(uid);
    if (order?.outcome !== outcome) return;
    for (const resolve of order.done) resolve();
    if (outcome.type === 'hold' || outcome.type === 'notReady') {
      this.#orders.set(uid, { outcome, done: [], failed: [] });
    } else this.#orders.set(uid, { outcome: { type: 'run' }, done: [], failed: [] });
  }

  /** Removes the order for a deleted pod, and rejects the promises of its callers. */
  forget(uid: string): void {
    const order = this.#orders.get(uid);
    this.#orders.delete(uid);
    for (const reject of order?.failed ?? []) reject(new Error('the pod is gone'));
  }

  /** Removes all orders, and rejects the promises of their callers. */
  stop(): void {
    for (const uid of this.#orders.keys()) this.forget(uid);
  }
}

function applies({ namespace, labels = {} }: SimulationRule, { metadata }: KubeObject): boolean {
  if (namespace !== undefined && namespace !== metadata.namespace) return false;
  return Object.entries(labels).every(([key, value]) => metadata.labels?.[key] === value);
}
