import { podRequests as requestsOfPod, resourceList, type ResourceList } from '@interlock/api/quantities';
import { objectAt, objectsAt, type KubeObject } from '../object.js';
import type { JsonObject } from '../schema/types.js';

/** Amounts by the name of their resource: `cpu` in thousandths of a core, all others in whole units. */
export type Amounts = ReadonlyMap<string, number>;

const nano = 10n ** 9n;
const milli = 10n ** 6n;

/** Returns the amounts of a resource list; values that are not quantities are omitted, and fractions are rounded up. */
export function amountsOf(list: JsonObject): Amounts {
  return amounts(resourceList(list));
}

function amounts(list: ResourceList): Amounts {
  return new Map(
    [...list].map(([name, { nanos }]): [string, number] => {
      const unit = name === 'cpu' ? milli : nano;
      return [name, Number((nanos + unit - 1n) / unit)];
    }),
  );
}

/** Returns the sum of amounts. */
export function sumOf(all: readonly Amounts[]): Amounts {
  const sum = new Map<string, number>();
  for (const amounts of all) {
    for (const [name, amount] of amounts) sum.set(name, (sum.get(name) ?? 0) + amount);
  }
  return sum;
}

/** Returns the amounts that a pod requests of a node, including its overhead. */
export function podRequests(pod: KubeObject): Amounts {
  return amounts(requestsOfPod(objectAt(pod, 'spec'), { overhead: true }));
}

const unrequested: readonly [name: string, amount: number][] = [
  ['cpu', 100],
  ['memory', 200 * 1024 * 1024],
];

/** Returns the cpu and memory that count when nodes are compared: containers that request none count as small ones. */
export function scoredRequests(pod: KubeObject): Amounts {
  const containers = objectsAt(pod, 'spec', 'containers').map((container): Amounts => {
    const requests = amountsOf(objectAt(container, 'resources', 'requests'));
    return new Map(unrequested.map(([name, amount]) => [name, requests.get(name) ?? amount]));
  });
  return sumOf(containers);
}
