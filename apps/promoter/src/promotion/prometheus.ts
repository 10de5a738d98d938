import { keyString, type ObjectKey } from '@interlock/api';
import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import type { EnvironmentTransitions, PromotionMetrics } from './metrics.js';
import { waitClasses, waitClassOf, type WaitClass } from './waits.js';

const minute = 60;
const hour = 60 * minute;
const day = 24 * hour;
const buckets = [10, 30, minute, 5 * minute, 15 * minute, hour, 4 * hour, day, 3 * day, 7 * day, 30 * day];

const kinds = ['promotion', 'rollback'] as const;

/**
 * Returns metrics that are exposed by `registry`. Call it once for a registry. Their number grows with the namespaces, not
 * with the objects in them; kube-state-metrics exposes the state of the objects.
 */
export function prometheusPromotionMetrics(registry: Registry): PromotionMetrics {
  return new PrometheusPromotionMetrics(registry);
}

class PrometheusPromotionMetrics implements PromotionMetrics {
  /** Namespace → strategy → environment branch → names of checks: what is counted. */
  readonly #known = new Map<string, Map<string, ReadonlyMap<string, readonly string[]>>>();
  readonly #deployments;
  readonly #failed;
  readonly #leadTime;
  readonly #restore;
  readonly #blocked;
  #oldestWaits: () => ReadonlyMap<WaitClass, number> = () => new Map();

  constructor(registry: Registry) {
    const metric = (suffix: string, help: string, ...labelNames: string[]) => ({
      name: `interlock_promotion_${suffix}`,
      help,
      labelNames,
      registers: [registry],
    });
    this.#deployments = new Counter(
      metric(
        'deployments_total',
        'Dry commits that became active in an environment, by kind: promotion, or rollback to an older dry commit.',
        'namespace',
        'kind',
      ),
    );
    this.#failed = new Counter(
      metric(
        'failed_deployments_total',
        'Deployments for which an active CommitStatus changed to failure, or which were rolled back.',
        'namespace',
      ),
    );
    const leadTime =
      'Time from the commit on the dry branch until it is active in an environment; rollbacks do not count.';
    this.#leadTime = new Histogram({ ...metric('lead_time_seconds', leadTime, 'namespace'), buckets });
    const restore =
      'Time from the failure of an environment until its active CommitStatuses are successful, or it is rolled back.';
    this.#restore = new Histogram({ ...metric('time_to_restore_seconds', restore, 'namespace'), buckets });
    this.#blocked = new Counter(
      metric(
        'blocked_seconds_total',
        'Time for which checks blocked promotions, counted when the block ends.',
        'namespace',
        'class',
      ),
    );
    const oldestWaits = () => this.#oldestWaits();
    new Gauge({
      ...metric('oldest_wait_seconds', 'The longest time for which a promotion has been waiting.', 'class'),
      collect() {
        for (const [name, seconds] of oldestWaits()) this.set({ class: name }, seconds);
      },
    });
  }

  observeWaits(oldest: () => ReadonlyMap<WaitClass, number>): void {
    this.#oldestWaits = oldest;
  }

  keep(strategy: ObjectKey, checks: ReadonlyMap<string, readonly string[]>): void {
    const { namespace = '' } = strategy;
    const strategies = this.#known.get(namespace) ?? new Map<string, ReadonlyMap<string, string[]>>();
    if (strategies.size === 0) this.#begin(namespace);
    strategies.set(keyString(strategy), checks);
    this.#known.set(namespace, strategies);
  }

  forget(strategy: ObjectKey): void {
    const { namespace = '' } = strategy;
    const strategies = this.#known.get(namespace);
    if (strategies?.delete(keyString(strategy)) !== true || strategies.size > 0) return;
    this.#known.delete(namespace);
    this.#remove(namespace);
  }

  record(strategy: ObjectKey, transitions: EnvironmentTransitions): void {
    const { branch, deployments, failed, restoredAfterMs, blocked } = transitions;
    const { namespace = '' } = strategy;
    const checks = this.#known.get(namespace)?.get(keyString(strategy))?.get(branch);
    if (checks === undefined) return;
    for (const { rollback, activeAt, committedAt } of deployments) {
      this.#deployments.inc({ namespace, kind: rollback ? 'rollback' : 'promotion' });
      if (rollback || activeAt === undefined || committedAt === undefined) continue;
      this.#leadTime.observe({ namespace }, Math.max(0, activeAt - committedAt) / 1000);
    }
    this.#failed.inc({ namespace }, failed);
    for (const ms of restoredAfterMs) this.#restore.observe({ namespace }, ms / 1000);
    for (const { check, seconds } of blocked) {
      if (checks.includes(check)) this.#blocked.inc({ namespace, class: waitClassOf(check) }, seconds);
    }
  }

  /* If a counter started with its first event, `increase()` would not see that event. */
  #begin(namespace: string): void {
    for (const kind of kinds) this.#deployments.inc({ namespace, kind }, 0);
    for (const name of waitClasses) this.#blocked.inc({ namespace, class: name }, 0);
    this.#failed.inc({ namespace }, 0);
    this.#leadTime.zero({ namespace });
    this.#restore.zero({ namespace });
  }

  #remove(namespace: string): void {
    for (const kind of kinds) this.#deployments.remove({ namespace, kind });
    for (const name of waitClasses) this.#blocked.remove({ namespace, class: name });
    this.#failed.remove({ namespace });
    this.#leadTime.remove({ namespace });
    this.#restore.remove({ namespace });
  }
}
