import type { Measurement } from '../benchmark.js';
import { median } from '../statistics.js';

/** The samples of each metric, by proxy. */
export class Figures {
  readonly #names: readonly string[];
  readonly #samples = new Map<string, { unit: string; of: Map<string, number[]> }>();

  constructor(names: readonly string[]) {
    this.#names = names;
  }

  add(metric: string, unit: string, name: string, value: number): void {
    const entry = this.#samples.get(metric) ?? { unit, of: new Map<string, number[]>() };
    this.#samples.set(metric, entry);
    entry.of.set(name, [...(entry.of.get(name) ?? []), value]);
  }

  /** Returns the medians; the peer of the egress proxy is squid. */
  measurements(): Measurement[] {
    return [...this.#samples].flatMap(([metric, { unit, of }]) => {
      const squid = of.get('squid');
      return ['direct', ...this.#names].flatMap((name) => {
        const samples = of.get(name);
        if (samples === undefined) return [];
        const isOwn = name === 'handles' || name === 'sockets';
        const peer = isOwn && squid !== undefined ? { peer: median(squid) } : {};
        return [{ metric: `${metric}, ${name}`, value: median(samples), unit, ...peer }];
      });
    });
  }
}
