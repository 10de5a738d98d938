import { objectAt, objectsAt, textAt, type KubeObject } from '../object.js';
import { Quantity } from '../schema/cel/quantity.js';
import type { JsonObject } from '../schema/types.js';

/** Amounts by the name of their resource: of `cpu` thousandths of a core, of all others whole units. */
export type Amounts = ReadonlyMap<string, number>;

const nano = 10n ** 9n;
const milli = 10n ** 6n;

/** Returns the amounts of a resource list; what is not a quantity counts as zero, fractions are rounded up. */
export function amountsOf(list: JsonObject): Amounts {
  const amounts = Object.entries(list).map(([name, text]): [string, number] => {
    const nanos = Quantity.parse(String(text))?.nanos ?? 0n;
    const unit = name === 'cpu' ? milli : nano;
    return [name, Number((nanos + unit - 1n) / unit)];
  });
  return new Map(amounts);
}

/** Returns the sum of amounts. */
export function sumOf(...all: readonly Amounts[]): Amounts {
  return combined(all, (a, b) => a + b);
}

function largest(...all: readonly Amounts[]): Amounts {
  return combined(all, Math.max);
}

function combined(all: readonly Amounts[], combine: (a: number, b: number) => number): Amounts {
  const result = new Map<string, number>();
  for (const amounts of all) {
    for (const [name, amount] of amounts) result.set(name, combine(result.get(name) ?? 0, amount));
  }
  return result;
}

function requestsOf(container: JsonObject): Amounts {
  return amountsOf(objectAt(container, 'resources', 'requests'));
}

/**
 * Returns what a pod takes on a node: its containers and sidecars together, or more where an init container needs
 * more while the sidecars before it run; what the pod itself requests counts in place of that; and its overhead.
 * Source: k8s.io/component-helpers/resource.
 */
export function podRequests(pod: KubeObject): Amounts {
  const spec = objectAt(pod, 'spec');
  let running = sumOf(...objectsAt(spec, 'containers').map(requestsOf));
  let sidecars: Amounts = new Map();
  let initial: Amounts = new Map();
  for (const container of objectsAt(spec, 'initContainers')) {
    const own = requestsOf(container);
    const together = sumOf(own, sidecars);
    if (textAt(container, 'restartPolicy') === 'Always') {
      running = sumOf(running, own);
      sidecars = together;
    }
    initial = largest(initial, together);
  }
  const needed = new Map(largest(running, initial));
  for (const [name, amount] of requestsOf(spec)) needed.set(name, amount);
  return sumOf(needed, amountsOf(objectAt(spec, 'overhead')));
}

const unrequested = { cpu: 100, memory: 200 * 1024 * 1024 };

/** Returns the cpu and memory that count when nodes are compared: containers that request none count as small ones. */
export function scoredRequests(pod: KubeObject): { cpu: number; memory: number } {
  const score = { cpu: 0, memory: 0 };
  for (const container of objectsAt(pod, 'spec', 'containers')) {
    const requests = requestsOf(container);
    score.cpu += requests.get('cpu') ?? unrequested.cpu;
    score.memory += requests.get('memory') ?? unrequested.memory;
  }
  return score;
}
