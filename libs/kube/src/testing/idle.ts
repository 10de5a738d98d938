import type { Registry } from 'prom-client';
import type { Manager } from '../runtime/manager-types.js';
import { eventually } from './eventually.js';

const quietChecks = 3;

/** Returns the sum of a metric over all series that have these labels; 0 while there is none. */
export async function metricSum(
  registry: Registry,
  name: string,
  labels: Readonly<Record<string, string>> = {},
): Promise<number> {
  const { values } = (await registry.getSingleMetric(name)?.get()) ?? { values: [] };
  return values
    .filter((series) =>
      Object.entries(labels).every(([label, value]) => String(series.labels[label]) === value),
    )
    .reduce((total, { value }) => total + value, 0);
}

/**
 * Waits until the controllers of a manager are idle: no key waits and no worker works, in several consecutive checks.
 * Delayed keys do not count.
 *
 * @param registry registry of the manager's metrics
 * @param before further condition, evaluated before each check
 * @param isOver whether there is nothing left to wait for, because the process has ended
 * @throws Error when they are not idle in time
 */
export async function idle(
  manager: Manager,
  registry: Registry,
  before: () => Promise<void> = () => Promise.resolve(),
  isOver = (): boolean => false,
): Promise<void> {
  let quiet = 0;
  await eventually(async () => {
    if (isOver()) return;
    await before();
    const waiting = await metricSum(registry, 'workqueue_depth');
    const working = await metricSum(registry, 'controller_runtime_active_workers');
    quiet = manager.ready() && waiting + working === 0 ? quiet + 1 : 0;
    if (quiet < quietChecks) throw new Error(`${waiting} keys wait, ${working} workers work`);
  });
}
