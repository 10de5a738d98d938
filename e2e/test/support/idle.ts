import type { AppName, Fleet } from '@interlock/stack';

/** Returns whether an app has reconciled something and has no current work. Delayed work does not count. */
export async function isIdle(fleet: Fleet, app: AppName): Promise<boolean> {
  if (!(await fleet.ready(app))) return false;
  const metrics = await fleet.metrics(app);
  const busy = sum(metrics, 'workqueue_depth') + sum(metrics, 'controller_runtime_active_workers');
  return busy === 0 && sum(metrics, 'controller_runtime_reconcile_total') > 0;
}

/** Returns the sum over all labels of a metric in Prometheus' text format. */
export function sum(metrics: string, name: string): number {
  const samples = metrics.matchAll(new RegExp(`^${name}(?:\\{[^}]*\\})? (\\S+)$`, 'gm'));
  return [...samples].reduce((total, [, value]) => total + Number(value), 0);
}
