import type { TestCluster } from './cluster.js';
import { apps } from './workshop.js';

/**
 * Returns flags for `helm install` and `helm upgrade` that omit resources which the embedded cluster does not serve.
 *
 * @param chart `interlock`, whose values have the name of the app as a prefix, or the chart of one app
 */
export async function limitedTo(cluster: TestCluster, chart: string): Promise<string[]> {
  const prefixes =
    chart === 'interlock' ? apps.map((app) => `${app}.`) : apps.some((app) => app === chart) ? [''] : [];
  const policies = await cluster.serves('networking.k8s.io/v1', 'NetworkPolicy');
  const budgets = await cluster.serves('policy/v1', 'PodDisruptionBudget');
  return [
    // The embedded cluster describes its kinds only in OpenAPI v3, which this version of Helm does not read.
    '--disable-openapi-validation',
    ...prefixes.flatMap((prefix) => [
      ...(policies ? [] : [`--set=${prefix}networkPolicy.enabled=false`]),
      ...(budgets ? [] : [`--set=${prefix}replicas=1`]),
    ]),
  ];
}
