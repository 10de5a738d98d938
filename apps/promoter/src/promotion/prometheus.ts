import { keyString, type ObjectKey } from '@interlock/api';
import { Counter, Histogram, type Registry } from 'prom-client';
import type { EnvironmentTransitions, PromotionMetrics } from './metrics.js';

const minute = 60;
const hour = 60 * minute;
const day = 24 * hour;
const buckets = [10, 30, minute, 5 * minute, 15 * minute, hour, 4 * hour, day, 3 * day, 7 * day, 30 * day];

const environmentLabels = ['namespace', 'strategy', 'environment'] as const;
const kinds = ['promotion', 'rollback'] as const;

type EnvironmentLabels = Record<(typeof environmentLabels)[number], string>;

/** @returns metrics that are exposed by `registry`. Make it once for a registry. */
export function prometheusPromotionMetrics(registry: Registry): PromotionMetrics {
  return new PrometheusPromotionMetrics(registry);
}

class PrometheusPromotionMetrics implements PromotionMetrics {
  /** Strategy → environment branch → names of checks: the series that exist. */
  readonly #series = new Map<string, ReadonlyMap<string, readonly string[]>>();
  readonly #deployments;
  readonly #failed;
  readonly #leadTime;
  readonly #restore;
  readonly #blocked;

  constructor(registry: Registry) {
    const registers = [registry];
    const name = (suffix: string) => `interlock_promotion_${suffix}`;
    this.#deployments = new Counter({
      name: name('deployments_total'),
      help: 'Dry commits that became active in an environment, by kind: promotion, or rollback to an older one.',
      labelNames: [...environmentLabels, 'kind'],
      registers,
    });
    this.#failed = new Counter({
      name: name('failed_deployments_total'),
      help: 'Deployments of which an active CommitStatus turned failure, or which were rolled back.',
      labelNames: environmentLabels,
      registers,
    });
    this.#leadTime = new Histogram({
      name: name('lead_time_seconds'),
      help: 'From the commit on the dry branch until it is active in the environment; rollbacks do not count.',
      labelNames: environmentLabels,
      buckets,
      registers,
    });
    this.#restore = new Histogram({
      name: name('time_to_restore_seconds'),
      help: 'From the failure of an environment until its active CommitStatuses are successful, or it is rolled back.',
      labelNames: environmentLabels,
      buckets,
      registers,
    });
    this.#blocked = new Counter({
      name: name('blocked_seconds_total'),
      help: 'Time for which a check was in the way of a promotion, counted when that ends.',
      labelNames: [...environmentLabels, 'check'],
      registers,
    });
  }

  keep(strategy: ObjectKey, checks: ReadonlyMap<string, readonly string[]>): void {
    const known = this.#series.get(keyString(strategy));
    this.#series.set(keyString(strategy), checks);
    for (const [branch, names] of known ?? []) {
      const labels = labelsOf(strategy, branch);
      const kept = checks.get(branch);
      if (kept === undefined) this.#remove(labels, names);
      for (const check of names) {
        if (kept?.includes(check) === false) this.#blocked.remove({ ...labels, check });
      }
    }
    for (const [branch, names] of checks) {
      const labels = labelsOf(strategy, branch);
      if (known?.has(branch) !== true) this.#begin(labels);
      for (const check of names) this.#blocked.inc({ ...labels, check }, 0);
    }
  }

  forget(strategy: ObjectKey): void {
    this.keep(strategy, new Map());
    this.#series.delete(keyString(strategy));
  }

  record(strategy: ObjectKey, transitions: EnvironmentTransitions): void {
    const { branch, deployments, failed, restoredAfterMs, blocked } = transitions;
    const checks = this.#series.get(keyString(strategy))?.get(branch);
    if (checks === undefined) return;
    const labels = labelsOf(strategy, branch);
    for (const { rollback, activeAt, committedAt } of deployments) {
      this.#deployments.inc({ ...labels, kind: rollback ? 'rollback' : 'promotion' });
      if (rollback || activeAt === undefined || committedAt === undefined) continue;
      this.#leadTime.observe(labels, Math.max(0, activeAt - committedAt) / 1000);
    }
    this.#failed.inc(labels, failed);
    for (const ms of restoredAfterMs) this.#restore.observe(labels, ms / 1000);
    for (const { check, seconds } of blocked) {
      if (checks.includes(check)) this.#blocked.inc({ ...labels, check }, seconds);
    }
  }

  /* A counter that begins with its first event hides that event from `increase()`. */
  #begin(labels: EnvironmentLabels): void {
    for (const kind of kinds) this.#deployments.inc({ ...labels, kind }, 0);
    this.#failed.inc(labels, 0);
    this.#leadTime.zero(labels);
    this.#restore.zero(labels);
  }

  #remove(labels: EnvironmentLabels, checks: readonly string[]): void {
    for (const kind of kinds) this.#deployments.remove({ ...labels, kind });
    this.#failed.remove(labels);
    this.#leadTime.remove(labels);
    this.#restore.remove(labels);
    for (const check of checks) this.#blocked.remove({ ...labels, check });
  }
}

function labelsOf({ namespace = '', name }: ObjectKey, environment: string): EnvironmentLabels {
  return { namespace, strategy: name, environment };
}
