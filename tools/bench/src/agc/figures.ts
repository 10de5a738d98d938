import type { Measurement } from '../benchmark.js';
import { median } from '../statistics.js';

/** The measured clients. `node` is the baseline: the same polls by the modules of Node.js. */
export type Client = 'broker' | 'node' | 'go';

const clientNames: Readonly<Record<Client, string>> = { broker: 'libs/broker', node: 'node:http', go: 'Go' };

/** The samples of each metric, by client. */
export class Figures {
  readonly #samples = new Map<string, { unit: string; of: Map<Client, number[]> }>();

  add(metric: string, unit: string, client: Client, value: number): void {
    const entry = this.#samples.get(metric) ?? { unit, of: new Map<Client, number[]>() };
    this.#samples.set(metric, entry);
    entry.of.set(client, [...(entry.of.get(client) ?? []), value]);
  }

  /** Returns the medians; the peer of libs/broker is the baseline. */
  measurements(): Measurement[] {
    return [...this.#samples].flatMap(([metric, { unit, of }]) => {
      const baseline = of.get('node');
      return [...of].map(([client, samples]) => ({
        metric: `${metric}, ${clientNames[client]}`,
        value: median(samples),
        unit,
        ...(client === 'broker' && baseline !== undefined && { peer: median(baseline) }),
      }));
    });
  }
}
