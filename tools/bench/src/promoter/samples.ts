/** The samples of a scrape in the Prometheus text format. */
export class Samples {
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  /** Returns the sum of a metric over all samples that have at least these labels. */
  sum(name: string, labels: Record<string, string> = {}): number {
    const wanted = Object.entries(labels).map(([key, value]) => `${key}="${value}"`);
    let total = 0;
    for (const [, own = '', value] of this.#text.matchAll(
      new RegExp(`^${name}(?:\\{(.*)\\})? (\\S+)$`, 'gm'),
    )) {
      if (wanted.every((label) => own.split(',').includes(label))) total += Number(value);
    }
    return total;
  }
}
